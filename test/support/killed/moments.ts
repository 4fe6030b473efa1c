import type { RunningCommand } from "../command.js";
import { deferred } from "../deferred.js";
import type { TestServer } from "../emulator/index.js";
import type { EngineStack } from "../engine.js";
import type { RequestWatch } from "../requestWatch.js";
import { resendIn } from "../resending.js";
import { processesOf } from "./processesOfRun.js";
import { startTokenGate } from "./tokenGate.js";

/** A stack whose program declares two jobs, and its service. */
export interface Place {
  readonly mode: "create" | "all";
  readonly stack: EngineStack;
  readonly service: TestServer;
  readonly watch: RequestWatch;
  /** Declares the two jobs. `isReplaceable`: one of them may be replaced. */
  readonly declare: (isReplaceable?: boolean) => void;
}

/** A run that has reached a moment, and waits there. */
export interface Reached {
  readonly run: RunningCommand;
  readonly processes: ReturnType<typeof processesOf>;
  /** The line that a user started the run with, and may use for the next one. */
  readonly line?: string;
  /** Lets the run go on after one of its processes was killed. */
  readonly go: () => void;
}

type Moment = (place: Place) => Promise<Reached>;

const up = ["up", "--yes", "--skip-preview", "--suppress-progress"];

/** Starts a run, and waits for an event in it. */
async function until({ stack }: Place, event: Promise<unknown>, env: NodeJS.ProcessEnv = {}): Promise<RunningCommand> {
  const run = stack.spawn(up, { env });
  const ended = run.finished.then(({ output }) => {
    throw new Error(`The run ended before its moment came:\n${output}`);
  });
  await Promise.race([event, ended]);
  ended.catch(() => undefined);
  return run;
}

/** Holds the reply to the next request of this operation, which takes effect at once. */
function hold({ service, watch }: Place, operation: "create" | "list" | "sources") {
  const count = () => service.requests.filter((request) => request.operation === operation).length;
  const before = count();
  const released = deferred();
  service.inject({ kind: "delay", on: operation, seconds: 0, until: released.promise });
  return { isHeld: watch.until(() => count() > before), release: released.resolve };
}

/** The run waits for its reply, and something is killed before the reply comes. */
async function inFlight(place: Place, env?: NodeJS.ProcessEnv): Promise<Reached> {
  const held = hold(place, "create");
  const run = await until(place, held.isHeld, env);
  return { run, processes: processesOf(run), go: held.release };
}

/** The reply has arrived, but the provider has not read it when something is killed. */
async function withReply(place: Place, operation: "create" | "list" | "sources"): Promise<Reached> {
  const held = hold(place, operation);
  const run = await until(place, held.isHeld);
  const processes = processesOf(run);
  processes.suspend();
  held.release();
  return { run, processes, go: processes.resume };
}

/** Each mode's first request: no create is sent without it. */
const preflight = { create: "sources", all: "list" } as const;

async function upWith(place: Place, env?: NodeJS.ProcessEnv): Promise<string> {
  return (await place.stack.up(["--skip-preview"], env && { env })).output;
}

export const moments: Readonly<Record<string, Moment>> = {
  "before the preflight": async (place) => {
    place.declare();
    const { stack, service } = place;
    const gate = await startTokenGate(stack.folder, service.token);
    const env = { DATA_CONNECTIVITY_TOKEN: undefined, DATA_CONNECTIVITY_CREDENTIALS_COMMAND: gate.command };
    const run = await until(place, gate.asked, env);
    return { run, processes: processesOf(run), go: gate.open };
  },
  "between preflight and POST": async (place) => {
    place.declare();
    return withReply(place, preflight[place.mode]);
  },
  "with the POST in flight": async (place) => {
    place.declare();
    return inFlight(place);
  },
  "after the reply and before the state is written": async (place) => {
    place.declare();
    return withReply(place, "create");
  },
  "in a resend": async (place) => {
    place.declare();
    place.service.inject({ kind: "reset", on: "create" });
    const command = resendIn(await upWith(place));
    place.stack.pass(780_000);
    if (command === undefined && place.mode === "create")
      throw new Error("No command to resend the create was printed.");
    // Mode `all` resends by itself.
    if (command === undefined) return inFlight(place);
    return { ...(await inFlight(place, command.env)), line: command.line };
  },
  "in a replacement": async (place) => {
    const { stack } = place;
    place.declare(true);
    await upWith(place);
    const { urn = "" } = stack.state.resources.find((one) => one.urn.endsWith("::orders")) ?? {};
    await stack.run(["state", "taint", "--yes", urn]);
    return inFlight(place);
  },
};
