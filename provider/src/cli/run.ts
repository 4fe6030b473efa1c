import type { Clock } from "../client/clock.js";
import { getJob, runJob } from "../client/jobCalls.js";
import { isSameId } from "../client/jobMatch.js";
import type { LastRun } from "../client/jobRecord.js";
import type { Service } from "../client/service.js";
import { orSettingsError, SettingsError } from "../config/index.js";
import { noJobToRun } from "../functions/functions.js";
import { sentences } from "../sentences.js";
import { accountsOf, type ConfiguredAccount, exportOf, howToAllow, titleOf } from "./accounts.js";
import { command, InputError, readInput, standardInput, UsageError } from "./command.js";
import { lastRunMembers, table } from "./document.js";
import { hasEnded } from "./runStatus.js";
import { type KnownJob, readExport } from "./stackExport.js";
import { readStackSettings, stackOptions } from "./stackSettings.js";

/** How long --wait waits for the end of a run if it is told no time, in seconds. */
const defaultWait = 600;
const pollMs = 5000;

const members = {
  jobId: "JOB ID",
  service: "",
  account: "",
  provider: "",
  resource: "",
  lastRun: lastRunMembers,
} as const;

export const run = command({
  summary: "Runs one job at the service now, and can wait until the run has ended",
  about: [
    "Asks the service to run a job now, with one request that is never repeated if the service may have accepted it. The vendor's documents name this call, but it was never tried against the service. This needs jobOperations: all.",
    "With --wait, it reads the job every 5 seconds until its last run has another time than before and is neither queued nor running, and shows the run's status and rows as the service gives them. Whether a status means success is for you to decide.",
  ],
  operand: { name: "JOB_ID", help: "the job's id at the service" },
  options: {
    json: stackOptions.json,
    resource: {
      type: "string",
      value: "NAME",
      help: "in place of JOB_ID: the job of this resource, by its name or URN, in the stack's export on standard input",
    },
    account: {
      type: "string",
      value: "NAME",
      help: "the account that has the job; default: the resource's own, or the stack's",
    },
    wait: {
      type: "string",
      value: "[SECONDS]",
      alone: String(defaultWait),
      help: `wait until the run has ended, at most this long; default: ${defaultWait} seconds`,
    },
    stack: stackOptions.stack,
    cwd: stackOptions.cwd,
  },
  forms: {
    "": {
      answers: "Run this job now",
      requests: ["POST /api/job/{jobId}/run", "GET /api/job/{jobId} with `--wait`, before it and every 5 seconds"],
      json: members,
    },
  },
  passes: "if the service accepted it, and with --wait if the run has ended",
  fails: "if not, or if that is not known",
  example: ["pulumi stack export | pulumi-data-connectivity run --resource orders --wait 900"],

  async run(context, values, [operand]) {
    if ((operand === undefined) === (values.resource === undefined))
      throw new UsageError("Name one job: by its id, or by --resource and the stack's export on standard input.");
    const waitMs = values.wait === undefined ? undefined : secondsOf(values.wait) * 1000;
    const piped = values.resource === undefined ? undefined : readExport(await readInput(context, standardInput));
    const source = await readStackSettings(context, values);
    const exported = piped ?? (await exportOf(source, () => undefined));
    const jobs = exported?.jobs ?? [];
    const { resource: name } = values;
    // The settings of a provider that the program declares are only in the state, so the job's resource names them.
    const declared = () => jobs.find(({ jobId, provider }) => provider !== undefined && isSameId(jobId, operand));
    const resource = name === undefined ? declared() : resourceNamed(name, jobs);
    const id = operand ?? resource?.jobId;
    if (id === undefined)
      throw new InputError(
        `${resource?.label ?? ""} has no job id, because its create is unconfirmed: run pulumi up first.`,
      );
    const asked = askedFor(accountsOf(context, source, exported?.providers), id, resource, values.account);
    const service = serviceOf(asked);
    const { baseUrl, name: account } = service.account;
    if (resource?.service !== undefined && resource.service !== baseUrl)
      throw new InputError(
        `${resource.label} has its job at ${resource.service}, and the settings name ${baseUrl}. Nothing was sent.`,
      );
    const waited = await runAndWait(context.host.clock, service, id, waitMs);
    const { provider } = asked;
    const { lastRun, problem } = waited;
    const job = { jobId: id, service: baseUrl, account, provider, resource: resource?.resource, lastRun };
    if (values.json) context.printJson(members, job);
    else if (lastRun === undefined) context.print(`The service accepted the run of job ${id}.`);
    else context.print(...table(members, [job]));
    if (problem === undefined) return 0;
    context.complain(sentences(problem, "Look at it later: pulumi-data-connectivity jobs --at-service"));
    return 1;
  },
});

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--wait is ${JSON.stringify(text)}. Accepted: a whole number of seconds.`);
}

function resourceNamed(name: string, jobs: readonly KnownJob[]): KnownJob {
  const [found, ...others] = jobs.filter(({ resource, urn }) => resource === name || urn === name);
  if (found === undefined) throw new InputError(`The stack has no job of a resource ${JSON.stringify(name)}.`);
  if (others.length === 0) return found;
  const urns = [found, ...others].map(({ urn }) => urn).join(", ");
  throw new InputError(`Several resources are called ${JSON.stringify(name)}. Give the URN of one: ${urns}`);
}

/** The account to ask: the one that is named, that of the resource, or the stack's own. */
function askedFor(
  accounts: readonly ConfiguredAccount[],
  id: string,
  resource: KnownJob | undefined,
  named: string | undefined,
): ConfiguredAccount {
  const own = accounts.find(({ provider }) => provider === resource?.provider);
  if (own === undefined)
    throw new InputError(
      `No resource of the stack has job ${id}, and the stack's configuration names no account, because all its jobs have providers that the program declares. Nothing was sent. Check the id, or name the stack that has the job with --stack.`,
    );
  const { services } = own;
  if (services === undefined) return own;
  const account = named ?? resource?.account;
  return { ...own, account, service: orSettingsError(() => services.of(account)) };
}

