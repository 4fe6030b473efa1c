import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isObject, parseJson, type JsonObject } from "../../json.js";
import type { PropertyPath } from "../../propertyPath.js";
import { marshal, unmarshal, type Unmarshalled } from "../protocolValues.js";

/** Decodes the values of a message. An absent message has no values. */
export const read = (struct: Struct | undefined): Unmarshalled => unmarshal(struct?.toJavaScript() ?? {});

/** Encodes values for the engine and marks the secrets. Omits undefined members, because a struct cannot hold them. */
export function write(values: Readonly<Record<string, unknown>>, secrets: readonly PropertyPath[] = []): Struct {
  const plain = parseJson(JSON.stringify(marshal(values, secrets)));
  if (!isJsonObject(plain)) throw new TypeError("These values cannot be passed to the engine.");
  return Struct.fromJavaScript(plain);
}

/** What was parsed as JSON is JSON at any depth. */
const isJsonObject = (parsed: unknown): parsed is JsonObject => isObject(parsed);

export const isEmpty = (struct: Struct | undefined): boolean => (struct?.getFieldsMap().getLength() ?? 0) === 0;

/** The outputs' secret paths. If any input is secret, all of `job` is too: the service may repeat the input there. */
export const outputSecrets = (inputSecrets: readonly PropertyPath[]): readonly PropertyPath[] =>
  inputSecrets.length === 0 ? inputSecrets : [...inputSecrets.filter(([first]) => first !== "job"), ["job"]];
