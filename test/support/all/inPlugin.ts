import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import { pluginType } from "../../../provider/src/hosts/engineNames.js";
import { declaredMembers, type Declaration } from "../../../provider/src/jobs/index.js";
import { isObject, type JsonObject } from "../../../provider/src/json.js";
import { marked, recordedBy, struct, valuesOf, type PluginCalls, type Saved } from "../plugin/pluginCalls.js";
import { pluginHere } from "../plugin/pluginHere.js";
import { rejectionText } from "../refusals.js";
import { kindOf, type Config, type RunOptions } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

/** The plugin without a process around it. */
export async function runInPlugin(config: Config, { env = {}, ...client }: RunOptions = {}): Promise<RunProvider> {
  const lines: string[] = [];
  const plugin = pluginHere((line) => void lines.push(line), env, client);
  await plugin.configure("default", inputsOf(config));
  return { ...callsOf(plugin), end: () => Promise.resolve(lines.join("\n")) };
}

/** The settings of a provider. */
export const inputsOf = (config: Config): JsonObject => marked(config, [["token"], ["accounts"]]);

/** The plugin's calls. The URN and the marked secrets, as the engine passes them, replace what the class adds. */
export function callsOf(plugin: PluginCalls): Omit<RunProvider, "end"> {
  return {
    // The engine passes the URN of the current declaration.
    same: (outputs, { [identityMember]: identity }) => ({ ...outputs, [identityMember]: identity }),
    check: async (olds, news) => {
      const response = await plugin.check(urnIn(news), sent(news), sent(declaredMembers(olds)));
      const { values } = valuesOf(response.getInputs());
      return { inputs: like(news, values), failures: response.getFailuresList().map((failure) => failure.getReason()) };
    },
    diff: async (id, olds, news) => {
      const answer = await plugin.diff(urnIn(news), savedIn(id, olds), sent(news)).catch(rejectionText);
      return typeof answer === "string" ? { error: answer } : answer.getChanges() === DIFF_SOME;
    },
    create: (inputs) => caught(inputs, () => plugin.create(urnIn(inputs), sent(inputs))),
    update: (id, olds, news) => caught(news, () => plugin.update(urnIn(news), savedIn(id, olds), sent(news))),
    read: async (id, outputs) => {
      const saved = savedIn(id, outputs);
      const response = await plugin.read(urnIn(outputs), saved).catch(rejectionText);
      if (typeof response === "string") return { kind: "error", message: response };
      const properties = response.getProperties();
      if (properties === undefined) return undefined;
      // After a read the engine calls diff, only to display what changed.
      const found = { id: response.getId(), inputs: saved.inputs, outputs: properties };
      await plugin.diff(urnIn(outputs), found, saved.inputs);
      return { kind: "ok", id: found.id, outputs: like(outputs, valuesOf(properties).values) };
    },
    delete: (id, outputs) =>
      caught(outputs, async () => {
        const saved = savedIn(id, outputs);
        await plugin.delete(urnIn(outputs), saved);
        return saved;
      }),
  };
}

const { DIFF_SOME } = messages.DiffResponse.DiffChanges;

const identityMember = "__resource";

/** The plugin's reply, with the identity that the simulated stack saves. */
const like = ({ [identityMember]: identity }: Declaration, values: Declaration): Declaration =>
  identity === undefined ? values : { ...values, [identityMember]: identity };

function urnIn(members: Declaration): string {
  const identity = members[identityMember];
  const { name = "unnamed", parent } = isObject(identity) ? identity : {};
  const types = [...(typeof parent === "string" ? [parent] : []), pluginType(kindOf(members))];
  return `urn:pulumi:test::acceptance::${types.join("$")}::${String(name)}`;
}

function sent({ [identityMember]: identity, ...values }: Declaration): JsonObject {
  const outputs = isObject(identity) && Array.isArray(identity["outputs"]) ? identity["outputs"].map(String) : [];
  const plain = isPlain({ ...values, [identityMember]: identity }, "params");
  return marked(
    values,
    [...(plain ? [] : ["params", "additionalParams", "job"]), ...outputs].map((member) => [member]),
  );
}

const savedIn = (id: string, outputs: Declaration): Saved => ({
  id,
  inputs: sent(like(outputs, declaredMembers({ ...outputs, jobId: undefined }))),
  outputs: struct(sent(outputs)),
});

async function caught(members: Declaration, work: () => Promise<Saved>): Promise<Result> {
  try {
    const { id, outputs } = await work();
    return { kind: "ok", id, outputs: like(members, valuesOf(outputs).values) };
  } catch (error) {
    const recorded = recordedBy(error);
    if (recorded === undefined) return { kind: "error", message: rejectionText(error) };
    const { id, outputs, reasons } = recorded;
    return { kind: "initFailed", id, outputs: like(members, valuesOf(outputs).values), message: reasons.join("\n") };
  }
}
