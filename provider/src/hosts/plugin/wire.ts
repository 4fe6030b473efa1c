import { isJson, isObject, type Json, type JsonObject } from "../../json.js";
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
    return Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [member, unwrap(inner, [...path, member], isMarked)]),
    );
  };
  const mark = (path: PropertyPath) => secrets.push(path);

  const values = unwrap(properties, [], false);
  return { values: isObject(values) ? values : {}, secrets, problems };
}

/** The JSON form of a `google.protobuf.Struct`: what is at a marked path is a secret, and undefined members are left out. */
export function marshal(values: Readonly<Record<string, unknown>>, secrets: readonly PropertyPath[] = []): JsonObject {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    present.map(([member, value]) => {
      const below = secrets.filter(([first]) => first === member).map(([, ...rest]) => rest);
      return [member, marshalValue(value, below)];
    }),
  );
}

function marshalValue(value: unknown, secrets: readonly PropertyPath[]): Json {
  if (secrets.some(({ length }) => length === 0)) return wrapSecret(marshalValue(value, []));
  // An array has no undefined element that could be left out: the others would move.
  if (Array.isArray(value)) return value.map((element: unknown) => marshalValue(element ?? null, []));
  if (isObject(value)) return marshal(value, secrets);
  if (isJson(value)) return value;
  throw new TypeError(`A ${typeof value} cannot be handed to the engine.`);
}

/** The marks of what a resource puts out: those of its inputs, and with any of them the service's record as a whole, which may repeat it. */
export const outputSecrets = (inputSecrets: readonly PropertyPath[]): readonly PropertyPath[] =>
  inputSecrets.length === 0 ? inputSecrets : [...inputSecrets.filter(([first]) => first !== "job"), ["job"]];
