import { Metadata, type Client, type MethodDefinition } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import type { CallName, RequestOf, ResponseOf } from "../../../provider/src/hosts/plugin/calls.js";
import { write } from "../../../provider/src/hosts/plugin/wire.js";
import { isJson, isObject, type JsonObject } from "../../../provider/src/json.js";
import type { PropertyPath } from "../../../provider/src/propertyPath.js";
import { urnOf } from "../plugin/inputs.js";

/** A resource as the state has it. Secrets are marked, as the engine passes them. */
export interface Saved {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
}

/** How a call reaches the provider: in this process, or over gRPC. The messages are the SDK's. */
export type Call = <Name extends CallName>(name: Name, request: RequestOf<Name>) => Promise<ResponseOf<Name>>;

/** How the SDK encodes each call. */
export const methods: { readonly [Name in CallName]: MethodDefinition<RequestOf<Name>, ResponseOf<Name>> } =
  ResourceProviderService;

/** The calls to another process. An error has the provider's own message, without the code that gRPC puts before it. */
export const callOver =
  (client: Client): Call =>
  (name, request) => {
    const { path, requestSerialize, responseDeserialize } = methods[name];
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, response) => {
        if (error !== null) reject(Object.assign(error, { message: error.details }));
        else if (response !== undefined) resolve(response);
      });
    });
  };

export const struct = (values: JsonObject) => structs.Struct.fromJavaScript(values);

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && isJson(value);

/** The properties with their secret marks. */
export function jsonOf(properties: structs.Struct | undefined): JsonObject {
  const values: unknown = properties?.toJavaScript();
  if (isJsonObject(values)) return values;
  throw new Error("The provider answered without values.");
}

/** Values as the engine passes them: without undefined members, and with secrets marked. */
export const marked = (values: Readonly<Record<string, unknown>>, secrets: readonly PropertyPath[]): JsonObject =>
  jsonOf(write(values, secrets));

const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
const changesOf = new Map<number, boolean>([
  [DIFF_SOME, true],
  [DIFF_NONE, false],
]);
const kinds = new Map(Object.entries(messages.PropertyDiff.Kind).map(([name, kind]) => [kind, name]));

/** Omits default values, as the engine's log does. */
const detailsOf = (answer: messages.DiffResponse): JsonObject =>
  Object.fromEntries(
    answer.toObject().detaileddiffMap.map(([path, { kind, inputdiff }]) => [
      path,
      {
        ...(kind !== messages.PropertyDiff.Kind.ADD && { kind: kinds.get(kind) ?? "" }),
        ...(inputdiff && { inputDiff: true }),
      },
    ]),
  );

/**
 * The engine's calls to one provider of one run, for both hosts: the SDK's process speaks the same protocol as the plugin.
 * A resource is given by its name or its URN. A call rejects with the provider's message; see also {@link recordedBy}.
 */
export class ProviderCalls {
  constructor(readonly call: Call) {}

  /** The engine always makes this call first. */
  async configure(config: JsonObject, name = "default"): Promise<void> {
    await this.call("configure", new messages.ConfigureRequest().setName(name).setArgs(struct(config)));
  }

  async check(name: string, news: JsonObject, olds: JsonObject = {}) {
    const request = new messages.CheckRequest().setUrn(urnOf(name)).setOlds(struct(olds)).setNews(struct(news));
    const response = await this.call("check", request);
    return { inputs: jsonOf(response.getInputs()), failures: response.toObject().failuresList };
  }

  async diff(name: string, saved: Saved, news: JsonObject) {
    const response = await this.call("diff", changeOf(new messages.DiffRequest(), name, saved, news));
    return {
      /** `undefined` if the engine has to compare the inputs itself. */
      changes: changesOf.get(response.getChanges()),
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
      diffs: response.getDiffsList(),
      detailedDiff: detailsOf(response),
    };
  }

