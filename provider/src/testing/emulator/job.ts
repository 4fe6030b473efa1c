import { randomUUID } from "node:crypto";
import { z } from "zod";

/** The minimum date-time, which stands for "never". */
const NEVER = "0001-01-01T00:00:00Z";

/** The interface declares numbers and a boolean, its examples send them as quoted strings: both are taken. */
const int32 = z.union(
  [
    z.int32(),
    z
      .string()
      .regex(/^-?\d{1,10}$/)
      .transform(Number)
      .pipe(z.int32()),
  ],
  {
    error: "must be a 32-bit integer",
  },
);
const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")], {
  error: "must be true or false",
});

const schedule = {
  intervalUnit: z.enum(["Hour", "Day", "Week", "Month"]),
  intervalValue: int32,
  logVerbosity: int32.refine((level) => level >= 1 && level <= 5, "must be from 1 to 5"),
  enabled: flag.default(true),
  definedNextRun: z.iso.datetime({ offset: true, local: true }).optional(),
};

const creation = z.discriminatedUnion("jobType", [
  z.looseObject({
    jobType: z.literal("Caching"),
    ...schedule,
    params: z.looseObject({
      timeCheckColumn: z.string(),
      autoTruncateStrings: z.enum(["true", "false"]),
      sourceConnection: z.string(),
      sourceName: z.string(),
      sourceSchema: z.string(),
      sourceTable: z.string(),
    }),
  }),
  z.looseObject({ jobType: z.literal("ScheduledQuery"), ...schedule, params: z.looseObject({}) }),
]);

type Creation = z.output<typeof creation>;

/** A job as the service describes it in its reply. Date-times are ISO 8601 with seven fraction digits, the minimum one means "never". */
export interface JobReply {
  /** A random UUID. */
  id: string;
  /** The table of a caching job; `params.name` of a scheduled query, or `ScheduledQuery` where it has none. */
  name: string;
  /** As it was sent; `true` where it was not. */
  enabled: boolean;
  /** When the request was read, in UTC. */
  created: string;
  /** The same as `created`: the emulator changes no job. */
  lastModified: string;
  /** `definedNextRun` as it was sent, or else `created`. */
  nextRunTime: string;
  /** As it was sent. */
  intervalUnit: string;
  /** As it was sent, as a number. */
  intervalValue: number;
  /** As it was sent, as a number. */
  logVerbosity: number;
  /** Always that of a job that has never run. */
  lastRun: {
    /** The minimum date-time: never. */
    dateTime: string;
    /** A number that means nothing, as the service gives for a job that has never run. */
    duration: number;
    /** `JOB_QUEUED`. */
    status: string;
    /** 0. */
    rowsAffected: number;
    /** The minimum date-time: unknown. */
    nextRunTime: string;
  };
  /** As they were sent; a caching job has `sourceConnectionName` besides. */
  params: Readonly<Record<string, unknown>>;
}

/** A job that was made: the reply to its create, and the request. */
export interface EmulatedJob extends JobReply {
  /** As it was sent: `Caching` for a CachingJob, `ScheduledQuery` for a ScheduledQueryJob. */
  jobType: "Caching" | "ScheduledQuery";
  /** The body of the request as it was received, quoted numbers and all. */
  body: unknown;
}

function nameOf({ jobType, params }: Creation): string {
  if (jobType === "Caching") return params.sourceTable;
  return typeof params["name"] === "string" ? params["name"] : "ScheduledQuery";
}

/** The job that the service would make of this body, or what is wrong with the body. */
export function makeJob(body: unknown): { job: JobReply; record: EmulatedJob } | { problem: string } {
  const parsed = creation.safeParse(body);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
    return { problem: lines.join("; ") };
  }
  const wanted = parsed.data;
  const now = new Date().toISOString().replace("Z", "0000Z");
  const job: JobReply = {
    id: randomUUID(),
    name: nameOf(wanted),
    enabled: wanted.enabled,
    created: now,
    lastModified: now,
    nextRunTime: wanted.definedNextRun ?? now,
    intervalUnit: wanted.intervalUnit,
    intervalValue: wanted.intervalValue,
    logVerbosity: wanted.logVerbosity,
    lastRun: { dateTime: NEVER, duration: 63894847975, status: "JOB_QUEUED", rowsAffected: 0, nextRunTime: NEVER },
    params:
      wanted.jobType === "Caching"
        ? { ...wanted.params, sourceConnectionName: wanted.params.sourceName }
        : { ...wanted.params },
  };
  return { job, record: { ...job, jobType: wanted.jobType, body } };
}
