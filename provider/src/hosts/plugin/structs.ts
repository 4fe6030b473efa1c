import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { PropertyPath } from "../../propertyPath.js";
import { marshal, unmarshal, type Unmarshalled } from "./wire.js";

/** The values of a message. */
export const read = (properties: Struct | undefined): Unmarshalled => unmarshal(properties?.toJavaScript());

/** Values for a message, with their marks. */
export const write = (values: Readonly<Record<string, unknown>>, secrets?: readonly PropertyPath[]): Struct =>
  Struct.fromJavaScript(marshal(values, secrets));
