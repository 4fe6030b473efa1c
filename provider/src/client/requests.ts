import type { DeclaredJob } from "../jobs/index.js";
import { membersOf } from "../json.js";
import { sentences } from "../sentences.js";
import type { AccountClient } from "./accountClient.js";
import { calls, type CallName } from "./calls.js";
import { isSameId } from "./jobMatch.js";
import type { ReadRecord } from "./jobRecord.js";
import {
  isMissing,
  notSent,
  preflightFailed,
  says,
  type Answered,
  type CallRequest,
  type CallResult,
  type Made,
  type NotDone,
  type Outcome,
  type Reason,
  type Stopped,
} from "./outcomes.js";
import {
  provesChange,
  provesCreate,
  provesDelete,
  provesJobs,
  provesList,
  provesRead,
  provesRows,
  provesRun,
  provesThatItAnswers,
  type Proof,
} from "./proof.js";
import { isWebPage } from "./reply.js";
import { send, type Decide } from "./send.js";

/** What a call came to: its reply proves it, or is not what was requested. */
function proven<Value>(result: CallResult, prove: (answered: Answered) => Proof<Value>): Outcome<Value> {
  if (result.kind !== "answered") return result;
  const proof = prove(result);
  return proof.kind === "proved" ? { kind: "done", value: proof.value } : result.unusable(proof.why);
}

/**
 * Asks the service to create the declared job. The create gate decides when to ask. The request is repeated only if the
 * service certainly did not process it.
 */
export async function createJob<Stop extends Stopped | NotDone>(
  client: AccountClient,
  job: DeclaredJob,
  decide: Decide<Stop>,
  secrets: unknown,
  began = client.machineClock.monotonic(),
): Promise<Outcome<Made> | Stop> {
  const result = await send(client, { call: "create", secrets, began }, decide);
  return result.kind === "stopped" ? result : outcomeOf(result, job, !client.account.mode.canRead);
}

/** What a create made. `isAllThereIs`: see {@link provesCreate}. */
function outcomeOf(result: CallResult, job: DeclaredJob, isAllThereIs: boolean): Outcome<Made> {
  if (result.kind !== "answered") return result;
  const { at, answer, reply, unusable } = result;
  const made = provesCreate(result, job, isAllThereIs);
  if (made.kind === "proved") return { kind: "done", value: { record: made.value, at, answer } };
  const unclear = unusable(made.why);
  const what = isWebPage(reply) ? sentences(unclear.what, unclear.fix) : unclear.what;
  return { ...unclear, what, named: made.named };
}

export type JobRead = Outcome<ReadRecord | "missing">;

/**
 * Requests one job by its id. Any answer other than this job or "no such job" is a failure: it does not show whether
 * the job exists.
 */
export async function getJob(client: AccountClient, id: string, secrets?: unknown): Promise<JobRead> {
  const result = await sendAbout<never>(client, id, { call: "get", secrets });
  return isMissing(result)
    ? { kind: "done", value: "missing" }
    : proven(result, (answered) => provesRead(answered, id));
}

/** A job that a list has is not missing, although a read does not find it: the service may not answer this call. */
export const unlessListed = (read: JobRead, isListed: boolean): JobRead =>
  isListed && read.kind === "done" && read.value === "missing"
    ? notSent("request", {
        what: "The service answered that it has no such job, but its list of jobs has it.",
        fix: "Run the command again. If it fails again, this service may not answer this call: getJobs shows the job.",
      })
    : read;

/** Lists the jobs if a read does not find one: alone, it does not show that the job is gone. */
export async function confirmedByList(
  read: JobRead,
  id: string,
  list: () => Promise<List<ReadRecord>>,
): Promise<JobRead> {
  if (read.kind === "failed" || read.value !== "missing") return read;
  const listed = await list();
  if (listed.kind === "failed") return listed;
  return unlessListed(
    read,
    listed.value.some(({ job }) => isSameId(job.id, id)),
  );
}

/** The change of a job. */
export interface Change {
  readonly before: DeclaredJob;
  readonly now: DeclaredJob;
  /** Decides on the body, which has the whole job, so that the request is safe to repeat. */
  readonly decide: Decide;
}

export async function updateJob(
  client: AccountClient,
  id: string,
  { before, now, decide }: Change,
  secrets?: unknown,
): Promise<Outcome<ReadRecord>> {
  const hidden: unknown[] = [secrets];
  const result = await sendAbout<never>(client, id, { call: "update", secrets: hidden }, async (since) => {
    const go = await decide(since);
    hidden.push(go.body?.()["params"]);
    return go;
  });
  return proven(result, (answered) => provesChange(answered, id, before, now));
}

export async function deleteJob<Stop extends Stopped>(
  client: AccountClient,
  id: string,
  secrets?: unknown,
  decide?: Decide<Stop>,
): Promise<Outcome<"deleted"> | Stop> {
  const result = await sendAbout(client, id, { call: "delete", secrets }, decide);
  if (result.kind !== "answered") return result;
  const gone = provesDelete(result);
  if (gone.kind === "proved") return { kind: "done", value: gone.value };
  return { ...result.unusable(gone.why), fix: "Run the command again." };
}

/**
 * Asks the service to run a job now. The request is never repeated if the service may have processed it. The reply is not
 * documented: any reply that is empty, or JSON that reports no failure, counts as accepted. The value is when it was sent.
 */
