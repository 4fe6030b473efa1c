import { isNever } from "../dateTime.js";
import { IntervalUnit, jobKinds } from "../jobs/index.js";
import { isJson, isObject, type JsonObject } from "../json.js";
import { oneLineOf, replaced, type Hidden } from "./reply.js";

/** The last run of a job, as last read. A job that has never run has neither `dateTime` nor `duration`. */
export interface LastRun {
  /** `JOB_QUEUED` for a new job; the interface document names no other value. */
  readonly status: string | undefined;
  /** When it ran, an ISO 8601 date-time as the service wrote it; absent while the job has never run. */
  readonly dateTime: string | undefined;
  /** How long it ran, in a unit that the interface document does not name; absent while the job has never run. */
  readonly duration: number | undefined;
  /** How many rows the run affected. */
  readonly rowsAffected: number | undefined;
  /** The job's next run, as reported in `lastRun`: an ISO 8601 date-time; absent while the job has never run. */
  readonly nextRunTime: string | undefined;
}

/** The `params` of a job as the service stored them; each member is absent if the service did not report it. */
export interface JobRecordParams {
  /** Name of a column of the cached table. */
  readonly timeCheckColumn: string | undefined;
  /** `"true"` or `"false"`. */
  readonly autoTruncateStrings: string | undefined;
  /** Identifier of the source connection. */
  readonly sourceConnection: string | undefined;
  /** Display name of the source connection, which the service adds. */
  readonly sourceConnectionName: string | undefined;
  /** Name of the source. */
  readonly sourceName: string | undefined;
  /** Schema of the source. */
  readonly sourceSchema: string | undefined;
  /** The cached table. */
  readonly sourceTable: string | undefined;
}

/**
 * A job as the service last returned it. The record is empty while the create is unconfirmed. If any declared value is
 * secret, the whole record is secret in the state.
 *
 * - `jobOperations: create`: the record is the reply to the create. For an adopted job, it is only `{ id }`.
 * - `jobOperations: all`: each change, refresh and adoption also updates the record.
 */
export interface JobRecord {
  /** The job's id at the service; absent while the create is unconfirmed. Use this, or `jobId`, not the resource's `id`. */
  readonly id: string | undefined;
  /** Name of the job. */
  readonly name: string | undefined;
  /** Whether the job runs. */
  readonly enabled: boolean | undefined;
  /** When it was created, an ISO 8601 date-time as the service wrote it. */
  readonly created: string | undefined;
  /** When it was last modified, an ISO 8601 date-time as the service wrote it. */
  readonly lastModified: string | undefined;
  /**
   * The job's next run, as of the last time the job was read: an ISO 8601 date-time as the service wrote it; absent if
   * the service reports none.
   */
  readonly nextRunTime: string | undefined;
  /** The unit of the interval. */
  readonly intervalUnit: string | undefined;
  /** Number of interval units until the job runs again. */
  readonly intervalValue: number | undefined;
  /** How much the service logs about the job; 1 to 5. */
  readonly logVerbosity: number | undefined;
  /** The last run. */
  readonly lastRun: LastRun;
  /** The `params` as the service stored them. */
  readonly params: JobRecordParams;
}

/**
 * A record with every member optional, at every depth. This package uses it for the records that it reads. The public
 * types have no optional members, because Pulumi lifts outputs only through members that are always present.
 */
type Known<Record> = {
  readonly [Member in keyof Record]?: Record[Member] extends object
    ? Known<Record[Member]>
    : NonNullable<Record[Member]>;
};

/** A record as it is saved: the members that the service reported. */
export type KnownRecord = Omit<Known<JobRecord>, "params"> & { readonly params?: JsonObject };

/** A record that was read from a reply. */
export type CompleteRecord = KnownRecord & { readonly id: string };

/** A record that was read from a reply, and the members that were present but unreadable. */
export interface ReadRecord {
  readonly job: CompleteRecord;
  /** `Caching` or `ScheduledQuery`, if the service reported it. */
  readonly jobType?: string;
  readonly unreadable: readonly string[];
  /**
   * The paths of the members that the service reported as null, or as the date-time that means "never". Absent members
   * are not listed, because the service may just not have reported them.
   */
  readonly cleared?: readonly string[];
}

/** Reads one job object. Returns undefined if the object has no usable id. Leaves out unknown and unreadable members. */
export function readJobRecord(value: unknown): ReadRecord | undefined {
  const id = readJobId(value);
  if (id === undefined || !isObject(value)) return undefined;
  const unreadable: string[] = [];
  const { params, ...members } = readMembers(value, jobMembers, unreadable);
  const lastRun = readLastRun(value["lastRun"], unreadable);
  const { jobType } = value;
  return {
    job: { id, ...members, ...(lastRun && { lastRun }), ...(params && { params }) },
    ...(typeof jobType === "string" && jobType.trim() !== "" && { jobType: wordOf(jobType, jobTypes) ?? jobType }),
    unreadable,
    cleared: [...emptyMembers(value), ...emptyMembers(value["params"]).map((member) => `params.${member}`)],
  };
}

