import { ProviderHost } from "../../../provider/src/hosts/dynamic/host.js";
import { handOverStack } from "../../../provider/src/hosts/dynamic/identity.js";
import { RecordedError } from "../../../provider/src/hosts/dynamic/sdkHost.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { rejectionText } from "../refusals.js";
import { urnIn } from "./hosts.js";
import { kindOf, textsOf, upCommand, type Config, type RunOptions } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

/** The classes' host without a process around it. */
export function runInDynamicHost(
  config: Config,
  { env = {}, engine, keptJobs, exportStack, isPreview = false, ...client }: RunOptions = {},
): RunProvider {
  const said: string[] = [];
  const texts = textsOf(config);
  const host = new ProviderHost({
    engine,
    ...(keptJobs && { keptJobs }),
    ...(exportStack && { exportStack }),
    isEngineAlive: () => Promise.resolve(true),
    config: { get: (key) => texts[key] },
    environment: env,
    report: ({ text }) => void said.push(text),
    command: upCommand,
    ...client,
  });
  const told = { organization: "organization", provider: "default", isPreview, isDeletedFirst: true } as const;
  const providerOf = (members: Declaration) => host.provider(kindOf(members));
  return {
    unchanged: (outputs) => outputs,
    check: async (olds, news) => {
      const sent = exportStack === undefined ? news : { ...handOverStack({ urn: urnIn(news), ...told }), ...news };
      const { inputs = news, failures = [] } = await providerOf(news).check(olds, sent);
      return { inputs, failures: failures.map(({ reason }) => reason) };
    },
    diff: (id, olds, news) =>
      providerOf(news)
        .diff(id, olds, news)
        .then(
          // If `changes` is undefined, the engine compares the inputs itself.
          ({ changes }) => (changes === undefined ? "named" : changes ? "unnamed" : "none"),
          (error: unknown) => ({ error: rejectionText(error) }),
        ),
    previewCreate: () => Promise.resolve(undefined),
    create: (inputs) =>
      resultOf(async () => {
        const { id, outs = {} } = await providerOf(inputs).create(inputs);
        return { id, outputs: outs };
      }),
    previewUpdate: () => Promise.resolve(undefined),
    update: (id, olds, news) =>
      resultOf(async () => {
        const { outs = {} } = await providerOf(news).update(id, olds, news);
        return { id, outputs: outs };
      }),
    read: async (id, outputs) => {
      const provider = providerOf(outputs);
      const read = await resultOf(async () => {
        const { id: found = "", props = {} } = await provider.read(id, outputs);
        return { id: found, outputs: props };
      });
      if (read.kind !== "ok") return read;
      if (read.id === "") return undefined;
      // After a read, the engine calls diff just to display what changed.
      await provider.diff(read.id, read.outputs, outputs);
      return read;
    },
    delete: (id, outputs) =>
      resultOf(async () => {
        await providerOf(outputs).delete(id, outputs);
        return { id: "", outputs: {} };
      }),
    end: () => Promise.resolve(said.join("\n")),
  };
}

async function resultOf(call: () => Promise<{ readonly id: string; readonly outputs: Declaration }>): Promise<Result> {
  try {
    return { kind: "ok", ...(await call()) };
  } catch (error) {
    if (!(error instanceof RecordedError)) return { kind: "error", message: rejectionText(error) };
    const { id, properties, message } = error;
    return { kind: "initFailed", id, outputs: properties, message };
  }
}