export async function runJob(client: AccountClient, id: string): Promise<Outcome<{ readonly at: string }>> {
  const result = await sendAbout<never>(client, id, { call: "run" });
  const ran = proven(result, (answered) => {
    const accepted = provesRun(answered);
    return accepted.kind === "proved" ? { kind: "proved" as const, value: { at: answered.at } } : accepted;
  });
  if (ran.kind === "done" || ran.cause !== "ambiguous") return ran;
  const fix = "Look at its last run before you run it again: pulumi-data-connectivity jobs --at-service";
  return { ...ran, what: `${ran.what} The job may be running.`, fix };
}

/**
 * Sends a request about one job. Does not send the request if the id cannot be part of a path: dot segments would name
 * another path even when encoded, and half a surrogate pair cannot be encoded.
 */
async function sendAbout<Stop extends Stopped>(
  client: AccountClient,
  jobId: string,
  request: Omit<CallRequest, "jobId">,
  decide?: Decide<Stop>,
): Promise<CallResult | Stop> {
  if (jobId === "" || jobId === "." || jobId === ".." || !jobId.isWellFormed()) {
    const what = `The job id ${JSON.stringify(jobId)} cannot be used in a URL, so nothing was sent.`;
    return notSent("request", { what, fix: "Check existingJobId." });
  }
  const result = await send(client, { ...request, jobId }, decide);
  if (result.kind !== "failed" || !says(result, "noJob") || calls[request.call].canEndAsMissing !== true) return result;
  return { ...result, cause: "refused" };
}

export type List<Entry> = Outcome<readonly Entry[]>;

/** One supported data source, as the service lists it. */
export interface DataSource {
  /** The name of the data source, a single word such as `Snowflake`. */
  readonly dataSource: string;
}

/** Requests the data sources. */
export const listDataSources = (client: AccountClient): Promise<List<DataSource>> =>
  requestList(client, "sources", "dataSources", (raw) => {
    const { dataSource } = stringsOf(raw);
    return dataSource === undefined ? undefined : { dataSource };
  });

/**
 * Requests the data sources before the first create, to check that the service answers: of the two requests in the
 * interface document, only this one changes nothing. Resolves to undefined if creates may be sent, and otherwise to the
 * reason why not. A refusal of the service itself shows that it answers: the create is then sent, and its own answer
 * decides.
 */
export async function preflight(client: AccountClient): Promise<Reason | undefined> {
  const result = await send(client, { call: "sources" });
  if (result.kind === "answered") {
    const answers = provesThatItAnswers(result, "dataSources");
    return answers ? undefined : preflightFailed(result.unusable('The reply has no "dataSources" array.'));
  }
  return says(result, "own") ? undefined : preflightFailed(result);
}

async function requestList<Entry>(
  client: AccountClient,
  call: CallName,
  member: string,
  read: (entry: unknown) => Entry | undefined,
): Promise<List<Entry>> {
  const result = await send(client, { call });
  return proven(result, (answered) => provesList(answered, member, read));
}

/** Requests all jobs of an account. */
export async function listJobs(client: AccountClient): Promise<List<ReadRecord>> {
  const result = await send(client, { call: "list" });
  return proven(result, provesJobs);
}

/** The string members of an entry; empty if the entry is not an object. */
function stringsOf(entry: unknown): Readonly<Record<string, string | undefined>> {
  const isText = (member: readonly [string, unknown]): member is [string, string] => typeof member[1] === "string";
  return Object.fromEntries(Object.entries(membersOf(entry)).filter(isText));
}

/** A connection of an account, as the service lists it. */
export interface Connection {
  /** The connection's id, which a caching job names in `params.sourceConnection`. */
  readonly id: string;
  /**
   * The name that its owner gave the connection; empty if the service reports none. Two connections can have the same
   * name.
   */
  readonly name: string;
  /** The name of the connection's data source; absent if the service does not report it. */
  readonly dataSource: string | undefined;
  /** When the connection was last modified, as the service wrote it; absent if the service does not report it. */
  readonly lastModified: string | undefined;
}

/** Requests all connections of an account. The vendor publishes this request, but not in the interface document. */
export const listConnections = (client: AccountClient): Promise<List<Connection>> =>
  requestList(client, "connections", "connections", (raw) => {
    const { id, name = "", dataSource, lastModified } = stringsOf(raw);
    return id?.trim() ? { id, name, dataSource, lastModified } : undefined;
  });

/** An account below the account that signs the tokens, as the service lists it. */
export interface ListedAccount {
  /** The account's id at the service: the `sub` of a token for the account. */
  readonly id: string;
  /** The id that you gave the account; absent if the service does not report that id. */
  readonly externalId: string | undefined;
  /** When the account was created, as the service wrote it; absent if the service does not report it. */
  readonly created: string | undefined;
}

/** Requests all accounts below the token's issuer. The vendor publishes this request, but not in the interface document. */
export const listAccounts = (client: AccountClient): Promise<List<ListedAccount>> =>
  requestList(client, "accounts", "accounts", (raw) => {
    const { id, externalId, created } = stringsOf(raw);
    return id?.trim() ? { id, externalId, created } : undefined;
  });

export interface Table {
  readonly schema: string;
  readonly table: string;
}

/** The name of a connection, and filters for its tables. */
export interface TableQuery {
  readonly catalogName: string;
  readonly schemaName?: string;
}

/** Requests the tables and views of a connection. The vendor publishes this request, but not in the interface document. */
export async function listTables(client: AccountClient, query: TableQuery): Promise<List<Table>> {
  const result = await send(client, { call: "tables", query: { ...query } });
  return proven(result, (answered) =>
    provesRows(answered, ["TABLE_SCHEMA", "TABLE_NAME"], ([schema, table]) =>
      typeof table === "string" && (typeof schema === "string" || schema === null)
        ? { schema: schema ?? "", table }
        : undefined,
    ),
  );
}