const jobTypes = jobKinds.map((kind) => kind.jobType);

const emptyMembers = (value: unknown): string[] =>
  isObject(value) ? Object.keys(value).filter((member) => value[member] === null || time(value[member]) === null) : [];

/**
 * Characters that could control a terminal. An id must not contain them, because the engine prints an id as it is.
 * `existingJobId` refuses them too.
 */
const steering = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The id of a job object, if usable. An id that contained the token is not: once redacted, it is a different id. */
export function readJobId(raw: unknown): string | undefined {
  const id = isObject(raw) ? raw["id"] : undefined;
  if (typeof id === "string" && id.trim() !== "" && !replaced.test(id) && !steering.test(id)) return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? String(id) : undefined;
}

/** Why the id of a job object is unusable. Quotes the id without secrets, so that the user can look up the job. */
export function idProblem(raw: unknown, hidden: readonly Hidden[]): string | undefined {
  const id = isObject(raw) ? raw["id"] : undefined;
  if (typeof id !== "string" || !steering.test(id)) return undefined;
  return `The id of its job has control characters: ${oneLineOf(id, hidden)}.`;
}

/** Reads one member: null if it says that there is no value, undefined if it is unreadable. */
type Reader<Value> = (value: unknown) => Value | null | undefined;

const text: Reader<string> = (value) => (typeof value === "string" ? value : undefined);

/** A date-time, unchanged; the service's minimum date-time means "never". */
const time: Reader<string> = (value) => (typeof value === "string" && isNever(value) ? null : text(value));

const count: Reader<number> = (value) => {
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
};

const flag: Reader<boolean> = (value) => {
  if (typeof value === "boolean") return value;
  const word = wordOf(value, ["true", "false"]);
  return word === undefined ? undefined : word === "true";
};

/** The word that a value is, in upper or lower case. */
const wordOf = (value: unknown, words: readonly string[]): string | undefined =>
  typeof value === "string" ? words.find((word) => word.toLowerCase() === value.toLowerCase()) : undefined;

const unit: Reader<string> = (value) => wordOf(value, Object.values(IntervalUnit)) ?? text(value);

const jsonMembers: Reader<JsonObject> = (value) => {
  if (!isObject(value)) return undefined;
  const members = Object.entries(value).flatMap(([name, member]) =>
    name !== "__proto__" && member !== null && isJson(member) ? [[name, member] as const] : [],
  );
  return Object.fromEntries(members);
};

const jobMembers = {
  name: text,
  enabled: flag,
  created: time,
  lastModified: time,
  nextRunTime: time,
  intervalUnit: unit,
  intervalValue: count,
  logVerbosity: count,
  params: jsonMembers,
};

const lastRunMembers = { status: text, dateTime: time, rowsAffected: count, nextRunTime: time };

function readLastRun(value: unknown, unreadable: string[]): Known<LastRun> | undefined {
  if (!isObject(value)) return undefined;
  const read = readMembers(value, lastRunMembers, unreadable, "lastRun.");
  // For a job that never ran, `duration` is the time since the year 0001: meaningless, and different at each read.
  return read.dateTime === undefined
    ? read
    : { ...read, ...readMembers(value, { duration: count }, unreadable, "lastRun.") };
}

/** Reads the members of an object. Leaves out those that are absent, null or unreadable; adds the last to `unreadable`. */
function readMembers<Values>(
  from: Readonly<Record<string, unknown>>,
  readers: { readonly [Name in keyof Values]: Reader<Values[Name]> },
  unreadable: string[],
  path = "",
): Partial<Values> {
  const read: Partial<Values> = {};
  for (const name in readers) {
    const member = from[name] ?? null;
    const value = member === null ? null : readers[name](member);
    if (value === undefined) unreadable.push(`${path}${name}`);
    else if (value !== null) read[name] = value;
  }
  return read;
}

/**
 * The job objects in a reply; undefined if it has none. The interface document puts the jobs in `jobs`, but a reply may
 * itself be a single job. `null` is an empty array.
 */
export function jobsIn(reply: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  if ("jobs" in reply) {
    const jobs = reply["jobs"] ?? [];
    return Array.isArray(jobs) ? jobs : isObject(jobs) ? [jobs] : undefined;
  }
  // An object with an id is not always a job: replies that report a failure have an id, too.
  const isJob = ["intervalUnit", "intervalValue", "lastRun", "nextRunTime", "params"].some((name) => name in reply);
  return isJob ? [reply] : undefined;
}
