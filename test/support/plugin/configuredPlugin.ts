import { Metadata } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import { unmarshal, type Unmarshalled } from "../../../provider/src/hosts/plugin/wire.js";
import { isJson, isObject, type JsonObject } from "../../../provider/src/json.js";
import { declaration } from "../declaration.js";
import { start } from "../emulated.js";
import type { TestServerOptions } from "../emulator/index.js";
import { RequestWatch } from "../requestWatch.js";
import { startFakeEngine, type FakeEngine } from "./fakeEngine.js";
import { answer, startPlugin, stopPlugins, type PluginProcess } from "./pluginProcess.js";

export const urnOf = (name: string, type = "CachingJob"): string =>
  `urn:pulumi:test::acceptance::data-connectivity:index:${type}::${name}`;

/** A value that is marked as a secret. */
export const secret = (value: string | JsonObject): JsonObject => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** The inputs of a caching job of this table. */
export const inputs = (sourceTable: string | JsonObject = "ORDERS", more: JsonObject = {}): JsonObject => ({
  ...declaration,
  params: { ...declaration.params, sourceTable },
  ...more,
});

/** A resource as a state has it: the form in which the plugin gave it. */
export interface Saved {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: structs.Struct;
}

const struct = (values: JsonObject) => structs.Struct.fromJavaScript(values);
export const valuesOf = (properties: structs.Struct | undefined): Unmarshalled => unmarshal(properties?.toJavaScript());

const engines = new Set<FakeEngine>();

/** Stops the plugins and engines that this file's tests have started. */
export async function stopEngines(): Promise<void> {
  await stopPlugins();
  for (const engine of engines) engine.kill();
  engines.clear();
}

/** The plugin's process as its engine calls it, one provider resource of a run. */
export class ConfiguredPlugin {
  private constructor(
    readonly engine: FakeEngine,
    readonly process: PluginProcess,
  ) {}

  static async start(
    config: JsonObject,
    { name = "default", env = {}, engine }: { name?: string; env?: NodeJS.ProcessEnv; engine?: FakeEngine } = {},
  ): Promise<ConfiguredPlugin> {
    const of = engine ?? (await startFakeEngine());
    engines.add(of);
    const plugin = new ConfiguredPlugin(of, await startPlugin([of.address], env));
    const request = new messages.ConfigureRequest().setName(name).setArgs(struct(config));
    await answer((done) => plugin.client.configure(request, done));
    return plugin;
  }

  get client(): PluginProcess["client"] {
    return this.process.client;
  }

  /** The lines that the user sees, with the names of the resources that they stand at. */
  get said(): readonly string[] {
    return this.engine.logged.map(({ message, urn }) => `[${urn.split("::").pop() ?? ""}] ${message}`);
  }

  check(name: string, news: JsonObject, olds: JsonObject = {}): Promise<messages.CheckResponse> {
    const request = new messages.CheckRequest().setUrn(urnOf(name)).setOlds(struct(olds)).setNews(struct(news));
    return answer((done) => this.client.check(request, done));
  }

  diff(name: string, saved: Saved, news: JsonObject): Promise<messages.DiffResponse> {
    const request = new messages.DiffRequest()
      .setId(saved.id)
      .setUrn(urnOf(name))
      .setOldInputs(struct(saved.inputs))
      .setOlds(saved.outputs)
      .setNews(struct(news));
    return answer((done) => this.client.diff(request, done));
  }

  async create(name: string, news: JsonObject): Promise<Saved> {
    const request = new messages.CreateRequest().setUrn(urnOf(name)).setProperties(struct(news));
    const response = await answer<messages.CreateResponse>((done) => this.client.create(request, done));
    return { id: response.getId(), inputs: news, outputs: propertiesOf(response) };
  }

  async previewCreate(name: string, news: JsonObject): Promise<Unmarshalled> {
    const request = new messages.CreateRequest().setUrn(urnOf(name)).setProperties(struct(news)).setPreview(true);
    return valuesOf(
      (await answer<messages.CreateResponse>((done) => this.client.create(request, done))).getProperties(),
    );
  }

  async update(name: string, saved: Saved, news: JsonObject, preview = false): Promise<Saved> {
    const request = new messages.UpdateRequest()
      .setId(saved.id)
      .setUrn(urnOf(name))
      .setOldInputs(struct(saved.inputs))
      .setOlds(saved.outputs)
      .setNews(struct(news))
      .setPreview(preview);
    const response = await answer<messages.UpdateResponse>((done) => this.client.update(request, done));
    return { id: saved.id, inputs: news, outputs: propertiesOf(response) };
  }

  read(name: string, { id, inputs: given, outputs }: Saved): Promise<messages.ReadResponse> {
    const request = new messages.ReadRequest()
      .setId(id)
      .setUrn(urnOf(name))
      .setProperties(outputs)
      .setInputs(struct(given));
    return answer((done) => this.client.read(request, done));
  }

  import(name: string, id: string, type?: string): Promise<messages.ReadResponse> {
    const request = new messages.ReadRequest().setId(id).setUrn(urnOf(name, type));
    return answer((done) => this.client.read(request, done));
  }

  delete(name: string, { id, inputs: given, outputs }: Saved): Promise<Empty> {
    const request = new messages.DeleteRequest()
      .setId(id)
      .setUrn(urnOf(name))
      .setProperties(outputs)
      .setOldInputs(struct(given));
    return answer((done) => this.client.delete(request, done));
  }

  invoke(tok: string, args: JsonObject): Promise<messages.InvokeResponse> {
    const request = new messages.InvokeRequest().setTok(`data-connectivity:index:${tok}`).setArgs(struct(args));
    return answer((done) => this.client.invoke(request, done));
  }

  cancel(): Promise<Empty> {
    return answer((done) => this.client.cancel(new Empty(), done));
  }
}

function propertiesOf(response: { getProperties(): structs.Struct | undefined }): structs.Struct {
  const properties = response.getProperties();
  if (properties === undefined) throw new Error("The plugin answered without properties.");
  return properties;
}

/** What an error tells the engine to save all the same; undefined where it is only an error. */
export function recordedBy(error: unknown): (Saved & { readonly reasons: readonly string[] }) | undefined {
  const metadata = error instanceof Error && "metadata" in error ? error.metadata : undefined;
  const details = metadata instanceof Metadata ? metadata.get("grpc-status-details-bin")[0] : undefined;
  if (!(details instanceof Uint8Array)) return undefined;
  const [any] = Status.deserializeBinary(details).getDetailsList();
  if (any === undefined) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  const outputs = failed.getProperties();
  if (outputs === undefined) return undefined;
  return { id: failed.getId(), inputs: jsonOf(failed.getInputs()), outputs, reasons: failed.getReasonsList() };
}

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && isJson(value);

/** With its marks, as the engine hands it over again. */
function jsonOf(properties: structs.Struct | undefined): JsonObject {
  const values: unknown = properties?.toJavaScript();
  if (isJsonObject(values)) return values;
  throw new Error("The plugin answered without inputs.");
}

/** A service, and a plugin that is configured for it. */
export async function pluginAt(config: JsonObject = {}, options: TestServerOptions = {}) {
  const watch = new RequestWatch();
  const service = await start({ ...options, onRequest: watch.onRequest });
  const { baseUrl, token } = service;
  const plugin = await ConfiguredPlugin.start({ baseUrl, token: secret(token), ...config });
  return { service, plugin, watch };
}
