import { randomUUID } from "node:crypto";
import { jobKinds } from "../../jobs/index.js";
import type { EmulatedJob, EmulatedLastRun, JobChanges } from "./emulatedJob.js";
import { parseJobBody, type JobBody } from "./jobBody.js";
import type { EmulatedConnection } from "./types.js";

/** The minimum date-time, which stands for "never". */
const NEVER = "0001-01-01T00:00:00Z";
const NEVER_RAN: EmulatedLastRun = {
  dateTime: NEVER,
  duration: 63894847975,
  status: "JOB_QUEUED",
  rowsAffected: 0,
  nextRunTime: NEVER,
};

/** The current time in the service's format. No two times are equal, so that every change of a job is visible. */
class Clock {
  #millisecond = 0;
  #tick = 0;
  readonly #systemNow: () => number;

  constructor(systemNow: () => number) {
    this.#systemNow = systemNow;
  }

  now(): string {
    const millisecond = this.#systemNow();
    if (millisecond > this.#millisecond) {
      this.#millisecond = millisecond;
      this.#tick = 0;
    } else if (this.#tick < 9999) {
      this.#tick += 1;
    } else {
      this.#millisecond += 1;
      this.#tick = 0;
    }
    const time = new Date(this.#millisecond).toISOString().slice(0, -1);
    return `${time}${String(this.#tick).padStart(4, "0")}Z`;
  }
}

function nameOf({ jobType, params }: JobBody): string {
  const kind = jobKinds.find((one) => one.jobType === jobType);
  const name = params[kind?.source.at(-1) ?? ""];
  return typeof name === "string" ? name : jobType;
}

function changed(job: EmulatedJob, { lastRun, params, ...rest }: JobChanges): EmulatedJob {
  return {
    ...job,
    ...rest,
    ...(lastRun !== undefined && { lastRun: { ...job.lastRun, ...lastRun } }),
    ...(params !== undefined && { params: { ...job.params, ...params } }),
  };
}

const noJob = (id: string): Error => new Error(`The emulator has no job ${JSON.stringify(id)}.`);

/** The existing jobs. A change replaces the job object, so code that has the old object sees no change. */
export class JobStore {
  /** The jobs, in the order in which they were made. */
  readonly jobs: EmulatedJob[];
  readonly #clock: Clock;

  /** `onChange` is called with all jobs after each change. */
  constructor(
    now: () => number,
    jobs: readonly EmulatedJob[] = [],
    private readonly onChange: (jobs: readonly EmulatedJob[]) => void = () => undefined,
    private readonly connections: readonly EmulatedConnection[] = [],
  ) {
    this.#clock = new Clock(now);
    this.jobs = [...jobs];
  }

  find(id: string): EmulatedJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  /** Makes a new job from a body. The job exists only after `insert`. */
  describe(declared: JobBody, body: unknown): EmulatedJob {
    const now = this.#clock.now();
    return this.#described(
      declared,
      body,
      { id: randomUUID(), created: now, nextRunTime: now, lastRun: NEVER_RAN },
      now,
    );
  }

  /** Makes the changed job from the body of an update; omitted members get defaults. It applies only after `replace`. */
  redescribe(known: EmulatedJob, declared: JobBody, body: unknown): EmulatedJob {
    return this.#described(declared, body, known, this.#clock.now());
  }

  #described(
    declared: JobBody,
    body: unknown,
    kept: Pick<EmulatedJob, "id" | "created" | "nextRunTime" | "lastRun" | "account">,
    lastModified: string,
  ): EmulatedJob {
    return {
      id: kept.id,
      name: nameOf(declared),
      enabled: declared.enabled,
      created: kept.created,
      lastModified,
      nextRunTime: declared.definedNextRun ?? kept.nextRunTime,
      intervalUnit: declared.intervalUnit,
      intervalValue: declared.intervalValue,
      logVerbosity: declared.logVerbosity,
      lastRun: kept.lastRun,
      params: {
        ...declared.params,
        ...(declared.jobType === "Caching" && { sourceConnectionName: this.connectionOf(declared) }),
      },
      jobType: declared.jobType,
      body,
      ...(kept.account !== undefined && { account: kept.account }),
    };
  }

  private connectionOf({ params }: JobBody): unknown {
    const { sourceConnection, sourceName } = params;
    return this.connections.find(({ id }) => id === sourceConnection)?.name ?? sourceName;
  }

  insert(job: EmulatedJob): void {
    this.jobs.push(job);
    this.onChange(this.jobs);
  }

  /** @throws Error if there is no job with this job's id. */
  replace(job: EmulatedJob): void {
    this.jobs[this.#indexOf(job.id)] = job;
    this.onChange(this.jobs);
  }

  /** @throws Error if there is no such job. */
  remove(id: string): void {
    this.jobs.splice(this.#indexOf(id), 1);
    this.onChange(this.jobs);
  }

  /** @throws Error if the body is not accepted or the id is taken. */
  add(body: unknown, { id, ...changes }: JobChanges & { id?: string | undefined } = {}): EmulatedJob {
    const parsed = parseJobBody(body);
    if ("problem" in parsed) throw new Error(`The emulator cannot add this job: ${parsed.problem}`);
    const made = changed(this.describe(parsed.declared, body), changes);
    const job = id === undefined ? made : { ...made, id };
    if (this.find(job.id) !== undefined) throw new Error(`The emulator already has a job ${JSON.stringify(job.id)}.`);
    this.insert(job);
    return job;
  }

  /** @throws Error if there is no such job. */
  change(id: string, changes: JobChanges): EmulatedJob {
    const known = this.find(id);
    if (known === undefined) throw noJob(id);
    const job = changed(known, { lastModified: this.#clock.now(), ...changes });
    this.replace(job);
    return job;
  }

  #indexOf(id: string): number {
    const index = this.jobs.findIndex((job) => job.id === id);
    if (index === -1) throw noJob(id);
    return index;
  }
}
