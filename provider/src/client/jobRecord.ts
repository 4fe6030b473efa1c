import { isNever } from "../jobs/dateTime.js";
import { isJson, isObject, type JsonObject } from "../json.js";

/** The last run of a job, as the service last told it. A job that has never run has neither `dateTime` nor `duration`. */
export interface LastRun {
  /** `JOB_QUEUED` for a new job; the interface document names no other value. */
  readonly status?: string;
  /** When it ran, an ISO 8601 date-time; absent while the job has never run. */
  readonly dateTime?: string;
  /** How long it ran; the interface document names no unit. Absent while the job has never run. */
  readonly duration?: number;
  readonly rowsAffected?: number;
  /** The next run as the last one knew it, an ISO 8601 date-time; absent while the job has never run. */
  readonly nextRunTime?: string;
}

/** The service's own record of a job as it was last seen: with the documented interface, its reply to the create. */
export interface JobRecord {
  /** The job's id at the service; absent while it is in doubt whether the job was made. */
  readonly id?: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly created?: string;
  readonly lastModified?: string;
  /** The next run, an ISO 8601 date-time; absent where the service knows none. */
  readonly nextRunTime?: string;
  readonly intervalUnit?: string;
  readonly intervalValue?: number;
  readonly logVerbosity?: number;
  readonly lastRun?: LastRun;
  /** The job's details as the service stored them, `sourceConnectionName` included. */
  readonly params?: JsonObject;
}

/** A record that was read from a reply, with the members that were there and could not be read. */
export interface ReadRecord {
  readonly job: JobRecord & { readonly id: string };
  readonly odd: readonly string[];
}

/** Reads one job object of a reply, tolerantly; undefined where it has no id. New members are left out, odd ones too. */
export function readJobRecord(value: unknown): ReadRecord | undefined {
  if (!isObject(value)) return undefined;
  const id = readId(value["id"]);
  if (id === undefined) return undefined;
  const reader = new MemberReader(value, "");
  const lastRun = isObject(value["lastRun"]) ? new MemberReader(value["lastRun"], "lastRun.") : undefined;
  const job = {
    id,
    ...reader.text("name"),
    ...reader.flag("enabled"),
    ...reader.time("created"),
    ...reader.time("lastModified"),
    ...reader.time("nextRunTime"),
    ...reader.text("intervalUnit"),
    ...reader.count("intervalValue"),
    ...reader.count("logVerbosity"),
    ...(lastRun === undefined ? {} : { lastRun: readLastRun(lastRun) }),
    ...reader.params(),
  };
  return { job, odd: [...reader.odd, ...(lastRun?.odd ?? [])] };
}

function readId(id: unknown): string | undefined {
  if (typeof id === "string" && id.trim() !== "") return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? String(id) : undefined;
}

function readLastRun(reader: MemberReader): LastRun {
  const dateTime = reader.time("dateTime");
  return {
    ...reader.text("status"),
    ...dateTime,
    // For a job that never ran it is the time since the year 0001: meaningless, and another one at each look.
    ...("dateTime" in dateTime ? reader.count("duration") : {}),
    ...reader.count("rowsAffected"),
    ...reader.time("nextRunTime"),
  };
}

/** Reads members one by one: what is absent or null stays absent, what has another type is noted and left out. */
class MemberReader {
  readonly odd: string[] = [];

  constructor(
    private readonly from: Readonly<Record<string, unknown>>,
    private readonly path: string,
  ) {}

  text<Name extends string>(name: Name): Partial<Record<Name, string>> {
    return this.read(name, (value) => (typeof value === "string" ? value : undefined));
  }

  /** A date-time stays the text it is; the service's minimum means "never" and is left out. */
  time<Name extends string>(name: Name): Partial<Record<Name, string>> {
    const value = this.from[name];
    return typeof value === "string" && isNever(value) ? {} : this.text(name);
  }

  count<Name extends string>(name: Name): Partial<Record<Name, number>> {
    return this.read(name, (value) => {
      const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
      return typeof number === "number" && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
    });
  }

  flag<Name extends string>(name: Name): Partial<Record<Name, boolean>> {
    return this.read(name, (value) => {
      if (typeof value === "boolean") return value;
      return value === "true" ? true : value === "false" ? false : undefined;
    });
  }

  params(): { params?: JsonObject } {
    return this.read("params", (value) => {
      if (!isObject(value)) return undefined;
      const members = Object.entries(value).flatMap(([name, member]) =>
        name !== "__proto__" && member !== null && isJson(member) ? [[name, member] as const] : [],
      );
      return Object.fromEntries(members);
    });
  }

  private read<Name extends string, Value>(
    name: Name,
    convert: (value: unknown) => Value | undefined,
  ): Partial<Record<Name, Value>> {
    const value = this.from[name];
    if (value === undefined || value === null) return {};
    const converted = convert(value);
    if (converted === undefined) this.odd.push(`${this.path}${name}`);
    const result: Partial<Record<Name, Value>> = {};
    if (converted !== undefined) result[name] = converted;
    return result;
  }
}
