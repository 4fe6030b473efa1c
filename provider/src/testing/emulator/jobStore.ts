import { randomUUID } from "node:crypto";
import { jobKinds } from "../../jobs/index.js";
import { parseJobBody, type JobBody } from "./jobBody.js";
import type { EmulatedConnection, EmulatedJob, EmulatedLastRun, EmulatedRun, JobChanges } from "./types.js";

/** The minimum date-time, which stands for "never". */
const NEVER = "0001-01-01T00:00:00Z";
const NEVER_RAN: EmulatedLastRun = {
  dateTime: NEVER,
  duration: 63894847975,
  status: "JOB_QUEUED",
  rowsAffected: 0,
  nextRunTime: NEVER,
};

/** The emulator's own choice: the interface document names no status of a run that has ended. */
const RUN: EmulatedRun = { status: "JOB_SUCCESS", duration: 0, rowsAffected: 0 };

function nameOf({ jobType, params }: JobBody): string {
  const kind = jobKinds.find((one) => one.jobType === jobType);
  const name = params[kind?.source.at(-1) ?? ""];
  return typeof name === "string" ? name : jobType;
}

const changed = (job: EmulatedJob, { lastRun, params, ...rest }: JobChanges): EmulatedJob => ({
  ...job,
  ...rest,
  lastRun: { ...job.lastRun, ...lastRun },
  params: { ...job.params, ...params },
});

interface StoreOptions {
  readonly systemNow: () => number;
  readonly connections: readonly EmulatedConnection[];
  readonly runs?: Readonly<Record<string, EmulatedRun>> | undefined;
  readonly jobs?: readonly EmulatedJob[] | undefined;
  readonly onChange?: ((jobs: readonly EmulatedJob[]) => void) | undefined;
}

/** The existing jobs. A change replaces the job object, so code that has the old object sees no change. */
export class JobStore {
  /** The jobs, in the order in which they were made. */
  readonly jobs: EmulatedJob[];
  /** The newest time that a job has, in units of 100 nanoseconds since 1970. */
  #newest = 0n;
  readonly #runs: Map<string, EmulatedRun>;

  constructor(private readonly options: StoreOptions) {
    this.jobs = [...(options.jobs ?? [])];
    this.#runs = new Map(Object.entries(options.runs ?? {}));
  }

  /** Sets how later runs of these jobs end. */
  endRuns(runs: Readonly<Record<string, EmulatedRun>>): void {
    for (const [job, run] of Object.entries(runs)) this.#runs.set(job, run);
  }

  find(id: string): EmulatedJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  /**
   * Makes a job from the body of a create, or of an update if `kept` is the known job; omitted members get defaults. The
   * job exists, or is changed, only after `set`. `problem` names each wrong member of the body.
   */
  describe(body: unknown, kept: Partial<EmulatedJob> = {}): EmulatedJob | { problem: string } {
    const parsed = parseJobBody(body);
    if ("problem" in parsed) return parsed;
    const { jobType, params, definedNextRun, ...schedule } = parsed.declared;
    if (kept.jobType !== undefined && kept.jobType !== jobType)
      return { problem: `jobType: must be ${kept.jobType}, as the job was made` };
    const now = this.#now();
    const connection = this.options.connections.find(({ id }) => id === params["sourceConnection"]);
    const fresh = { id: randomUUID(), created: now, nextRunTime: now, lastRun: NEVER_RAN };
    return {
      ...fresh,
      ...kept,
      ...schedule,
      ...(definedNextRun !== undefined && { nextRunTime: definedNextRun }),
      name: nameOf(parsed.declared),
      lastModified: now,
      params: {
        ...params,
        ...(jobType === "Caching" && { sourceConnectionName: connection?.name ?? params["sourceName"] }),
      },
      jobType,
      body,
    };
  }

  /** The job after a run that began and ended now. */
  run(job: EmulatedJob): EmulatedJob {
    const run = this.#runs.get(job.name) ?? this.#runs.get("*");
    return changed(job, { lastRun: { ...RUN, ...run, dateTime: this.#now() } });
  }

  /** Adds the job with this id, replaces it, or removes it if `job` is undefined. */
  set(id: string, job: EmulatedJob | undefined): void {
    const index = this.jobs.findIndex((one) => one.id === id);
    this.jobs.splice(index === -1 ? this.jobs.length : index, 1, ...(job === undefined ? [] : [job]));
    this.options.onChange?.(this.jobs);
  }

  /** @throws Error if the body is not accepted or the id is taken. */
  add(body: unknown, { id, ...changes }: JobChanges & { id?: string | undefined } = {}): EmulatedJob {
    const made = this.describe(body);
    if ("problem" in made) throw new Error(`The emulator cannot add this job: ${made.problem}`);
    const job = { ...changed(made, changes), id: id ?? made.id };
    if (this.find(job.id) !== undefined) throw new Error(`The emulator already has a job ${JSON.stringify(job.id)}.`);
    this.set(job.id, job);
    return job;
  }

  /** @throws Error if there is no such job. */
  change(id: string, changes: JobChanges): EmulatedJob {
    const job = changed(this.#existing(id), { lastModified: this.#now(), ...changes });
    this.set(id, job);
    return job;
  }

  /** @throws Error if there is no such job. */
  remove(id: string): void {
    this.set(this.#existing(id).id, undefined);
  }

  #existing(id: string): EmulatedJob {
    const job = this.find(id);
    if (job === undefined) throw new Error(`The emulator has no job ${JSON.stringify(id)}.`);
    return job;
  }

  /** The current time in the service's format. No two times are equal, so that every change of a job is visible. */
  #now(): string {
    const now = BigInt(this.options.systemNow()) * 10_000n;
    this.#newest = now > this.#newest ? now : this.#newest + 1n;
    const milliseconds = new Date(Number(this.#newest / 10_000n)).toISOString().slice(0, -1);
    return `${milliseconds}${String(this.#newest % 10_000n).padStart(4, "0")}Z`;
  }
}
