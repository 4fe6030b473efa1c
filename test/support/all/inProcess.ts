import type { Clock } from "../../../provider/src/client/clock.js";
import { Services } from "../../../provider/src/client/service.js";
import { Settings } from "../../../provider/src/config/index.js";
import { cachingJob, scheduledQueryJob, type Declaration, type JobKind } from "../../../provider/src/jobs/index.js";
import { isObject } from "../../../provider/src/json.js";
import { check } from "../../../provider/src/lifecycle/check.js";
import type { Context } from "../../../provider/src/lifecycle/context.js";
import { create } from "../../../provider/src/lifecycle/create.js";
import { remove } from "../../../provider/src/lifecycle/delete.js";
import { diff } from "../../../provider/src/lifecycle/diff.js";
import { Refusal, UnconfirmedError } from "../../../provider/src/lifecycle/errors.js";
import { read } from "../../../provider/src/lifecycle/read.js";
import { update } from "../../../provider/src/lifecycle/update.js";
import { SimulatedStack, type Result, type RunProvider } from "./simulatedStack.js";

/** Keys without their namespace; objects as JSON text, as the engine hands them over. */
export type Config = Readonly<Record<string, string | number | object>>;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isEngineAlive?: () => Promise<boolean>;
  readonly clock?: Clock;
}

/** The kind of a job is part of its type at the engine; here it shows in its params. */
const kindOf = (inputs: Declaration): JobKind =>
  isObject(inputs["params"]) && "sourceTable" in inputs["params"] ? cachingJob : scheduledQueryJob;

/** How the engine's protocol says that a resource is gone. */
const gone = { id: "", outputs: {} };

/** What one run of the provider's process shares. */
export function newContext(config: Config, said: string[], { env = {}, ...host }: RunOptions = {}): Context {
  const texts = new Map(
    Object.entries(config).map(([key, value]) => [
      `data-connectivity:${key}`,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );
  const say = (line: string): void => void said.push(line);
  return {
    settings: new Settings({ get: (key) => texts.get(key) }, env),
    services: new Services({ isEngineAlive: () => Promise.resolve(true), say, debug: false, ...host }),
    ledger: { creates: new Map(), resends: new Map() },
    unconfirmed: new Map(),
    refused: new Set(),
    unrecordable: undefined,
    say,
    sayOnce: (line) => {
      if (!said.includes(line)) say(line);
    },
  };
}

/** The lifecycle as the engine calls it, without a process around it. */
export function runInProcess(config: Config, options?: RunOptions): RunProvider {
  const said: string[] = [];
  const context = newContext(config, said, options);
  return {
    check: (olds, news) => {
      const { problems } = check(context, kindOf(news), olds, news);
      return Promise.resolve({ inputs: news, failures: problems });
    },
    diff: (id, olds, news) => {
      try {
        return Promise.resolve(diff(context, kindOf(news), id, olds, news) !== "none");
      } catch (error) {
        if (error instanceof Refusal) return Promise.resolve({ error: error.message });
        throw error;
      }
    },
    create: (inputs) =>
      resultOf(async () => {
        const { id, outputs } = await create(context, kindOf(inputs), inputs);
        return { kind: "ok", id, outputs };
      }),
    update: (id, olds, news) =>
      resultOf(async () => ({ kind: "ok", id, outputs: await update(context, kindOf(news), id, olds, news) })),
    read: async (id, outputs) => {
      const found = await resultOf(async () => {
        const { id: newId, outputs: told } = (await read(context, kindOf(outputs), id, outputs)) ?? gone;
        return { kind: "ok", id: newId, outputs: told };
      });
      return found.kind === "ok" && found.id === gone.id ? undefined : found;
    },
    delete: (id, outputs) =>
      resultOf(async () => {
        await remove(context, kindOf(outputs), id, outputs);
        return { kind: "ok", id: "", outputs: {} };
      }),
    end: () => Promise.resolve(said.join("\n")),
  };
}

/** Only a refusal and an unconfirmed create are outcomes: any other error is a mistake, and fails the test. */
async function resultOf(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnconfirmedError)
      return { kind: "initFailed", id: error.id, outputs: error.properties, message: error.message };
    if (error instanceof Refusal) return { kind: "error", message: error.message };
    throw error;
  }
}

/** The settings of a stack that opted in, at this service. */
export const configFor = ({ baseUrl, token }: { baseUrl: string; token: string }, more: Config = {}): Config => ({
  baseUrl,
  token,
  timeoutSeconds: 1,
  jobOperations: "all",
  ...more,
});

/** A stack whose runs are in this process. The settings are asked for at the start of each run, so a test can change them. */
export const inProcessStack = (config: () => Config, options: () => RunOptions = () => ({})): SimulatedStack =>
  new SimulatedStack(() => Promise.resolve(runInProcess(config(), options())));
