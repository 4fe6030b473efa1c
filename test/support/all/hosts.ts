import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import { pluginType } from "../../../provider/src/hosts/engineNames.js";
import { unmarshal } from "../../../provider/src/hosts/protocolValues.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { isObject, membersOf, type JsonObject } from "../../../provider/src/json.js";
import { declaredMembers } from "../../../provider/src/lifecycle/resource.js";
import type { FakeEngine } from "../plugin/fakeEngine.js";
import { marked } from "../plugin/pluginCalls.js";
import { pluginHere } from "../plugin/pluginHere.js";
import { providerCalls, type ChangeResult, type ProviderCalls } from "../providerCalls.js";
import { startPluginProcess, startProviderProcess } from "../providerProcess.js";
import { refusalText, rejectionText } from "../refusals.js";
import { kindOf, stackUrn, textsOf, type Config, type RunOptions } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

/** How settings and resources pass between the simulated stack and one host's provider. */
interface Encoding {
  readonly settings: (config: Config) => JsonObject;
  readonly sent: (members: Declaration) => JsonObject;
  /** What the stack saves of a reply. `members`: what the call was about. */
  readonly received: (values: JsonObject, members: Declaration) => Declaration;
  /** What the stack keeps of an unchanged resource. */
  readonly unchanged: RunProvider["unchanged"];
}

const identityMember = "__resource";

/** The values, with the identity of the declaration's resource, if it has one. */
const like = ({ [identityMember]: identity }: Declaration, values: Declaration): Declaration =>
  identity === undefined ? values : { ...values, [identityMember]: identity };

/** The classes' declarations, as the class sends them. */
export const ofClasses: Encoding = {
  settings: textsOf,
  sent: (inputs) => {
    const name = kindOf(inputs).resource.replace(/^./, (letter) => letter.toLowerCase());
    const handler = `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").${name}`;
    return marked({ __provider: handler, ...inputs }, []);
  },
  received: (values) => values,
  unchanged: (outputs) => outputs,
};

/** The URN and the marked secrets, as the engine passes them to the plugin, replace what the class adds. */
const ofPlugin: Encoding = {
  settings: (config) => marked(config, [["token"], ["accounts"]]),
  sent: ({ [identityMember]: identity, ...values }) => {
    const outputs = isObject(identity) && Array.isArray(identity["outputs"]) ? identity["outputs"].map(String) : [];
    const plain = isPlain({ ...values, [identityMember]: identity }, "params");
    const secrets = [...(plain ? [] : ["params", "additionalParams", "job"]), ...outputs];
    return marked(
      values,
      secrets.map((member) => [member]),
    );
  },
  received: (values, members) => like(members, unmarshal(values).values),
  // The engine passes the URN of the current declaration.
  unchanged: (outputs, inputs) => like(inputs, outputs),
};

const hosts = {
  dynamic: { encoding: ofClasses, start: startProviderProcess },
  plugin: { encoding: ofPlugin, start: startPluginProcess },
};

/** A provider in a process of its own. */
export type StartedProvider = Awaited<ReturnType<typeof startHost>>;

/** Starts a new provider process for one run, as the engine does for each pulumi command. `stopAll` stops the process. */
export async function startHost(
  host: keyof typeof hosts,
  config: Config,
  options?: { readonly env?: NodeJS.ProcessEnv; readonly engine?: FakeEngine },
) {
  const { encoding, start } = hosts[host];
  const provider = await start(options);
  const { engine, process, said } = provider;
  await provider.configure(encoding.settings(config));
  return {
    ...providerOver(provider, encoding),
    process,
    /** Everything that a user could read so far, apart from the replies to the calls. */
    said,
    /** Makes the engine look dead to the process from now on. */
    closeEngine: async () => {
      engine.kill();
      // A dynamic provider keeps running when its engine is gone, so its input stays open: closing it would end the
      // process only because of the tests' preload.
      if (host === "dynamic") return;
      process.closeInput();
      await process.ended;
    },
    end: async () => {
      await provider.stop();
      return said();
    },
  };
}

/** The plugin without a process around it. */
export async function runInPlugin(config: Config, { env = {}, ...client }: RunOptions = {}): Promise<RunProvider> {
  const lines: string[] = [];
  const calls = providerCalls(pluginHere((line) => void lines.push(line), env, client));
  await calls.configure(ofPlugin.settings(config));
  return { ...providerOver(calls, ofPlugin), end: () => Promise.resolve(lines.join("\n")) };
}

/** A provider of one run, behind the calls of the engine's protocol. */
function providerOver(calls: ProviderCalls, { sent, received, unchanged }: Encoding): Omit<RunProvider, "end"> {
  const inputsIn = (outputs: Declaration) => sent(like(outputs, declaredMembers({ ...outputs, jobId: undefined })));
  const savedIn = (id: string, outputs: Declaration) => ({
    name: urnIn(outputs),
    id,
    inputs: inputsIn(outputs),
    props: sent(outputs),
  });
  const changeOf = (id: string, olds: Declaration, news: Declaration) => ({
    ...savedIn(id, olds),
    name: urnIn(news),
    olds: sent(olds),
    news: sent(news),
  });
  const resultOf = (members: Declaration, result: ChangeResult): Result => {
    if (result.kind === "error") return { kind: "error", message: refusalText(result.message) };
    const saved = { id: result.id, outputs: received(result.properties, members) };
    return result.kind === "ok"
      ? { kind: "ok", ...saved }
      : { kind: "initFailed", ...saved, message: result.reasons.join("\n") };
  };
  return {
    unchanged,
    check: async (olds, news) => {
      const isNew = Object.keys(olds).length === 0;
      const request = { name: urnIn(news), olds: isNew ? {} : inputsIn(olds), news: sent(news) };
      const { inputs, failures } = await calls.check(request);
      return { inputs: received(inputs, news), failures: failures.map(({ reason }) => reason) };
    },
    diff: async (id, olds, news) => {
      const answer = await calls.diff(changeOf(id, olds, news));
      return answer.error === undefined ? answer.changes !== false : { error: refusalText(answer.error) };
    },
    create: async (inputs) => resultOf(inputs, await calls.create(sent(inputs), { name: urnIn(inputs) })),
    update: async (id, olds, news) => resultOf(news, await calls.update(changeOf(id, olds, news))),
    read: async (id, outputs) => {
      const saved = savedIn(id, outputs);
      const found = await calls.read(saved).catch(refused);
      if ("kind" in found) return found;
      if (found.id === "") return undefined;
      // After a read the engine calls diff, only to display what changed.
      const shown = await calls.diff({ ...saved, id: found.id, olds: found.properties, news: saved.inputs });
      expect(shown.error).toBeUndefined();
      return { kind: "ok", id: found.id, outputs: received(found.properties, outputs) };
    },
    delete: (id, outputs) =>
      calls.delete(savedIn(id, outputs)).then((): Result => ({ kind: "ok", id: "", outputs: {} }), refused),
  };
}

const refused = (error: unknown): Result => ({ kind: "error", message: rejectionText(error) });

/** The URN of the resource with these members. */
export function urnIn(members: Declaration): string {
  const identity = members[identityMember];
  const { name = "unnamed", parent } = membersOf(identity);
  const types = [...(typeof parent === "string" ? [parent] : []), pluginType(kindOf(members))];
  return `${stackUrn}::${types.join("$")}::${String(name)}`;
}
