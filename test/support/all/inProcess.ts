import type { Clock } from "../../../provider/src/client/clock.js";
import { Services } from "../../../provider/src/client/service.js";
import { Settings } from "../../../provider/src/config/index.js";
import { cachingJob, scheduledQueryJob, type Declaration, type JobKind } from "../../../provider/src/jobs/index.js";
import { isObject } from "../../../provider/src/json.js";
import * as lifecycle from "../../../provider/src/lifecycle/index.js";
import { outputsOf, resourceOf, savedOf } from "../../../provider/src/hosts/dynamic/members.js";
import { start } from "../emulated.js";
import type { TestServerOptions } from "../emulator/index.js";
import { FastClock } from "../fastClock.js";
import { SimulatedStack, type Result, type RunProvider } from "./simulatedStack.js";

/** Keys without their namespace; objects as JSON text, as the engine hands them over. */
export type Config = Readonly<Record<string, string | number | object>>;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isEngineAlive?: () => Promise<boolean>;
  readonly clock?: Clock;
}

/** The kind of a job is part of its type at the engine; here it shows in its params. */
export const kindOf = (inputs: Declaration): JobKind =>
  isObject(inputs["params"]) && "sourceTable" in inputs["params"] ? cachingJob : scheduledQueryJob;

/** What one run of the provider's process shares. */
export function newContext(
  config: Config,
  said: string[],
  { env = {}, ...client }: RunOptions = {},
): lifecycle.Context {
  const texts = new Map(
    Object.entries(config).map(([key, value]) => [
      `data-connectivity:${key}`,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );
  const say = (line: string): void => void said.push(line);
  return lifecycle.newContext({
    settings: new Settings({ get: (key) => texts.get(key) }, env),
    services: new Services({ isEngineAlive: () => Promise.resolve(true), say, log: undefined, ...client }),
    unrecordable: undefined,
    say,
  });
}

const savedIn = (id: string, outputs: Declaration): lifecycle.SavedResource => {
  const saved = savedOf(kindOf(outputs), id, outputs);
  if (saved === undefined) throw new Error("The state is not that of a job.");
  return saved;
};

/** The lifecycle as the engine calls it, without a process around it. */
export function runInProcess(config: Config, options?: RunOptions): RunProvider {
  const said: string[] = [];
  const context = newContext(config, said, options);
  return {
    check: (olds, news) => {
      const { problems } = lifecycle.check(context, resourceOf(kindOf(news), news), Object.keys(olds).length === 0);
      return Promise.resolve({ inputs: news, failures: problems });
    },
    diff: (id, olds, news) => {
      const found = lifecycle.diff(context, savedIn(id, olds), resourceOf(kindOf(news), news, id));
      return Promise.resolve(found.kind === "refused" ? { error: found.message } : found.kind !== "none");
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
  switch (result.kind) {
    case "done":
      return { kind: "ok", id: result.id, outputs: outputsOf(members, result.state) };
    case "recorded":
      return {
        kind: "initFailed",
        id: result.id,
        outputs: outputsOf(members, result.state),
        message: result.message,
      };
    case "refused":
      return { kind: "error", message: result.message };
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

/** A service and a stack at it, on one clock whose waits take no real time. */
export async function fastStack(config: Config = {}, options: TestServerOptions = {}, clock = new FastClock()) {
  const emulator = await start({ now: clock.now, ...options });
  const stack = inProcessStack(
    () => configFor(emulator, config),
    () => ({ clock }),
  );
  return { emulator, stack, clock };
}
