import { Services } from "../../../provider/src/client/service.js";
import { Settings } from "../../../provider/src/config/index.js";
import { outputsOf, resourceOf, savedOf } from "../../../provider/src/hosts/dynamic/identity.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import * as lifecycle from "../../../provider/src/lifecycle/index.js";
import { kindOf, textsOf, type Config, type RunOptions } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

const savedIn = (id: string, outputs: Declaration): lifecycle.SavedResource => {
  const saved = savedOf(kindOf(outputs), id, outputs);
  if (saved === undefined) throw new Error("The state is not that of a job.");
  return saved;
};

/** The core as the dynamic provider calls it. */
export function runInDynamicHost(config: Config, { env = {}, unrecordable, ...client }: RunOptions = {}): RunProvider {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const texts = textsOf(config);
  const settings = new Settings({ get: (key) => texts[key] }, env);
  const context = lifecycle.newContext({
    services: new Services(settings, { isEngineAlive: () => Promise.resolve(true), say, log: undefined, ...client }),
    unrecordable,
    mayRepeat: 0,
    say,
  });
  return {
    unchanged: (outputs) => outputs,
    check: (olds, news) => {
      const { problems } = lifecycle.check(context, resourceOf(kindOf(news), news), Object.keys(olds).length === 0);
      return Promise.resolve({ inputs: news, failures: problems });
    },
    diff: async (id, olds, news) => {
      const resource = resourceOf(kindOf(news), news, id);
      const found = await refusable(resource, lifecycle.diff(context, savedIn(id, olds), resource));
      return typeof found === "object" ? { error: found.message } : found !== "none";
    },
    create: async (inputs) => {
      const resource = resourceOf(kindOf(inputs), inputs);
      return resultOf(inputs, await refusable(resource, lifecycle.create(context, resource)));
    },
    update: async (id, olds, news) => {
      const resource = resourceOf(kindOf(news), news, id);
      return resultOf(news, await refusable(resource, lifecycle.update(context, savedIn(id, olds), resource)));
    },
    read: async (id, outputs) => {
      const saved = savedIn(id, outputs);
      const found = await refusable(saved, lifecycle.read(context, saved));
      return found && resultOf(outputs, found);
    },
    delete: async (id, outputs) => {
      const saved = savedIn(id, outputs);
      return (await refusable(saved, lifecycle.remove(context, saved))) ?? { kind: "ok", id: "", outputs: {} };
    },
    end: () => Promise.resolve(said.join("\n")),
  };
}

interface Refused {
  readonly kind: "error";
  readonly message: string;
}

async function refusable<Given>(resource: lifecycle.Resource, call: Promise<Given>): Promise<Given | Refused> {
  try {
    return await call;
  } catch (error) {
    const message = lifecycle.refusalText(error, resource);
    if (message === undefined) throw error;
    return { kind: "error", message };
  }
}

function resultOf(members: Declaration, result: lifecycle.Done | lifecycle.Recorded | Refused): Result {
  if (result.kind === "error") return result;
  const saved = { id: result.id, outputs: outputsOf(members, result.state) };
  return result.kind === "done" ? { kind: "ok", ...saved } : { kind: "initFailed", ...saved, message: result.message };
}
