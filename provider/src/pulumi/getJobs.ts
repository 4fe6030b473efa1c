import * as pulumi from "@pulumi/pulumi";
import { getJob as readJob } from "../client/getJob.js";
import type { JobRecord, ReadRecord } from "../client/jobRecord.js";
import { listJobs, type JobList } from "../client/listJobs.js";
import type { Explanation } from "../client/operation.js";
import type { Service } from "../client/service.js";
import type { Json } from "../json.js";
import { currentRun, runError, serviceFor, withSettings } from "./run.js";
import { sentences } from "../sentences.js";

/** A job as the service describes it, whether this stack has it or not. */
export interface JobInfo extends Omit<JobRecord, "id" | "params"> {
  /** The job's id. */
  readonly id: string;
  /** `Caching` or `ScheduledQuery`; absent where the service did not tell it. */
  readonly jobType: string | undefined;
  /** The details, as the service tells them. */
  readonly params: Readonly<Record<string, Json | undefined>>;
}

/** Which job to read. */
export interface GetJobArgs {
  /** The id of the job at the service. */
  readonly id: string;
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string;
}

/** Which account's jobs to list. */
export interface GetJobsArgs {
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string;
}

/** The jobs of an account. */
export interface GetJobsResult {
  /** In the order in which the service lists them. */
  readonly jobs: readonly JobInfo[];
}

/**
 * Reads one job of the service. It needs `data-connectivity:jobOperations` to be `all`, and a token, in previews too.
 *
 * @throws pulumi.RunError where a setting is missing, there is no such job, or the service does not answer with it: the run ends.
 *
 * @example When does a job run next that another stack made?
 * ```ts
 * const { nextRunTime } = await getJob({ id: "2207a325-767c-4038-ac21-feca5b793613" });
 * ```
 */
export async function getJob({ id, account }: GetJobArgs): Promise<JobInfo> {
  const found = await withSettings(() => readJob(serviceToRead("getJob", account), id));
  if (found.kind === "found") return infoOf(found.record);
  if (found.kind === "missing") throw runError(`getJob: the service has no job ${id}. Check the id.`);
  throw failed("getJob", found);
}

/** The same as {@link getJob} for a program that cannot wait, or whose id is an output. */
export function getJobOutput(args: {
  readonly id: pulumi.Input<string>;
  readonly account?: pulumi.Input<string>;
}): pulumi.Output<JobInfo> {
  return pulumi
    .all([args.id, args.account])
    .apply(([id, account]) => getJob(account === undefined ? { id } : { id, account }));
}

/**
 * Lists the jobs of an account. It needs `data-connectivity:jobOperations` to be `all`, and a token, in previews too. One
 * request is sent for one run and account, however often it is called.
 *
 * @throws pulumi.RunError where a setting is missing or the service does not answer with a list: the run ends.
 *
 * @example Which tables are cached?
 * ```ts
 * const { jobs } = await getJobs();
 * export const tables = jobs.map(({ params }) => params["sourceTable"]);
 * ```
 */
export async function getJobs({ account }: GetJobsArgs = {}): Promise<GetJobsResult> {
  const list = await withSettings(() => listOnce(account));
  if (list.kind === "failed") throw failed("getJobs", list);
  return { jobs: list.jobs.map(infoOf) };
}

/** The same as {@link getJobs} for a program that cannot wait, or whose account is an output. */
export function getJobsOutput(args: { readonly account?: pulumi.Input<string> } = {}): pulumi.Output<GetJobsResult> {
  return pulumi.output(args.account).apply((account) => getJobs(account === undefined ? {} : { account }));
}

const failed = (name: string, { what, fix }: Explanation) => runError(`${name}: ${sentences(what, fix)}`);

function listOnce(name: string | undefined): Promise<JobList> {
  const service = serviceToRead("getJobs", name);
  const { jobs } = currentRun();
  const list = jobs.get(service) ?? listJobs(service);
  jobs.set(service, list);
  return list;
}

function serviceToRead(caller: string, name: string | undefined): Service {
  const service = serviceFor(name);
  if (service.account.jobOperations === "all") return service;
  throw runError(
    `${caller}: the documented operations of the service cannot read jobs, and data-connectivity:jobOperations is "create". ` +
      "Set it: pulumi config set data-connectivity:jobOperations all",
  );
}

/** Every member is there, for outputs lift only through members that are. */
function infoOf({ job, jobType }: ReadRecord): JobInfo {
  const { lastRun = {} } = job;
  return {
    id: job.id,
    jobType,
    name: job.name,
    enabled: job.enabled,
    created: job.created,
    lastModified: job.lastModified,
    nextRunTime: job.nextRunTime,
    intervalUnit: job.intervalUnit,
    intervalValue: job.intervalValue,
    logVerbosity: job.logVerbosity,
    lastRun: {
      status: lastRun.status,
      dateTime: lastRun.dateTime,
      duration: lastRun.duration,
      rowsAffected: lastRun.rowsAffected,
      nextRunTime: lastRun.nextRunTime,
    },
    params: job.params ?? {},
  };
}
