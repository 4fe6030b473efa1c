import type { IsPlain } from "../jobs/index.js";
import { canonicalJson, isObject, type JsonObject } from "../json.js";
import { readJobRecord, type KnownRecord, type ReadRecord } from "./jobRecord.js";
import { oneLineOf } from "./redact.js";

/** The job objects in a reply: in `jobs`, as the interface document shows it, or one job by itself. */
export function jobsIn(reply: unknown): readonly unknown[] {
  const jobs = isObject(reply) ? reply["jobs"] : undefined;
  if (Array.isArray(jobs)) return jobs;
  if (isObject(jobs)) return [jobs];
  return isJob(reply) ? [reply] : [];
}

/** An id alone is no job: replies that tell of a failure have one too. */
const isJob = (reply: unknown): boolean =>
  isObject(reply) &&
  ["intervalUnit", "intervalValue", "lastRun", "nextRunTime", "params"].some((name) => name in reply);

/** The readable jobs in a reply. */
export const readJobs = (reply: unknown, token: string): ReadRecord[] =>
  jobsIn(reply).flatMap((job) => readJobRecord(job, token) ?? []);

/** This many ids are named in a message, at most. */
const idsShown = 10;

/** The ids of some jobs, for a message. */
export function idsOf(records: readonly ReadRecord[]): string {
  const ids = records.slice(0, idsShown).map(({ job }) => oneLineOf(job.id, []));
  return [...ids, ...(records.length > idsShown ? [`and ${records.length - idsShown} more`] : [])].join(", ");
}

/** The members outside `params` in which a record is compared with a declaration or a request. */
export const comparedMembers = ["intervalUnit", "intervalValue", "logVerbosity", "enabled"] as const;

/** Those of them that are secret in a declaration or a request: an error of the service may echo them. */
export const secretMembers = (declared: Readonly<Record<string, unknown>>, isPlain: IsPlain): unknown[] =>
  comparedMembers.filter((member) => !isPlain(member)).map((member) => declared[member]);

/** The members in which the service's record differs from a request's body; what it does not tell is no difference. */
export function differences(job: KnownRecord, body: JsonObject): string[] {
  const members = comparedMembers.filter(
    (member) => job[member] !== undefined && !isSameValue(member, job[member], body[member]),
  );
  const stored: Readonly<Record<string, unknown>> = job.params ?? {};
  const params = Object.entries(isObject(body["params"]) ? body["params"] : {})
    .filter(([member, value]) => stored[member] !== undefined && !isSameValue(member, stored[member], value))
    .map(([member]) => `params.${member}`);
  return [...members, ...params];
}

/** Whether two values of a member mean the same: the service tells all members of `params` as strings, and UUIDs in either case. */
export function isSameValue(member: string, a: unknown, b: unknown): boolean {
  const [one, other] = [asText(a), asText(b)];
  if (one === other) return true;
  const anyCase = member === "sourceConnection" || /^(true|false)$/i.test(one);
  return anyCase && one.toLowerCase() === other.toLowerCase();
}

const asText = (value: unknown): string => (typeof value === "string" ? value : canonicalJson(value ?? null));

/** What a user should know about a reply that differs from the request. The job exists: none of this is an error. */
export function notesOn({ job, unreadable }: ReadRecord, body: JsonObject, isPlain: IsPlain): string[] {
  const subject = `job ${oneLineOf(job.id, [])}`;
  const differing = differences(job, body).map((member) =>
    member.startsWith("params.") || !isPlain(member)
      ? `another value of ${member}`
      : `${member} ${oneLineOf(JSON.stringify(memberOf(job, member)), [])} instead of ${JSON.stringify(body[member])}`,
  );
  return [
    ...(differing.length > 0 ? [`for ${subject} the service stored ${differing.join(", ")}.`] : []),
    ...(unreadable.length > 0
      ? [`the reply for ${subject} has members that cannot be read (${unreadable.join(", ")}); "job" lacks them.`]
      : []),
  ];
}

const memberOf = (job: KnownRecord, member: string): unknown =>
  new Map<string, unknown>(Object.entries(job)).get(member);
