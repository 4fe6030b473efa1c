import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isJson, isObject, parseJson } from "../../json.js";
import { propertyPath, type PropertyPath } from "../../propertyPath.js";
import { unknownValue } from "../../unknown.js";
import { unwrapSpecial, wrapSecret } from "./specialValues.js";

/** Values of the engine as the core takes them, and beside them what only the protocol knows. */
export interface Unmarshalled {
  readonly values: Readonly<Record<string, unknown>>;
  /** Where the secrets are, none within another. Elements of an array may move, so a secret in one marks the whole array. */
  readonly secrets: readonly PropertyPath[];
  /** One sentence for each value that no job can have, such as a file. In `values` it is unknown, so that no rule adds a second sentence. */
  readonly problems: readonly string[];
}

/** The values of a message; absent means none. */
export const read = (struct: Struct | undefined): Unmarshalled => unmarshal(struct?.toJavaScript() ?? {});

/** Values for a message, with their marks. Undefined members are left out, which a struct cannot have. */
export function write(values: Readonly<Record<string, unknown>>, secrets: readonly PropertyPath[] = []): Struct {
  const plain = parseJson(JSON.stringify(marshal(values, secrets)));
  if (!isObject(plain) || !isJson(plain)) throw new TypeError("These values cannot be handed to the engine.");
  return Struct.fromJavaScript(plain);
}

/** Whether there are no values. */
export const isEmpty = (struct: Struct | undefined): boolean => (struct?.getFieldsMap().getLength() ?? 0) === 0;

/** Takes apart the JSON form of a `google.protobuf.Struct`; absent means empty. */
export function unmarshal(properties: unknown): Unmarshalled {
  const secrets: PropertyPath[] = [];
  const problems: string[] = [];

  const unwrap = (value: unknown, path: PropertyPath, isMarked: boolean): unknown => {
    const special = unwrapSpecial(value);
    if (special !== undefined) {
      if ("refused" in special) {
        problems.push(`${propertyPath(path)} is ${special.refused}. Accepted: a plain value.`);
        return unknownValue;
      }
      if (special.secret && !isMarked) mark(path);
      return unwrap(special.value, path, isMarked || special.secret);
    }
    if (Array.isArray(value)) {
      const before = secrets.length;
      const elements = value.map((element: unknown, index) => unwrap(element, [...path, index], isMarked));
      if (secrets.length > before) {
        secrets.length = before;
        mark(path);
      }
      return elements;
    }
    if (!isObject(value)) return value;
    // Most objects hold nothing that is wrapped.
    let unwrapped: Record<string, unknown> | undefined;
    for (const member of Object.keys(value)) {
      const inner = unwrap(value[member], [...path, member], isMarked);
      if (inner !== value[member]) (unwrapped ??= { ...value })[member] = inner;
    }
    return unwrapped ?? value;
  };
  const mark = (path: PropertyPath) => secrets.push(path);

  const values = unwrap(properties, [], false);
  return { values: isObject(values) ? values : {}, secrets, problems };
}

/** The opposite: what is at a marked path is a secret. */
export function marshal(
  values: Readonly<Record<string, unknown>>,
  secrets: readonly PropertyPath[],
): Readonly<Record<string, unknown>> {
  if (secrets.length === 0) return values;
  return Object.fromEntries(
    Object.entries(values).map(([member, value]) => {
      const below = secrets.filter(([first]) => first === member).map(([, ...rest]) => rest);
      if (value !== undefined && below.some(({ length }) => length === 0)) return [member, wrapSecret(value)];
      return [member, isObject(value) ? marshal(value, below) : value];
    }),
  );
}

/** The marks of what a resource puts out: those of its inputs, and with any of them the service's record as a whole, which may repeat it. */
export const outputSecrets = (inputSecrets: readonly PropertyPath[]): readonly PropertyPath[] =>
  inputSecrets.length === 0 ? inputSecrets : [...inputSecrets.filter(([first]) => first !== "job"), ["job"]];
