import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Reader, Writer } from "protobufjs/minimal.js";
import protobuf from "protobufjs/minimal.js";
import { isObject } from "../../json.js";
import type { PropertyPath } from "../../propertyPath.js";
import { marshal, unmarshal, type Unmarshalled } from "./wire.js";

/** A `google.protobuf.Struct` as it travels. */
export type StructBytes = Uint8Array;

/** Whether there are no values. */
export const isEmpty = (struct: StructBytes | undefined): boolean => (struct?.length ?? 0) === 0;

/** The values of a message; absent means none. */
export function read(struct: StructBytes | undefined): Unmarshalled {
  if (struct === undefined) return unmarshal({});
  const reader = protobuf.Reader.create(struct);
  return unmarshal(readStruct(reader, reader.len));
}

/** Values for a message, with their marks; undefined members are left out. */
export function write(values: Readonly<Record<string, unknown>>, secrets: readonly PropertyPath[] = []): StructBytes {
  const writer = protobuf.Writer.create();
  writeStruct(writer, marshal(values, secrets));
  return writer.finish();
}

/** The same of the SDK's messages. */
export const bytesOf = (struct: Struct | undefined): StructBytes | undefined => struct?.serializeBinary();
export const structOf = (bytes: StructBytes): Struct => Struct.deserializeBinary(bytes);

// google-protobuf makes four objects of each value, and so takes more time than all rules of this package together.

/** The numbers of the fields of a `google.protobuf.Value`, one for each kind. */
const kinds = { null: 1, number: 2, string: 3, boolean: 4, struct: 5, list: 6 } as const;
const wireTypes = { varint: 0, fixed64: 1, delimited: 2 } as const;
/** The first field, of what has only one that repeats; also the key of a member. Its value is the second. */
const first = (1 << 3) | wireTypes.delimited;
const second = (2 << 3) | wireTypes.delimited;

function readStruct(reader: Reader, end: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === first) readMember(reader, reader.uint32() + reader.pos, values);
    else reader.skipType(tag & 7);
  }
  return values;
}

function readMember(reader: Reader, end: number, values: Record<string, unknown>): void {
  let member = "";
  let value: unknown = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === first) member = reader.string();
    else if (tag === second) value = readValue(reader, reader.uint32() + reader.pos);
    else reader.skipType(tag & 7);
  }
  // An assignment would set the prototype.
  if (member === "__proto__") Object.defineProperty(values, member, { value, enumerable: true });
  else values[member] = value;
}

function readValue(reader: Reader, end: number): unknown {
  let value: unknown = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case kinds.number:
        value = reader.double();
        break;
      case kinds.string:
        value = reader.string();
        break;
      case kinds.boolean:
        value = reader.bool();
        break;
      case kinds.struct:
        value = readStruct(reader, reader.uint32() + reader.pos);
        break;
      case kinds.list:
        value = readList(reader, reader.uint32() + reader.pos);
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return value;
}

function readList(reader: Reader, end: number): unknown[] {
  const values: unknown[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === first) values.push(readValue(reader, reader.uint32() + reader.pos));
    else reader.skipType(tag & 7);
  }
  return values;
}

function writeStruct(writer: Writer, values: Readonly<Record<string, unknown>>): void {
  for (const [member, value] of Object.entries(values)) {
    if (value === undefined) continue;
    writer.uint32(first).fork().uint32(first).string(member).uint32(second).fork();
    writeValue(writer, value);
    writer.ldelim().ldelim();
  }
}

function writeValue(writer: Writer, value: unknown): void {
  const { varint, fixed64, delimited } = wireTypes;
  // An array has no undefined element that could be left out: the others would move.
  if (value === null || value === undefined) writer.uint32((kinds.null << 3) | varint).int32(0);
  else if (typeof value === "string") writer.uint32((kinds.string << 3) | delimited).string(value);
  else if (typeof value === "boolean") writer.uint32((kinds.boolean << 3) | varint).bool(value);
  else if (typeof value === "number" && Number.isFinite(value))
    writer.uint32((kinds.number << 3) | fixed64).double(value);
  else if (Array.isArray(value)) {
    writer.uint32((kinds.list << 3) | delimited).fork();
    value.forEach((element: unknown) => {
      writer.uint32(first).fork();
      writeValue(writer, element);
      writer.ldelim();
    });
    writer.ldelim();
  } else if (isObject(value)) {
    writer.uint32((kinds.struct << 3) | delimited).fork();
    writeStruct(writer, value);
    writer.ldelim();
  } else throw new TypeError(`A ${typeof value} cannot be handed to the engine.`);
}
