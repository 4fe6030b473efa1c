import { Struct, Value, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb.js";
import { isJson, isObject } from "../../../provider/src/json.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * A struct that keeps the values it is made of: most structs in one process are never encoded. Whoever encodes it, or
 * looks at its fields, finds them all.
 */
export class ReadyStruct extends Struct {
  private readonly values: Record<string, JavaScriptValue>;
  private isFilled = false;

  constructor(values: Values) {
    super();
    this.values = decoded(values);
  }

  override toJavaScript(): Record<string, JavaScriptValue> {
    return this.values;
  }

  override getFieldsMap() {
    const fields = super.getFieldsMap();
    if (!this.isFilled) {
      this.isFilled = true;
      for (const [name, value] of Object.entries(this.values)) fields.set(name, Value.fromJavaScript(value));
    }
    return fields;
  }
}

const known = new WeakMap<Values, Record<string, JavaScriptValue>>();

/** The values as a struct gives them back: a copy, with the members in order. Nobody changes any of them. */
function decoded(values: Values): Record<string, JavaScriptValue> {
  const before = known.get(values);
  if (before !== undefined) return before;
  const copy: Record<string, JavaScriptValue> = {};
  for (const name of Object.keys(values).sort()) copy[name] = decodedValue(values[name]);
  known.set(values, copy).set(copy, copy);
  return copy;
}

function decodedValue(value: unknown): JavaScriptValue {
  if (Array.isArray(value)) return value.map(decodedValue);
  if (isObject(value)) return decoded(value);
  if (!isJson(value)) throw new Error(`A struct cannot have a member of type ${typeof value}.`);
  return value;
}
