import { getJob } from "../client/getJob.js";
import { listDataSources, type DataSourceList } from "../client/listDataSources.js";
import { listJobs, type JobList } from "../client/listJobs.js";
import type { CallFailure } from "../client/operation.js";
import type { Service, Services } from "../client/service.js";
import { SettingsError, type Settings } from "../config/index.js";
import { sentences } from "../sentences.js";
import { jobResult, type GetDataSourcesResult, type GetJobResult, type GetJobsResult } from "./results.js";

/**
 * Why a function has no result.
 *
 * - `notFound`: the service has no such job.
 * - `noToken`: no token is configured, or it cannot be had. Nothing was sent.
 * - `settings`: another setting is missing or does not allow this. Nothing was sent.
 * - `refused`: the service refused the request; the error has its status.
 * - `unavailable`: the service gave no clear answer, or the request could not be sent now.
 */
export type FailureReason = "notFound" | "noToken" | "settings" | "refused" | "unavailable";

export interface Failure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** The HTTP status of the answer, where there was one. */
  readonly status: number | undefined;
  readonly message: string;
}

export type Answer<Result> = { readonly kind: "found"; readonly result: Result } | Failure;

/** The functions of a program, without the SDK of any language. One list of each kind is asked for in a run and account. */
export class Functions {
  private readonly dataSources = new Map<Service, Promise<DataSourceList>>();
  private readonly jobs = new Map<Service, Promise<JobList>>();

  constructor(
    private readonly settings: Settings,
    private readonly services: Services,
  ) {}

  getDataSources(account?: string): Promise<Answer<GetDataSourcesResult>> {
    return this.answer("getDataSources", async () => {
      const list = await once(this.dataSources, this.service(account), listDataSources);
      return list.kind === "failed" ? failure("getDataSources", list) : found({ dataSources: list.dataSources });
    });
  }

  getJob(id: string, account?: string): Promise<Answer<GetJobResult>> {
    return this.answer("getJob", async () => {
      const got = await getJob(this.serviceToRead(account), id);
      if (got.kind === "found") return found(jobResult(got.record));
      if (got.kind === "failed") return failure("getJob", got);
      const message = `getJob: the service has no job ${id}. Check the id.`;
      return { kind: "failed", reason: "notFound", status: undefined, message };
    });
  }

  getJobs(account?: string): Promise<Answer<GetJobsResult>> {
    return this.answer("getJobs", async () => {
      const list = await once(this.jobs, this.serviceToRead(account), listJobs);
      return list.kind === "failed" ? failure("getJobs", list) : found({ jobs: list.jobs.map(jobResult) });
    });
  }

  private async answer<Result>(name: string, ask: () => Promise<Answer<Result>>): Promise<Answer<Result>> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return { kind: "failed", reason: "settings", status: undefined, message: `${name}: ${error.message}` };
    }
  }

  private service(account: string | undefined): Service {
    return this.services.of(this.settings.account(account));
  }

  private serviceToRead(account: string | undefined): Service {
    const service = this.service(account);
    if (service.account.jobOperations.canRead) return service;
    const { name, set } = this.settings.words;
    throw new SettingsError(
      `The documented operations of the service cannot read jobs, and ${name(["jobOperations"])} is "create".`,
      `Set it: ${set(["jobOperations"], "all")}`,
    );
  }
}

const found = <Result>(result: Result): Answer<Result> => ({ kind: "found", result });

function failure(name: string, { cause, status, what, fix }: CallFailure): Failure {
  return {
    kind: "failed",
    reason: cause === "unsent" ? "unavailable" : cause,
    status,
    message: `${name}: ${sentences(what, fix)}`,
  };
}

function once<List>(
  lists: Map<Service, Promise<List>>,
  service: Service,
  ask: (service: Service) => Promise<List>,
): Promise<List> {
  const list = lists.get(service) ?? ask(service);
  lists.set(service, list);
  return list;
}
