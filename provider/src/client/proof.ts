import { changesNotShown, differingValues, type DeclaredJob } from "../jobs/index.js";
import { canonicalJson, isObject, membersOf } from "../json.js";
import { sentences } from "../sentences.js";
import type { Reply } from "./http.js";
import {
  compareIdentity,
  idKey,
  isOfKind,
  isSameId,
  isSameIdInAnyCase,
  mayBeIdentity,
  reportsNoIdentity,
} from "./jobMatch.js";
import { idProblem, jobsIn, readJobRecord, type ReadRecord } from "./jobRecord.js";
import { hiddenToken, objectIn, oneLineOf } from "./reply.js";
import { reportsFailure, signBeside, signOfCache } from "./signs.js";

/**
 * What a 2xx reply proves, by the purpose of its request. `proved` needs a reason. Everything else is unknown: look again
 * if that is possible, and never record it as done, gone, free or ours.
 */
export type Proof<Value> = { readonly kind: "proved"; readonly value: Value } | Unknown;

export interface Unknown {
  readonly kind: "unknown";
  /** What the reply lacks, in a sentence. */
  readonly why: string;
}

/** A reply, and the token of its request. */
interface Given {
  readonly reply: Reply;
  readonly token: string;
}

const proved = <Value>(value: Value): Proof<Value> => ({ kind: "proved", value });
const unknown = (why: string): Unknown => ({ kind: "unknown", why });

/** 200 and 201 say that something was done. 202 says that it will be done, and the others say less. */
const isDone = (status: number): boolean => status === 200 || status === 201;

/** The jobs in a reply. What they report is the proof, whatever stands beside them. */
function jobsShown({
  reply,
  token,
}: Given): Proof<{ readonly raw: readonly unknown[]; records: readonly ReadRecord[] }> {
  const raw = jobsIn(objectIn(reply, token) ?? {});
  return raw === undefined
    ? unknown(noReadableJob)
    : proved({ raw, records: raw.flatMap((job) => readJobRecord(job) ?? []) });
}

const noReadableJob = "The reply has no readable job.";

const reportsAFailure = "The reply reports a failure.";

const speaksAgainst = (sign: string): string =>
  `The reply says in "${oneLineOf(sign, [])}" that it is old, not the whole answer, or that something failed.`;

/** What a reply to a create does not prove, and the id of the one job that it names: that job may be the create's. */
interface UnknownCreate extends Unknown {
  readonly named?: ReadRecord | undefined;
}

/**
 * A create: the reply shows one job, with the declared source and of no other kind. `isAllThereIs`: whether the job
 * cannot be read afterwards. If so, its job also counts as the created one if the reply shows a part of the source and
 * nothing that differs from the declaration.
 */
export function provesCreate(
  given: Given,
  job: DeclaredJob,
  isAllThereIs: boolean,
): Exclude<Proof<ReadRecord>, Unknown> | UnknownCreate {
  const shown = jobsShown(given);
  if (shown.kind === "unknown") return shown;
  const { raw, records } = shown.value;
  const [named] = records;
  const isOne = records.length === 1 && named !== undefined && isOfKind(job.kind, named);
  const unproved = (why: string) => ({ ...unknown(why), named: isOne ? named : undefined });
  if (!isDone(given.reply.status)) return unproved("This status does not say that the job was created.");
  if (reportsFailure(objectIn(given.reply, given.token))) return unproved(reportsAFailure);
  const cached = signOfCache(given.reply.headers);
  if (cached !== undefined) return unproved(speaksAgainst(cached));
  if (records.length === 0)
    return unknown(sentences(noReadableJob, ...raw.map((job) => idProblem(job, hiddenToken(given.token)))));
  const isUnreported = (record: ReadRecord) => compareIdentity(job, record) === "unreported";
  // An object with nothing of the source is nobody's job: gateways answer with objects that have an id, too.
  const mayBe = (record: ReadRecord) =>
    isUnreported(record) && !reportsNoIdentity(job, record) && differingValues(job, record.job).length === 0;
  const isSilent = (record: ReadRecord) => mayBe(record) || reportsNoIdentity(job, record);
  const isOwn = (record: ReadRecord) =>
    isOfKind(job.kind, record) && (compareIdentity(job, record) === "same" || (isAllThereIs && mayBe(record)));
  const own = records.filter(isOwn);
  if (own.length === 0)
    return unproved(
      records.every(isSilent)
        ? `The reply does not show the whole source of its job (${idsOf(records)}).`
        : `The reply is about another job (${idsOf(records)}), not about the declared one.`,
    );
  const [found, ...more] = own.length > 1 ? own.filter((record) => differingValues(job, record.job).length === 0) : own;
  if (found !== undefined && more.length === 0) return proved(found);
  return unknown(`The reply has several jobs (${idsOf(own)}), and it is unclear which of them is the declared one.`);
}

