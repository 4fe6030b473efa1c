import protobuf from "protobufjs/minimal.js";

const wireTypes = { varint: 0, delimited: 2 } as const;

/** The fields of a message by their numbers, each taken apart where it is asked for. */
export class Fields {
  private readonly delimited: (Uint8Array | undefined)[] = [];
  private readonly varints: number[] = [];

  constructor(message: Uint8Array) {
    const reader = protobuf.Reader.create(message);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      const [field, wireType] = [tag >>> 3, tag & 7];
      if (wireType === wireTypes.delimited) this.delimited[field] = reader.bytes();
      else if (wireType === wireTypes.varint) this.varints[field] = reader.uint32();
      else reader.skipType(wireType);
    }
  }

  bytes(field: number): Uint8Array | undefined {
    return this.delimited[field];
  }

  /** Empty where the field is absent, as in all of protobuf. */
  text(field: number): string {
    const bytes = this.bytes(field);
    return bytes === undefined ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  }

  flag(field: number): boolean {
    return (this.varints[field] ?? 0) !== 0;
  }
}

/** A message that is written field by field; absent ones are left out. */
export class Message {
  private readonly writer = protobuf.Writer.create();

  bytes(field: number, value: Uint8Array | undefined): this {
    if (value !== undefined) this.writer.uint32(tagOf(field)).bytes(value);
    return this;
  }

  text(field: number, value: string): this {
    this.writer.uint32(tagOf(field)).string(value);
    return this;
  }

  finish(): Buffer {
    return Buffer.from(this.writer.finish());
  }
}

const tagOf = (field: number): number => (field << 3) | wireTypes.delimited;
