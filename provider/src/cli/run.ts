import { requestOf } from "../client/calls.js";
import type { Clock } from "../client/clock.js";
import { getJob, runJob } from "../client/requests.js";
import type { LastRun } from "../client/jobRecord.js";
import { noJobToRun } from "../functions/functions.js";
import { sentences } from "../sentences.js";
import { command, InputError, UsageError } from "./command.js";
import { lastRunMembers, table } from "./document.js";
import { failedCall, jobMembers, jobOperand, jobOptions, type NamedJob, namedJob } from "./oneJob.js";
import { hasEnded } from "./runStatus.js";

/** How long --wait without a number waits for the end of a run, in seconds. */
const defaultWait = 600;
const pollMs = 5000;

const members = { ...jobMembers, lastRun: lastRunMembers } as const;

export const run = command({
  summary: "Runs one job at the service now, and can wait until the run has ended",
  about: [
    "Asks the service to run a job now, with one request that is never repeated if the service may have accepted it. The vendor's documents name this call, but it was never tried against the service. This needs jobOperations: all.",
    "With --wait, it reads the job every 5 seconds until its last run has another time than before and is neither queued nor running, and shows the run's status and rows as the service gives them. Whether a status means success is for you to decide.",
  ],
  operand: jobOperand,
  options: {
    ...jobOptions,
    wait: {
      type: "string",
      value: "[SECONDS]",
      alone: String(defaultWait),
      help: `wait until the run has ended, at most this long; default: ${defaultWait} seconds`,
    },
  },
  forms: {
    "": {
      answers: "Run this job now",
      requests: [requestOf("run"), `${requestOf("get")} with \`--wait\`, before it and every 5 seconds`],
      json: members,
    },
  },
  passes: "if the service accepted it, and with --wait if the run has ended",
  fails: "if that failed or is unknown",
  example: ["pulumi stack export | pulumi-data-connectivity run --resource orders --wait 900"],

  async run(context, values, operands) {
    const waitMs = values.wait === undefined ? undefined : secondsOf(values.wait) * 1000;
    const job = await namedJob(context, values, operands, { call: "run", notDone: "the job was not run" });
    const { lastRun, problem } = await runAndWait(context.host.clock, job, waitMs);
    const document = { ...job.named, lastRun };
    if (values.json) context.printJson(members, document);
    else if (lastRun === undefined) context.print(`The service accepted the run of job ${job.id}.`);
    else context.print(...table(members, [document]));
    if (problem === undefined) return 0;
    context.complain(sentences(problem, "Look at it later: pulumi-data-connectivity jobs --at-service"));
    return 1;
  },
});

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--wait is ${JSON.stringify(text)}. Accepted: a whole number of seconds.`);
}

/** The requested run, as last seen; with `--wait`, also why it is not known to have ended. */
interface Waited {
  readonly lastRun?: Partial<LastRun> | undefined;
  readonly problem?: string;
}

async function runAndWait(clock: Clock, { client, id }: NamedJob, waitMs: number | undefined): Promise<Waited> {
  const before = waitMs === undefined ? undefined : await getJob(client, id);
  if (before !== undefined && (before.kind === "failed" || before.value === "missing"))
    throw new InputError(
      before.kind === "done"
        ? noJobToRun(id)
        : sentences(`Job ${id} was not run, because it could not be read first.`, before.what, before.fix),
    );
  const ran = await runJob(client, id);
  if (ran.kind === "failed") throw failedCall(ran, noJobToRun(id));
  if (waitMs === undefined) return {};
  const began = clock.monotonic();
  for (;;) {
    // If this read fails, go on: the next one may succeed.
    const now = await getJob(client, id);
    const run = lastRunIn(now);
    const lastRun = run?.dateTime === lastRunIn(before)?.dateTime ? undefined : run;
    if (lastRun !== undefined && hasEnded(lastRun)) return { lastRun };
    if (clock.monotonic().msSince(began) + pollMs > waitMs)
      return { lastRun, problem: whyNotEnded(id, now, lastRun, waitMs / 1000) };
    await clock.sleep(pollMs);
  }
}

const lastRunIn = (seen: Awaited<ReturnType<typeof getJob>> | undefined): Partial<LastRun> | undefined =>
  seen?.kind === "done" && seen.value !== "missing" ? seen.value.job.lastRun : undefined;

function whyNotEnded(
  id: string,
  seen: Awaited<ReturnType<typeof getJob>>,
  lastRun: Partial<LastRun> | undefined,
  seconds: number,
): string {
  const unknown = `Whether the run of job ${id} has ended is not known`;
  if (seen.kind === "failed") return sentences(`${unknown}, because the job could not be read.`, seen.what, seen.fix);
  if (seen.value === "missing") return `${unknown}: the service no longer has the job.`;
  const status = lastRun?.status === undefined ? "" : `: its status is ${JSON.stringify(lastRun.status)}`;
  return `The run of job ${id} has not ended within ${seconds} s${status}.`;
}
