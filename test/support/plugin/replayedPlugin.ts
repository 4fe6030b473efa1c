import * as messages from "@pulumi/pulumi/proto/provider_pb";
import type { JsonObject } from "../../../provider/src/json.js";
import type { CreateResult, UpdateResult } from "../providerCalls.js";
import type { ReplayedProvider, ReplayedRequest } from "../replayedProvider.js";
import { ConfiguredPlugin } from "./configuredPlugin.js";
import { jsonOf, recordedBy, struct, type Saved } from "./pluginCalls.js";

const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
const kinds = new Map(Object.entries(messages.PropertyDiff.Kind).map(([name, kind]) => [kind, name]));

/** The plugin's process for recorded calls. Its answers have the form in which the engine logs them. */
export async function startReplayedPlugin(
  main: string,
  env: Readonly<Record<string, string>>,
): Promise<ReplayedProvider> {
  const plugin = await ConfiguredPlugin.startUnconfigured({ env, main });
  return {
    configure: (config) => plugin.configure("default", config),
    check: async ({ name, olds, news }) => {
      const response = await plugin.check(name, news, olds);
      return { inputs: jsonOf(response.getInputs()), failures: response.toObject().failuresList };
    },
    diff: async (request) => {
      const answer = await plugin.diff(request.name, savedIn(request, request.olds), request.news).catch(textOf);
      if (typeof answer === "string") return { error: answer };
      const changes = answer.getChanges();
      return {
        changes: changes === DIFF_SOME ? true : changes === DIFF_NONE ? false : undefined,
        replaces: answer.getReplacesList(),
        deleteBeforeReplace: answer.getDeletebeforereplace(),
        detailedDiff: detailsOf(answer),
      };
    },
    create: (properties, { name, preview }) => resultOf(() => plugin.create(name, properties, preview)),
    update: (request) =>
      resultOf(() => plugin.update(request.name, savedIn(request, request.olds), request.news, request.preview)),
    read: async (request) => {
      const isImport = Object.keys(request.properties).length === 0;
      const response = await (isImport
        ? plugin.import(request.name, request.id)
        : plugin.read(request.name, savedIn(request, request.properties)));
      if (response.getId() === "") return { id: "", properties: {} };
      const inputs = response.getInputs();
      const read = { id: response.getId(), properties: jsonOf(response.getProperties()) };
      return inputs === undefined ? read : { ...read, inputs: jsonOf(inputs) };
    },
    delete: async (request) => {
      await plugin.delete(request.name, savedIn(request, request.properties));
    },
    stop: async () => {
      // Ends the process as an engine does, so that the plugin caches V8's compiled code for its next start.
      plugin.process.kill("SIGINT");
      await plugin.process.ended;
      await plugin.stop();
    },
    stderr: () => plugin.said.join("\n"),
  };
}

const savedIn = ({ id, inputs }: ReplayedRequest, outputs: JsonObject): Saved => ({
  id,
  inputs,
  outputs: struct(outputs),
});

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

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function resultOf(work: () => Promise<Saved>): Promise<CreateResult & UpdateResult> {
  try {
    const { id, outputs } = await work();
    return { kind: "ok", id, properties: jsonOf(outputs) };
  } catch (error) {
    const recorded = recordedBy(error);
    if (recorded === undefined) return { kind: "error", message: textOf(error) };
    const { id, outputs, reasons } = recorded;
    return { kind: "initFailed", id, properties: jsonOf(outputs), reasons };
  }
}
