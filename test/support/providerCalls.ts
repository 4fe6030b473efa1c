import * as messages from "@pulumi/pulumi/proto/provider_pb";
import type { JsonObject } from "../../provider/src/json.js";
import { jsonOf, recordedBy, struct, type PluginCalls, type Saved } from "./plugin/pluginCalls.js";

/** The arguments of a call, each left out where it is empty. The classes' host ignores all but `id`, `olds`, `news` and `props`. */
interface CallRequest {
  /** The resource's name or URN. */
  readonly name?: string;
  readonly id?: string;
  readonly olds?: JsonObject;
  readonly news?: JsonObject;
  readonly props?: JsonObject;
  /** The saved inputs. */
  readonly inputs?: JsonObject;
  readonly preview?: boolean;
}

export type ChangeResult =
  | { readonly kind: "ok"; readonly id: string; readonly properties: JsonObject }
  /** The resource is saved and the run fails. */
  | {
      readonly kind: "initFailed";
      readonly id: string;
      readonly properties: JsonObject;
      readonly reasons: readonly string[];
    }
  | { readonly kind: "error"; readonly message: string };

const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
const changesOf = new Map<number, boolean>([
  [DIFF_SOME, true],
  [DIFF_NONE, false],
]);
const kinds = new Map(Object.entries(messages.PropertyDiff.Kind).map(([name, kind]) => [kind, name]));

/**
 * A provider's calls, with answers in the form in which the engine logs them. They fit both hosts: the SDK's process
 * speaks the same protocol as the plugin. `configure`, `check`, `read` and `delete` reject with an error's message; the
 * other calls return it.
 */
export const providerCalls = (calls: PluginCalls) => ({
  /** The engine always makes this call first. */
  configure: (config: JsonObject) => calls.configure("default", config),
  check: async ({ name = "", olds = {}, news = {} }: CallRequest) => {
    const response = await calls.check(name, news, olds);
    return { inputs: jsonOf(response.getInputs()), failures: response.toObject().failuresList };
  },
  diff: async ({ olds, ...request }: CallRequest) => {
    const answer = await calls.diff(request.name ?? "", savedIn(request, olds), request.news ?? {}).catch(textOf);
    if (typeof answer === "string") return { error: answer };
    /** `undefined` when the engine has to compare the inputs itself. */
    const changes = changesOf.get(answer.getChanges());
    return { changes, replaces: answer.getReplacesList(), detailedDiff: detailsOf(answer) };
  },
  create: (properties: JsonObject, { name = "", preview }: CallRequest = {}) =>
    resultOf(calls.create(name, properties, preview)),
  update: ({ name = "", olds, news = {}, preview, ...request }: CallRequest) =>
    resultOf(calls.update(name, savedIn(request, olds), news, preview)),
  /** The id is empty for a resource that is gone. */
  read: async ({ name = "", id = "", inputs = {}, props = {} }: CallRequest) => {
    const isImport = Object.keys(props).length === 0;
    const response = await (isImport ? calls.import(name, id) : calls.read(name, savedIn({ id, inputs }, props)));
    if (response.getId() === "") return { id: "", properties: {} };
    const found = response.getInputs();
    const read = { id: response.getId(), properties: jsonOf(response.getProperties()) };
    return found === undefined ? read : { ...read, inputs: jsonOf(found) };
  },
  delete: async ({ name = "", props, ...request }: CallRequest) => {
    await calls.delete(name, savedIn(request, props));
  },
});

export type ProviderCalls = ReturnType<typeof providerCalls>;

const savedIn = ({ id = "", inputs = {} }: CallRequest, outputs: JsonObject = {}): Saved => ({
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

async function resultOf(change: Promise<Saved>): Promise<ChangeResult> {
  try {
    const { id, outputs } = await change;
    return { kind: "ok", id, properties: jsonOf(outputs) };
  } catch (error) {
    const recorded = recordedBy(error);
    if (recorded === undefined) return { kind: "error", message: textOf(error) };
    const { id, outputs, reasons } = recorded;
    return { kind: "initFailed", id, properties: jsonOf(outputs), reasons };
  }
}
