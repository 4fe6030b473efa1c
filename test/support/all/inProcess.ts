import type { KeptJob, KeptJobs } from "../../../provider/src/lifecycle/inventory/memory.js";
import { posts, start } from "../emulated.js";
import type { TestFault, TestServerOptions } from "../emulator/index.js";
import { FastClock } from "../fastClock.js";
import { saying } from "../matchers.js";
import { isPlugin } from "../testedHost.js";
import { orders } from "./declarations.js";
import { runInDynamicHost } from "./inDynamicHost.js";
import { runInPlugin } from "./hosts.js";
import type { RunCommand } from "../../../provider/src/lifecycle/runTypes.js";
import { upCommand, type Config, type RunOptions } from "./runOptions.js";
import { type CommandResult, SimulatedStack, type Step } from "./simulatedStack.js";
import type { RunProvider } from "./runProvider.js";

/** One run of the tested host, without a process around it. */
export const runInProcess = async (config: Config, options?: RunOptions): Promise<RunProvider> =>
  isPlugin ? runInPlugin(config, options) : runInDynamicHost(config, options);

/** The settings of a stack that uses this service in mode `all`. */
export const configFor = ({ baseUrl, token }: { baseUrl: string; token: string }, more: Config = {}): Config => ({
  baseUrl,
  token,
  timeoutSeconds: 60,
  jobOperations: "all",
  ...more,
});

/** The provider of the other host, for a stack that moves between hosts. */
export const otherHost = "of the other host";

/** A stack whose runs are in this process. At the start of each run, the stack asks for the settings and the options. */
export function inProcessStack(today: () => RunOptions & { readonly config: Config }): SimulatedStack {
  const stack: SimulatedStack = new SimulatedStack((isPreview) => {
    const { config, ...options } = today();
    const command: RunCommand = isPreview ? { ...upCommand, name: "preview" } : upCommand;
    const own = { exportStack: () => Promise.resolve(stack.export()), isPreview, command };
    return startRunInProcess(config, { ...own, ...options });
  });
  return stack;
}

/**
 * Starts a run, and returns a function that starts its providers by name. Each provider is a separate host; they share
 * their notes as the processes of one run do.
 */
export function startRunInProcess(config: Config, options: RunOptions = {}) {
  const keptJobs: KeptJobs = new Map<string, KeptJob>();
  return async (provider: string): Promise<RunProvider> => {
    const isOnPlugin = isPlugin !== (provider === otherHost);
    const all = { keptJobs, ...options };
    return isOnPlugin ? runInPlugin(config, all) : runInDynamicHost(config, all);
  };
}

/** A service and a stack that uses it, on one clock whose waits take no real time. */
export async function fastStack(config: Config = {}, options: TestServerOptions = {}, clock = new FastClock()) {
  const emulator = await start({ now: clock.now, ...options });
  let today: RunOptions & { readonly config: Config };
  /** Sets the settings and options of the runs that follow. */
  const use = (more: Config, service: Parameters<typeof configFor>[0] = emulator, others: RunOptions = {}) => {
    today = { config: configFor(service, more), clock, ...others };
  };
  use(config);
  const stack = inProcessStack(() => today);
  /** Returns a function that lists the methods of the requests from now on. */
  const requestsSince = () => {
    const { length } = emulator.requests;
    return () => emulator.requests.slice(length).map(({ method }) => method);
  };
  /** The same, without the requests that only read. */
  const changesSince = () => {
    const sent = requestsSince();
    return () => sent().filter((method) => method !== "GET");
  };
  return {
    emulator,
    stack,
    clock,
    use,
    requestsSince,
    changesSince,
    changes: changesSince(),
    posts: () => posts(emulator.requests),
  };
}

/** A service and a stack with one job, `orders`, whose id is `id`. The faults apply to later requests. */
export async function stackWithOrders(faults: readonly TestFault[] = []) {
  const { emulator, stack, ...more } = await fastStack();
  await stack.up({ orders });
  emulator.inject(...faults);
  const [{ id } = { id: "" }] = emulator.jobs;
  return { ...more, emulator, stack, id, sent: more.requestsSince(), changes: more.changesSince() };
}

/**
 * The expected result of a command: what it did with each resource, or a single step for the resource "orders". `text`:
 * a part of what it said.
 */
export const did = (steps: Step | CommandResult["steps"], text?: unknown) => ({
  steps: typeof steps === "string" ? { orders: steps } : steps,
  ...(text !== undefined && { text: typeof text === "string" ? saying(text) : text }),
});
