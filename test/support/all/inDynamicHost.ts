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
  const context = lifecycle.newContext({
    settings: new Settings({ get: (key) => texts[key] }, env),
    services: new Services({ isEngineAlive: () => Promise.resolve(true), say, log: undefined, ...client }),
    unrecordable,
    mayRepeat: 0,
    say,
  });
  return {
    check: (olds, news) => {
      const { problems } = lifecycle.check(context, resourceOf(kindOf(news), news), Object.keys(olds).length === 0);
      return Promise.resolve({ inputs: news, failures: problems });
    },
    diff: async (id, olds, news) => {
      const found = await lifecycle.diff(context, savedIn(id, olds), resourceOf(kindOf(news), news, id));
      return found.kind === "refused" ? { error: found.message } : found.kind !== "none";
    },
    create: async (inputs) => resultOf(inputs, await lifecycle.create(context, resourceOf(kindOf(inputs), inputs))),
    update: async (id, olds, news) =>
      resultOf(news, await lifecycle.update(context, savedIn(id, olds), resourceOf(kindOf(news), news, id))),
    read: async (id, outputs) => {
      const found = await lifecycle.read(context, savedIn(id, outputs));
      return found.kind === "gone" ? undefined : resultOf(outputs, found);
    },
    delete: async (id, outputs) => {
      const result = await lifecycle.remove(context, savedIn(id, outputs));
      return result.kind === "refused" ? resultOf(outputs, result) : { kind: "ok", id: "", outputs: {} };
    },
    end: () => Promise.resolve(said.join("\n")),
  };
}

function resultOf(members: Declaration, result: lifecycle.Result): Result {
  if (result.kind === "refused") return { kind: "error", message: result.message };
  const saved = { id: result.id, outputs: outputsOf(members, result.state) };
  return result.kind === "done" ? { kind: "ok", ...saved } : { kind: "initFailed", ...saved, message: result.message };
}
