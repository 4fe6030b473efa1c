import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import { pluginType } from "../../../provider/src/hosts/engineNames.js";
import { unmarshal } from "../../../provider/src/hosts/protocolValues.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { isObject, membersOf, type JsonObject } from "../../../provider/src/json.js";
import { declaredMembers } from "../../../provider/src/lifecycle/resource.js";
import type { ProviderCalls } from "../driver/calls.js";
import { marked, recordedBy, type Saved } from "../driver/calls.js";
import { pluginHere } from "../driver/here.js";
import { startProcess, startUnderEngine, type Host, type ProcessOptions } from "../driver/process.js";
import { rejectionText } from "../refusals.js";
import { kindOf, ownStack, textsOf, type Config, type RunOptions } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

/** A function of values that nobody changes, which computes each result once. */
function remembered<From extends object, To>(compute: (from: From) => To): (from: From) => To {
  const known = new WeakMap<From, To>();
  return (from) => {
    const result = known.get(from) ?? compute(from);
    known.set(from, result);
    return result;
  };
}

/** How settings and resources pass between the simulated stack and one host's provider. */
interface Encoding {
  readonly settings: (config: Config) => JsonObject;
  readonly sent: (members: Declaration) => JsonObject;
  /** What the stack saves from a reply. `members`: what the call was about. */
  readonly received: (values: JsonObject, members: Declaration) => Declaration;
  /** What the stack keeps for an unchanged resource. */
  readonly unchanged: RunProvider["unchanged"];
}

const identityMember = "__resource";

/** The values, with the identity of the declaration's resource, if it has one. */
const like = ({ [identityMember]: identity }: Declaration, values: Declaration): Declaration =>
  identity === undefined ? values : { ...values, [identityMember]: identity };

/** The classes' declarations, as the class sends them. */
export const ofClasses: Encoding = {
  settings: textsOf,
  sent: remembered((inputs: Declaration) => {
    const name = kindOf(inputs).resource.replace(/^./, (letter) => letter.toLowerCase());
    const handler = `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").${name}`;
    return marked({ __provider: handler, ...inputs }, []);
  }),
  received: (values) => values,
  unchanged: (outputs) => outputs,
};

/** What the class adds is replaced by the URN and the marked secrets, as the engine passes them to the plugin. */
export const ofPlugin: Encoding = {
  settings: (config) => marked(config, [["token"], ["accounts"]]),
  sent: remembered(({ [identityMember]: identity, ...values }: Declaration) => {
    const outputs = isObject(identity) && Array.isArray(identity["outputs"]) ? identity["outputs"].map(String) : [];
    const plain = isPlain({ ...values, [identityMember]: identity }, "params");
    const secrets = [...(plain ? [] : ["params", "additionalParams", "job"]), ...outputs];
    return marked(
      values,
      secrets.map((member) => [member]),
    );
  }),
  received: (values, members) => like(members, unmarshal(values).values),
  // The engine passes the URN of the current declaration.
  unchanged: (outputs, inputs) => like(inputs, outputs),
};

const encodings = { dynamic: ofClasses, plugin: ofPlugin };

/** A provider in a process of its own. */
export type StartedProvider = Awaited<ReturnType<typeof startHost>>;

/** Starts a new provider process for one run, as the engine does for each pulumi command. `stopAll` stops the process. */
export async function startHost(host: Host, config: Config, options?: ProcessOptions) {
  const provider = await startProcess(host, options);
  await provider.configure(encodings[host].settings(config));
  const { engine, process } = provider;
  return {
    ...providerOver(provider, encodings[host]),
    process,
    /** Everything that a user could read so far, apart from the replies to the calls. */
    said: () => provider.said(),
    /** Makes the engine look dead to the process, which then ends. */
    closeEngine: async () => {
      engine.kill();
      await process.ended;
    },
    end: async () => {
      await provider.stop();
      return provider.said();
    },
  };
}

