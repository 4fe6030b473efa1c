import { Metadata, type Client, type MethodDefinition } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import type { CallName, RequestOf, ResponseOf } from "../../../provider/src/hosts/plugin/calls.js";
import { write } from "../../../provider/src/hosts/plugin/wire.js";
import { unmarshal, type Unmarshalled } from "../../../provider/src/hosts/protocolValues.js";
import { isJson, isObject, type JsonObject } from "../../../provider/src/json.js";
import type { PropertyPath } from "../../../provider/src/propertyPath.js";

/** A resource as the state has it, in the form in which the plugin returned it. */
export interface Saved {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: structs.Struct;
}

/** Makes one call as the engine does: the messages are the SDK's. */
export type Call = <Name extends CallName>(name: Name, request: RequestOf<Name>) => Promise<ResponseOf<Name>>;

export const struct = (values: JsonObject) => structs.Struct.fromJavaScript(values);
export const valuesOf = (properties: structs.Struct | undefined): Unmarshalled => unmarshal(properties?.toJavaScript());

export const urnOf = (name: string, type = "CachingJob"): string =>
  name.startsWith("urn:") ? name : `urn:pulumi:test::acceptance::data-connectivity:index:${type}::${name}`;

/** The calls about one provider's resources; each resource is given by its name or its URN. */
export class PluginCalls {
  constructor(readonly call: Call) {}

  async configure(name: string, config: JsonObject): Promise<void> {
    await this.call("configure", new messages.ConfigureRequest().setName(name).setArgs(struct(config)));
  }

  async check(name: string, news: JsonObject, olds: JsonObject = {}): Promise<messages.CheckResponse> {
    return this.call(
      "check",
      new messages.CheckRequest().setUrn(urnOf(name)).setOlds(struct(olds)).setNews(struct(news)),
    );
  }

  async diff(name: string, saved: Saved, news: JsonObject): Promise<messages.DiffResponse> {
    return this.call("diff", changeOf(new messages.DiffRequest(), name, saved, news));
  }

  async create(name: string, news: JsonObject, preview = false): Promise<Saved> {
    const request = new messages.CreateRequest().setUrn(urnOf(name)).setProperties(struct(news)).setPreview(preview);
    const response = await this.call("create", request);
    return { id: response.getId(), inputs: news, outputs: propertiesOf(response) };
  }

  async previewCreate(name: string, news: JsonObject): Promise<Unmarshalled> {
    return valuesOf((await this.create(name, news, true)).outputs);
  }

  async update(name: string, saved: Saved, news: JsonObject, preview = false): Promise<Saved> {
    const request = changeOf(new messages.UpdateRequest(), name, saved, news).setPreview(preview);
    return { id: saved.id, inputs: news, outputs: propertiesOf(await this.call("update", request)) };
  }

  async read(name: string, { id, inputs, outputs }: Saved): Promise<messages.ReadResponse> {
    const request = new messages.ReadRequest().setId(id).setUrn(urnOf(name));
    return this.call("read", request.setProperties(outputs).setInputs(struct(inputs)));
  }

  async import(name: string, id: string, type?: string): Promise<messages.ReadResponse> {
    return this.call("read", new messages.ReadRequest().setId(id).setUrn(urnOf(name, type)));
  }

  /** The read without inputs: for a resource that a program gets with `get`, and for that resource's refresh. */
  async get(name: string, saved: Pick<Saved, "id" | "outputs">): Promise<messages.ReadResponse> {
    return this.read(name, { ...saved, inputs: {} });
  }

  async delete(name: string, { id, inputs, outputs }: Saved): Promise<Empty> {
    const request = new messages.DeleteRequest().setId(id).setUrn(urnOf(name));
    return this.call("delete", request.setProperties(outputs).setOldInputs(struct(inputs)));
  }

  async invoke(tok: string, args: JsonObject): Promise<messages.InvokeResponse> {
    return this.call(
      "invoke",
      new messages.InvokeRequest().setTok(`data-connectivity:index:${tok}`).setArgs(struct(args)),
    );
  }

  async cancel(): Promise<Empty> {
    return this.call("cancel", new Empty());
  }
}

function changeOf<Request extends messages.DiffRequest | messages.UpdateRequest>(
  request: Request,
  name: string,
  { id, inputs, outputs }: Saved,
  news: JsonObject,
): Request {
  request.setId(id).setUrn(urnOf(name)).setOldInputs(struct(inputs)).setOlds(outputs).setNews(struct(news));
  return request;
}

/** How the SDK encodes each call. */
export const methods: { readonly [Name in CallName]: MethodDefinition<RequestOf<Name>, ResponseOf<Name>> } =
  ResourceProviderService;

/**
 * The calls to a plugin in another process. An error is thrown as received, except that its message is the plugin's own:
 * without the code that gRPC puts before the message.
 */
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

/** The outputs in an answer, which must have some. */
export function propertiesOf(response: { getProperties(): structs.Struct | undefined }): structs.Struct {
  const properties = response.getProperties();
  if (properties === undefined) throw new Error("The plugin answered without properties.");
  return properties;
}

/** What the engine saves of a create that fails. */
export async function savedByFailed(create: Promise<Saved>): Promise<Saved> {
  const saved = recordedBy(await create.catch((error: unknown) => error));
  if (saved === undefined) throw new Error("The engine saves nothing of this create.");
  return saved;
}

/** What the engine saves despite the error; undefined if the engine saves nothing. */
export function recordedBy(error: unknown): (Saved & { readonly reasons: readonly string[] }) | undefined {
  const metadata = error instanceof Error && "metadata" in error ? error.metadata : undefined;
  const details = metadata instanceof Metadata ? metadata.get("grpc-status-details-bin")[0] : undefined;
  if (!(details instanceof Uint8Array)) return undefined;
  const [any] = Status.deserializeBinary(details).getDetailsList();
  if (any === undefined) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  const outputs = failed.getProperties();
  if (outputs === undefined) return undefined;
  // The classes' host sends no inputs.
  const inputs = jsonOf(failed.getInputs() ?? new structs.Struct());
  return { id: failed.getId(), inputs, outputs, reasons: failed.getReasonsList() };
}

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && isJson(value);

/** Values as the engine passes them: without undefined members, and with secrets marked. */
export const marked = (values: Readonly<Record<string, unknown>>, secrets: readonly PropertyPath[]): JsonObject =>
  jsonOf(write(values, secrets));

/** The properties with their secret marks, as the engine passes them back. */
export function jsonOf(properties: structs.Struct | undefined): JsonObject {
  const values: unknown = properties?.toJavaScript();
  if (isJsonObject(values)) return values;
  throw new Error("The plugin answered without values.");
}