export function idsOf(records: readonly ReadRecord[]): string {
  const ids = records.slice(0, 10).map(({ job }) => oneLineOf(job.id, []));
  return [...ids, ...(records.length > 10 ? [`and ${records.length - 10} more`] : [])].join(", ");
}

/**
 * A read by id: the reply shows the job once, or says with an empty array (or null) that there is none. For a declared
 * job, {@link otherJob} checks whether it is that job.
 */
export function provesRead(given: Given, id: string): Proof<ReadRecord | "missing"> {
  const shown = jobsShown(given);
  if (shown.kind === "unknown") return shown;
  if (given.reply.status !== 200) return unknown("This status is not the answer to a read.");
  if (reportsFailure(objectIn(given.reply, given.token))) return unknown(reportsAFailure);
  const cached = signOfCache(given.reply.headers);
  if (cached !== undefined) return unknown(speaksAgainst(cached));
  const { raw, records } = shown.value;
  if (raw.length === 0) {
    const sign = signBeside(given.reply, objectIn(given.reply, given.token) ?? {}, { member: "jobs", length: 0 });
    return sign === undefined ? proved("missing") : unknown(speaksAgainst(sign));
  }
  const isAsked = ({ job }: ReadRecord) => isSameId(job.id, id);
  // The service was asked for this id, and so says itself that both cases are one id.
  const [only, ...others] = records;
  const inOtherCase = only !== undefined && others.length === 0 && isSameIdInAnyCase(only.job.id, id) ? [only] : [];
  const [found, ...more] = records.some(isAsked) ? records.filter(isAsked) : inOtherCase;
  return found !== undefined && more.length === 0 ? proved(found) : unknown(`The reply is not job ${id}.`);
}

/** The job that an id should belong to. */
export interface Expected {
  readonly job: DeclaredJob;
  /**
   * Whether the id was never seen with the declared source: only that source then proves that the id is right. Otherwise,
   * another source is just a change of the job.
   */
  readonly needsSource: boolean;
}

/** A job that has the expected id, but another kind, or not the source that proves the id. */
export interface OtherJob {
  readonly kind: "other";
  readonly differs: "kind" | "source";
  readonly record: ReadRecord;
}

/** The record if it belongs to another job than the expected one; undefined otherwise. */
export function otherJob({ job, needsSource }: Expected, record: ReadRecord): OtherJob | undefined {
  if (!isOfKind(job.kind, record)) return { kind: "other", differs: "kind", record };
  const isProved = !needsSource || compareIdentity(job, record) === "same" || mayBeIdentity(job, record);
  return isProved ? undefined : { kind: "other", differs: "source", record };
}

/** A change: the reply shows the job, and each changed member as it is declared now. */
export function provesChange(given: Given, id: string, before: DeclaredJob, now: DeclaredJob): Proof<ReadRecord> {
  // A reply may repeat the request, whatever became of it.
  if (reportsFailure(objectIn(given.reply, given.token))) return unknown(reportsAFailure);
  const read = provesRead(given, id);
  const shown = read.kind === "proved" && read.value !== "missing" ? read.value : undefined;
  return shown === undefined ? unknown(showsNoChange) : showsChange(shown, before, now);
}

const showsNoChange = "The reply does not show the changed job.";

/** The same for the record in the reply to a later read. */
export function showsChange(record: ReadRecord, before: DeclaredJob, now: DeclaredJob): Proof<ReadRecord> {
  if (compareIdentity(now, record) === "other" && !mayBeIdentity(now, record)) return unknown(showsNoChange);
  const missing = changesNotShown(record.job, before, now);
  return missing.length === 0 ? proved(record) : unknown(`The reply does not show the new ${missing.join(", ")}.`);
}

