import type { JobChanges } from "../../../provider/src/testing/emulator/types.js";
import type { TestFault, TestServerOptions } from "../emulator/index.js";
import { FastClock } from "../fastClock.js";
import { orders as declared } from "./declarations.js";
import { fastStack } from "./inProcess.js";
import type { Config } from "./runOptions.js";
import type { CommandResult, Program } from "./simulatedStack.js";

/** The state of the stack and its service when a command begins. */
export interface Given {
  /** When the command begins, as a date-time of the clock that both use; default: a day ago. */
  readonly at?: string;
  readonly settings?: Config;
  readonly service?: TestServerOptions;
  /** The program whose jobs an `up` made before the command; default: `orders` alone. */
  readonly made?: Program;
  /** How long before the command that was, in milliseconds; default: an hour. */
  readonly ageMs?: number;
  /** What has happened to the first job at the service since then. */
  readonly job?: JobChanges | "removed";
  /** The faults for the command's requests, or a function of the first job's id that returns them. */
  readonly faults?: readonly TestFault[] | ((id: string) => readonly TestFault[]);
  /** The program of the command; default: `made`. */
  readonly program?: Program;
}

/** What a command said and sent. */
export interface Reported extends Pick<CommandResult, "steps" | "failed"> {
  /** The lines that a user reads, errors included. */
  readonly lines: readonly string[];
  /** The operations that the service was asked for, in order. */
  readonly requests: readonly string[];
}

const hourMs = 3_600_000;

/**
 * Runs one command of a stack on the tested host, at a given time and after the job has changed. Returns what it said and
 * sent, and the stack and the service for a later command. `before`: the state when it began.
 */
export async function runCommand(command: "preview" | "up" | "refresh" | "destroy", given: Given = {}) {
  const { settings, service, made = { orders: declared }, ageMs = hourMs, job, faults = [], program = made } = given;
  const at = given.at === undefined ? Date.now() - 24 * hourMs : Date.parse(given.at);
  const used = await fastStack(settings, service, new FastClock(undefined, at - ageMs));
  const { emulator, stack, clock } = used;
  await stack.up(made);
  clock.pass(Math.max(0, at - clock.now()));
  const [{ id } = { id: "" }] = emulator.jobs;
  if (job === "removed") emulator.removeJob(id);
  else if (job !== undefined) emulator.changeJob(id, job);
  emulator.inject(...(typeof faults === "function" ? faults(id) : faults));
  const before = new Map(stack.state);
  const { length } = emulator.requests;
  const { steps, failed, text } = await (command === "preview" || command === "up"
    ? stack[command](program)
    : stack[command]());
  const told: Reported = {
    steps,
    failed,
    lines: text.split("\n").filter((line) => line !== ""),
    requests: emulator.requests.slice(length).map(({ operation, method }) => operation ?? method),
  };
  return { ...told, id, before, ...used };
}
