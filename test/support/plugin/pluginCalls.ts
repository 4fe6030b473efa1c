import { Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  ResourceProviderService,
  type IResourceProviderServer,
  type ResourceProviderClient,
} from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import type { Calls, RequestOf, ResponseOf } from "../../../provider/src/hosts/plugin/calls.js";
import { unmarshal, write, type Unmarshalled } from "../../../provider/src/hosts/plugin/wire.js";
import { isJson, isObject, type JsonObject } from "../../../provider/src/json.js";
import type { PropertyPath } from "../../../provider/src/propertyPath.js";

/** A resource as the state has it, in the form in which the plugin returned it. */
export interface Saved {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: structs.Struct;
}

type CalledName = "configure" | "check" | "diff" | "create" | "read" | "update" | "delete" | "invoke" | "cancel";
type Handling<Name extends CalledName> = Parameters<IResourceProviderServer[Name]>;
type Sent<Name extends CalledName> = Handling<Name>[0]["request"];
type Received<Name extends CalledName> = NonNullable<Parameters<Handling<Name>[1]>[1]>;

/** The calls as the engine makes them: the messages are the SDK's. */
type Called = { readonly [Name in CalledName]: (request: Sent<Name>) => Promise<Received<Name>> };

export const struct = (values: JsonObject) => structs.Struct.fromJavaScript(values);
export const valuesOf = (properties: structs.Struct | undefined): Unmarshalled => unmarshal(properties?.toJavaScript());

export const urnOf = (name: string, type = "CachingJob"): string =>
  name.startsWith("urn:") ? name : `urn:pulumi:test::acceptance::data-connectivity:index:${type}::${name}`;

/** The calls about one provider's resources; each resource is given by its name or its URN. */
export class PluginCalls {
  constructor(private readonly calls: Called) {}

  async configure(name: string, config: JsonObject): Promise<void> {
    await this.calls.configure(new messages.ConfigureRequest().setName(name).setArgs(struct(config)));
  }

  async check(name: string, news: JsonObject, olds: JsonObject = {}): Promise<messages.CheckResponse> {
    return this.calls.check(
      new messages.CheckRequest().setUrn(urnOf(name)).setOlds(struct(olds)).setNews(struct(news)),
    );
  }

  async diff(name: string, saved: Saved, news: JsonObject): Promise<messages.DiffResponse> {
    const request = new messages.DiffRequest()
      .setId(saved.id)
      .setUrn(urnOf(name))
      .setOldInputs(struct(saved.inputs))
      .setOlds(saved.outputs)
      .setNews(struct(news));
    return this.calls.diff(request);
  }

  async create(name: string, news: JsonObject, preview = false): Promise<Saved> {
    const request = new messages.CreateRequest().setUrn(urnOf(name)).setProperties(struct(news)).setPreview(preview);
    const response = await this.calls.create(request);
    return { id: response.getId(), inputs: news, outputs: propertiesOf(response) };
  }

  async previewCreate(name: string, news: JsonObject): Promise<Unmarshalled> {
    return valuesOf((await this.create(name, news, true)).outputs);
  }

  async update(name: string, saved: Saved, news: JsonObject, preview = false): Promise<Saved> {
    const request = new messages.UpdateRequest()
      .setId(saved.id)
      .setUrn(urnOf(name))
      .setOldInputs(struct(saved.inputs))
      .setOlds(saved.outputs)
      .setNews(struct(news))
      .setPreview(preview);
    return { id: saved.id, inputs: news, outputs: propertiesOf(await this.calls.update(request)) };
  }

  async read(name: string, { id, inputs, outputs }: Saved): Promise<messages.ReadResponse> {
    const request = new messages.ReadRequest().setId(id).setUrn(urnOf(name));
    return this.calls.read(request.setProperties(outputs).setInputs(struct(inputs)));
  }