/**
 * A delete: the reply is empty, with the status 200 or 204. After 202 (the job will be deleted) or a reply that still
 * shows the job, the list shows when the job is gone.
 */
export function provesDelete({ reply }: Given): Proof<"deleted"> {
  const isEmpty = reply.body.trim() === "";
  if (isEmpty && (reply.status === 200 || reply.status === 204)) return proved("deleted");
  return unknown(isEmpty ? "This status does not say that the job is deleted." : "That is not a clear answer.");
}

/** A run: the reply is empty, or an object that reports no failure. */
export function provesRun({ reply, token }: Given): Proof<"accepted"> {
  const body = reply.body.trim() === "" ? {} : objectIn(reply, token);
  if (body === undefined) return unknown("That is not a clear answer.");
  return reportsFailure(body) ? unknown(reportsAFailure) : proved("accepted");
}

/** The lists that may be `null`, by the interface document or the vendor's other documents: such a list is empty. */
const nullableLists: readonly string[] = ["jobs", "accounts"];

/**
 * A list: the reply contains the whole list, each entry is readable, and nothing next to the list reports a failure or
 * more entries. An unreadable entry may be the one that is looked for.
 */
export function provesList<Entry>(
  { reply, token }: Given,
  member: string,
  read: (entry: unknown) => Entry | undefined,
): Proof<readonly Entry[]> {
  const body = objectIn(reply, token);
  const reported = body?.[member];
  const list = reported === null && nullableLists.includes(member) ? [] : reported;
  if (body === undefined || !Array.isArray(list)) return unknown(`The reply has no "${member}" array.`);
  return provesEntries(reply, body, { member, list, read });
}

/** A list of jobs: the same, and it shows no job in two ways, as where a job moves while pages are put together. */
export function provesJobs(given: Given): Proof<readonly ReadRecord[]> {
  const jobs = provesList(given, "jobs", readJobRecord);
  if (jobs.kind === "unknown") return jobs;
  const byId = new Map<string, ReadRecord>();
  for (const record of jobs.value) {
    const same = byId.get(idKey(record.job.id)) ?? record;
    if (same !== record && canonicalJson({ ...same }) !== canonicalJson({ ...record }))
      return unknown(`The reply shows job ${idsOf([record])} in two ways.`);
    byId.set(idKey(record.job.id), same);
  }
  return proved([...byId.values()]);
}

function provesEntries<Entry>(
  reply: Reply,
  body: Readonly<Record<string, unknown>>,
  { member, list, read }: { member: string; list: readonly unknown[]; read: (entry: unknown) => Entry | undefined },
): Proof<readonly Entry[]> {
  if (reply.status !== 200) return unknown("This status is not the answer to a list.");
  const sign = signBeside(reply, body, { member, length: list.length });
  if (sign !== undefined) return unknown(speaksAgainst(sign));
  const entries = list.flatMap((entry) => read(entry) ?? []);
  if (entries.length === list.length) return proved(entries);
  return unknown(`${list.length - entries.length} of its ${member} cannot be read.`);
}

/** The preflight: the reply has the list, whatever is in it, so the service answers. */
export const provesThatItAnswers = ({ reply, token }: Given, member: string): boolean =>
  reply.status === 200 && Array.isArray(objectIn(reply, token)?.[member]);

/** The rows of a query: each row is an array, in the column order of `schema`. */
export function provesRows<Row>(
  { reply, token }: Given,
  columns: readonly string[],
  read: (cells: readonly unknown[]) => Row | undefined,
): Proof<readonly Row[]> {
  const body = objectIn(reply, token);
  const reported = body?.["results"];
  const results: readonly unknown[] = Array.isArray(reported) ? reported : [];
  const [result, ...more] = results;
  const { schema, rows, ...beside } = membersOf(result);
  const places = (Array.isArray(schema) ? schema : []).map((column) => isObject(column) && column["columnName"]);
  const at = columns.map((column) => places.indexOf(column));
  const list = rows === null ? [] : rows;
  if (body === undefined || more.length > 0 || at.includes(-1) || !Array.isArray(list))
    return unknown('The reply has no "rows of tables" array.');
  return provesEntries(
    reply,
    { ...body, results: { ...beside, affectedRows: null }, rows: list },
    {
      member: "rows",
      list,
      read: (row) => read(Array.isArray(row) ? at.map((place): unknown => row[place]) : []),
    },
  );
}