  async create(name: string, news: JsonObject, preview = false): Promise<Saved> {
    const request = new messages.CreateRequest().setUrn(urnOf(name)).setProperties(struct(news)).setPreview(preview);
    const response = await this.call("create", request);
    return { id: response.getId(), inputs: news, outputs: jsonOf(response.getProperties()) };
  }

  async update(name: string, saved: Saved, news: JsonObject, preview = false): Promise<Saved> {
    const request = changeOf(new messages.UpdateRequest(), name, saved, news).setPreview(preview);
    const response = await this.call("update", request);
    return { id: saved.id, inputs: news, outputs: jsonOf(response.getProperties()) };
  }

  async read(name: string, { id, inputs, outputs }: Saved) {
    const request = new messages.ReadRequest().setId(id).setUrn(urnOf(name));
    return foundIn(await this.call("read", request.setProperties(struct(outputs)).setInputs(struct(inputs))));
  }

  async import(name: string, id: string) {
    return foundIn(await this.call("read", new messages.ReadRequest().setId(id).setUrn(urnOf(name))));
  }

  /** The read without inputs: for a resource that a program gets with `get`, and for that resource's refresh. */
  get(name: string, id: string, outputs: JsonObject = {}) {
    return this.read(name, { id, inputs: {}, outputs });
  }

  async delete(name: string, { id, inputs, outputs }: Saved): Promise<void> {
    const request = new messages.DeleteRequest().setId(id).setUrn(urnOf(name));
    await this.call("delete", request.setProperties(struct(outputs)).setOldInputs(struct(inputs)));
  }

  async invoke(name: string, args: JsonObject = {}) {
    const request = new messages.InvokeRequest().setTok(`data-connectivity:index:${name}`).setArgs(struct(args));
    const response = await this.call("invoke", request);
    return { result: response.getReturn()?.toJavaScript(), failures: response.toObject().failuresList };
  }

  async cancel(): Promise<void> {
    await this.call("cancel", new Empty());
  }
}

function changeOf<Request extends messages.DiffRequest | messages.UpdateRequest>(
  request: Request,
  name: string,
  { id, inputs, outputs }: Saved,
  news: JsonObject,
): Request {
  request.setId(id).setUrn(urnOf(name)).setOldInputs(struct(inputs)).setOlds(struct(outputs)).setNews(struct(news));
  return request;
}

/** What a read found. The id is empty for a resource that is gone; the classes' host answers without inputs. */
function foundIn(response: messages.ReadResponse): Omit<Saved, "inputs"> & Partial<Pick<Saved, "inputs">> {
  const [inputs, outputs] = [response.getInputs(), response.getProperties()];
  return {
    id: response.getId(),
    outputs: outputs === undefined ? {} : jsonOf(outputs),
    ...(inputs !== undefined && { inputs: jsonOf(inputs) }),
  };
}

/** What the engine saves despite the error; undefined if the engine saves nothing. */
export function recordedBy(error: unknown): (Saved & { readonly reasons: readonly string[] }) | undefined {
  const metadata = error instanceof Error && "metadata" in error ? error.metadata : undefined;
  const details = metadata instanceof Metadata ? metadata.get("grpc-status-details-bin")[0] : undefined;
  if (!(details instanceof Uint8Array)) return undefined;
  const [any] = Status.deserializeBinary(details).getDetailsList();
  if (any === undefined) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  if (failed.getProperties() === undefined) return undefined;
  return {
    id: failed.getId(),
    // The classes' host sends no inputs.
    inputs: jsonOf(failed.getInputs() ?? new structs.Struct()),
    outputs: jsonOf(failed.getProperties()),
    reasons: failed.getReasonsList(),
  };
}

/** What the engine saves from a call that fails. */
export async function savedByFailed(call: Promise<Saved>): Promise<Saved> {
  const saved = recordedBy(await call.catch((error: unknown) => error));
  if (saved === undefined) throw new Error("The engine saves nothing of this call.");
  return saved;
}