function serviceOf(asked: ConfiguredAccount): Service {
  const { service } = asked;
  if (service instanceof SettingsError)
    throw new InputError(`${titleOf(asked)}: ${sentences(service.what, service.fix)}`);
  if (service.account.mode.canRead) return service;
  throw new InputError(
    sentences(
      `${titleOf(asked)}: the job was not run. The interface document does not show this call, so it is sent only if the setting jobOperations is all.`,
      howToAllow(asked),
    ),
  );
}

/** The run that the request began, as last seen; with `--wait` also why it is not known to have ended. */
interface Waited {
  readonly lastRun?: Partial<LastRun> | undefined;
  readonly problem?: string;
}

async function runAndWait(clock: Clock, service: Service, id: string, waitMs: number | undefined): Promise<Waited> {
  const before = waitMs === undefined ? undefined : await getJob(service, id);
  if (before !== undefined && before.kind !== "found")
    throw new InputError(
      before.kind === "missing"
        ? noJobToRun(id)
        : sentences(`Job ${id} was not run, because it could not be read first.`, before.what, before.fix),
    );
  const ran = await runJob(service, id);
  if (ran.kind === "missing") throw new InputError(noJobToRun(id));
  if (ran.kind === "failed")
    throw new InputError(
      ran.cause === "ambiguous"
        ? sentences(
            `${ran.what} The job may be running.`,
            "Look at its last run before you run it again: pulumi-data-connectivity jobs --at-service",
          )
        : sentences(ran.what, ran.fix),
    );
  if (waitMs === undefined) return {};
  const began = clock.monotonic();
  for (;;) {
    // A look that fails is not the end of the run: the next one may succeed.
    const now = await getJob(service, id);
    const run = now.kind === "found" ? now.record.job.lastRun : undefined;
    const lastRun = run?.dateTime === before?.record.job.lastRun?.dateTime ? undefined : run;
    if (lastRun !== undefined && hasEnded(lastRun)) return { lastRun };
    if (clock.monotonic().msSince(began) + pollMs > waitMs)
      return { lastRun, problem: whyNotEnded(id, now, lastRun, waitMs / 1000) };
    await clock.sleep(pollMs);
  }
}

function whyNotEnded(
  id: string,
  seen: Awaited<ReturnType<typeof getJob>>,
  lastRun: Partial<LastRun> | undefined,
  seconds: number,
): string {
  const unknown = `Whether the run of job ${id} has ended is not known`;
  if (seen.kind === "missing") return `${unknown}: the service no longer has the job.`;
  if (seen.kind !== "found") return sentences(`${unknown}, because the job could not be read.`, seen.what, seen.fix);
  const status = lastRun?.status === undefined ? "" : `: its status is ${JSON.stringify(lastRun.status)}`;
  return `The run of job ${id} has not ended within ${seconds} s${status}.`;
}
