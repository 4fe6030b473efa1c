import { wellFormed } from "../../client/redact.js";
import { Fields, Message } from "./messageFields.js";
import type { StructBytes } from "./structs.js";

// The SDK's generated messages take their structs apart into objects, also those that nobody reads. Here they stay bytes, so that
// what goes back as it came is not touched. The numbers are those of the engine's `provider.proto`; a test compares them.

interface OfSaved {
  readonly urn: string;
  readonly id: string;
}
export interface CheckRequest extends Pick<OfSaved, "urn"> {
  readonly olds: StructBytes | undefined;
  readonly news: StructBytes | undefined;
}
export interface DiffRequest extends OfSaved {
  readonly olds: StructBytes | undefined;
  readonly news: StructBytes | undefined;
}
export interface CreateRequest extends Pick<OfSaved, "urn"> {
  readonly properties: StructBytes | undefined;
  readonly preview: boolean;
}
export interface ReadRequest extends OfSaved {
  readonly properties: StructBytes | undefined;
  readonly inputs: StructBytes | undefined;
}
export interface UpdateRequest extends DiffRequest {
  readonly preview: boolean;
}
export interface DeleteRequest extends OfSaved {
  readonly properties: StructBytes | undefined;
}

export interface CheckResponse {
  readonly inputs: StructBytes;
  /** One reason for each failure, which names no property: the engine would print its value, secrets in clear. */
  readonly failures: readonly string[];
}
export interface CreateResponse {
  /** Empty in a preview. */
  readonly id: string;
  readonly properties: StructBytes;
}
export interface ReadResponse {
  /** Empty where there is no job any more. */
  readonly id: string;
  readonly properties?: StructBytes | undefined;
  readonly inputs?: StructBytes | undefined;
}
export interface UpdateResponse {
  readonly properties: StructBytes;
}

export const requests = {
  check: (bytes: Uint8Array): CheckRequest => {
    const fields = new Fields(bytes);
    return { urn: fields.text(1), olds: fields.bytes(2), news: fields.bytes(3) };
  },
  diff: (bytes: Uint8Array): DiffRequest => {
    const fields = new Fields(bytes);
    return { id: fields.text(1), urn: fields.text(2), olds: fields.bytes(3), news: fields.bytes(4) };
  },
  create: (bytes: Uint8Array): CreateRequest => {
    const fields = new Fields(bytes);
    return { urn: fields.text(1), properties: fields.bytes(2), preview: fields.flag(4) };
  },
  read: (bytes: Uint8Array): ReadRequest => {
    const fields = new Fields(bytes);
    return { id: fields.text(1), urn: fields.text(2), properties: fields.bytes(3), inputs: fields.bytes(4) };
  },
  update: (bytes: Uint8Array): UpdateRequest => ({ ...requests.diff(bytes), preview: new Fields(bytes).flag(7) }),
  delete: (bytes: Uint8Array): DeleteRequest => {
    const fields = new Fields(bytes);
    return { id: fields.text(1), urn: fields.text(2), properties: fields.bytes(3) };
  },
};

export const responses = {
  check: ({ inputs, failures }: CheckResponse): Buffer => {
    const message = new Message().bytes(1, inputs);
    for (const reason of failures) message.bytes(2, new Message().text(2, wellFormed(reason)).finish());
    return message.finish();
  },
  create: ({ id, properties }: CreateResponse): Buffer => new Message().text(1, id).bytes(2, properties).finish(),
  read: ({ id, properties, inputs }: ReadResponse): Buffer =>
    new Message().text(1, id).bytes(2, properties).bytes(3, inputs).finish(),
  update: ({ properties }: UpdateResponse): Buffer => new Message().bytes(1, properties).finish(),
};