/** The same under an engine's process, which a test can kill. */
export async function startHostUnderEngine(host: Host, config: Config, options?: Pick<ProcessOptions, "env">) {
  const { provider, ...engine } = await startUnderEngine(host, options);
  await provider.configure(encodings[host].settings(config));
  return { ...providerOver(provider, encodings[host]), ...engine };
}

/** The plugin without a process around it. */
export async function runInPlugin(config: Config, { env = {}, ...client }: RunOptions = {}): Promise<RunProvider> {
  const lines: string[] = [];
  const calls = pluginHere((line) => void lines.push(line), env, client);
  await calls.configure(ofPlugin.settings(config));
  return { ...providerOver(calls, ofPlugin), end: () => Promise.resolve(lines.join("\n")) };
}

/** The declaration in outputs. */
const declaredIn = remembered((outputs: Declaration) =>
  like(outputs, declaredMembers({ ...outputs, jobId: undefined })),
);

/** A provider of one run, behind the calls of the engine's protocol. */
export function providerOver(calls: ProviderCalls, { sent, received, unchanged }: Encoding): Omit<RunProvider, "end"> {
  const inputsIn = (outputs: Declaration) => sent(declaredIn(outputs));
  const savedIn = (id: string, outputs: Declaration): Saved => ({
    id,
    inputs: inputsIn(outputs),
    outputs: sent(outputs),
  });
  const resultOf = async (members: Declaration, call: Promise<Pick<Saved, "id" | "outputs">>): Promise<Result> => {
    try {
      const { id, outputs } = await call;
      return { kind: "ok", id, outputs: received(outputs, members) };
    } catch (error) {
      const recorded = recordedBy(error);
      if (recorded === undefined) return { kind: "error", message: rejectionText(error) };
      const { id, outputs, reasons } = recorded;
      return { kind: "initFailed", id, outputs: received(outputs, members), message: reasons.join("\n") };
    }
  };
  return {
    unchanged,
    check: async (olds, news) => {
      const isNew = Object.keys(olds).length === 0;
      const { inputs, failures } = await calls.check(urnIn(news), sent(news), isNew ? {} : inputsIn(olds));
      return { inputs: received(inputs, news), failures: failures.map(({ reason }) => reason) };
    },
    diff: (id, olds, news) =>
      calls.diff(urnIn(news), savedIn(id, olds), sent(news)).then(
        ({ changes, diffs }) => (changes === false ? "none" : diffs.length > 0 ? "named" : "unnamed"),
        (error: unknown) => ({ error: rejectionText(error) }),
      ),
    previewCreate: (inputs) => resultOf(inputs, calls.create(urnIn(inputs), sent(inputs), true)),
    create: (inputs) => resultOf(inputs, calls.create(urnIn(inputs), sent(inputs))),
    previewUpdate: (id, olds, news) => resultOf(news, calls.update(urnIn(news), savedIn(id, olds), sent(news), true)),
    update: (id, olds, news) => resultOf(news, calls.update(urnIn(news), savedIn(id, olds), sent(news))),
    read: async (id, outputs) => {
      const saved = savedIn(id, outputs);
      const read = await resultOf(outputs, calls.read(urnIn(outputs), saved));
      if (read.kind !== "ok") return read;
      if (read.id === "") return undefined;
      // After a read, the engine calls diff just to display what changed.
      await calls.diff(urnIn(outputs), { ...saved, id: read.id, outputs: sent(read.outputs) }, saved.inputs);
      return read;
    },
    delete: (id, outputs) =>
      resultOf(
        {},
        calls.delete(urnIn(outputs), savedIn(id, outputs)).then(() => ({ id: "", outputs: {} })),
      ),
  };
}

/** The URN of the resource with these members. */
export function urnIn(members: Declaration): string {
  const identity = members[identityMember];
  const { name = "unnamed", parent } = membersOf(identity);
  const types = [...(typeof parent === "string" ? [parent] : []), pluginType(kindOf(members))];
  return `${ownStack.urn}::${types.join("$")}::${String(name)}`;
}