  async import(name: string, id: string, type?: string): Promise<messages.ReadResponse> {
    return this.calls.read(new messages.ReadRequest().setId(id).setUrn(urnOf(name, type)));
  }

  /** The read without inputs: for a resource that a program gets with `get`, and for that resource's refresh. */
  async get(name: string, saved: Pick<Saved, "id" | "outputs">): Promise<messages.ReadResponse> {
    return this.read(name, { ...saved, inputs: {} });
  }

  async delete(name: string, { id, inputs, outputs }: Saved): Promise<Empty> {
    const request = new messages.DeleteRequest().setId(id).setUrn(urnOf(name));
    return this.calls.delete(request.setProperties(outputs).setOldInputs(struct(inputs)));
  }

  async invoke(tok: string, args: JsonObject): Promise<messages.InvokeResponse> {
    return this.calls.invoke(
      new messages.InvokeRequest().setTok(`data-connectivity:index:${tok}`).setArgs(struct(args)),
    );
  }

  async cancel(): Promise<Empty> {
    return this.calls.cancel(new Empty());
  }
}

/**
 * The answer to one call. An error is thrown as received, except that its message is the plugin's own: without the
 * code that gRPC puts before the message.
 */
export const answer = <Response>(
  call: (done: (error: ServiceError | null, response: Response) => void) => void,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    call((error, response) => {
      if (error === null) resolve(response);
      else reject(Object.assign(error, { message: error.details }));
    });
  });

/** The calls of a plugin in another process. */
export const callsOver = (client: ResourceProviderClient): Called => ({
  configure: (request) => answer((done) => client.configure(request, done)),
  check: (request) => answer((done) => client.check(request, done)),
  diff: (request) => answer((done) => client.diff(request, done)),
  create: (request) => answer((done) => client.create(request, done)),
  read: (request) => answer((done) => client.read(request, done)),
  update: (request) => answer((done) => client.update(request, done)),
  delete: (request) => answer((done) => client.delete(request, done)),
  invoke: (request) => answer((done) => client.invoke(request, done)),
  cancel: (request) => answer((done) => client.cancel(request, done)),
});

interface EngineSide<Name extends CalledName> {
  requestSerialize(request: Sent<Name>): Buffer;
  responseDeserialize(bytes: Buffer): Received<Name>;
}
interface PluginSide<Name extends CalledName> {
  requestDeserialize(bytes: Buffer): RequestOf<Name>;
  responseSerialize(response: ResponseOf<Name>): Buffer;
}
const engineSides: { readonly [Name in CalledName]: EngineSide<Name> } = ResourceProviderService;
const pluginSides: { readonly [Name in CalledName]: PluginSide<Name> } = ResourceProviderService;

/** The calls of a plugin in this process, with the messages encoded in between. */
export const callsHere = (calls: Pick<Calls, CalledName>): Called => ({
  configure: overBytes(calls, "configure"),
  check: overBytes(calls, "check"),
  diff: overBytes(calls, "diff"),
  create: overBytes(calls, "create"),
  read: overBytes(calls, "read"),
  update: overBytes(calls, "update"),
  delete: overBytes(calls, "delete"),
  invoke: overBytes(calls, "invoke"),
  cancel: overBytes(calls, "cancel"),
});

const overBytes =
  <Name extends CalledName>(calls: Pick<Calls, CalledName>, name: Name) =>
  async (request: Sent<Name>): Promise<Received<Name>> => {
    const engine: EngineSide<Name> = engineSides[name];
    const plugin: PluginSide<Name> = pluginSides[name];
    const response = await calls[name](plugin.requestDeserialize(engine.requestSerialize(request)));
    return engine.responseDeserialize(plugin.responseSerialize(response));
  };

function propertiesOf(response: { getProperties(): structs.Struct | undefined }): structs.Struct {
  const properties = response.getProperties();
  if (properties === undefined) throw new Error("The plugin answered without properties.");
  return properties;
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
