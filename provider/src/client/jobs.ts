import { canonicalJson, isObject, type JsonObject } from "../json.js";
import { listDataSources } from "./dataSources.js";
import { maxRequestBytes } from "./http.js";
import { readJobRecord, type JobRecord, type ReadRecord } from "./jobRecord.js";
import { parseReply } from "./reply.js";
import { remedyFor } from "./remedies.js";
import { hiddenParams, hiddenToken, scrubDeep, shown } from "./scrub.js";
import { send, type Ending } from "./send.js";
import type { Service } from "./service.js";

/** What became of a create: exactly one of three, whatever the network does. */
export type CreateOutcome =
  | {
      readonly outcome: "created";
      readonly at: string;
      readonly job: JobRecord & { readonly id: string };
      readonly notes: readonly string[];
    }
  /** Surely nothing was made: the next run may simply try again. */
  | { readonly outcome: "notCreated"; readonly message: string }
  /** The job may exist. It was sent at this time and is not sent again. */
  | { readonly outcome: "unconfirmed"; readonly at: string; readonly what: string };

const path = "/api/job/create";

/** Asks the service to create a job: at most one request that it could have processed. */
export async function createJob(service: Service, body: JsonObject): Promise<CreateOutcome> {
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) > maxRequestBytes) return notCreated(tooLarge);
  const ending = await service.turns.take({
    probe: () => probe(service),
    send: () => sendCreate(service, body, text),
  });
  switch (ending.kind) {
    case "answered":
      return ending.outcome;
    case "doubtful":
      return { outcome: "unconfirmed", at: ending.at, what: ending.what };
    case "refused":
      return notCreated(`${ending.what} No job was created. ${remedyFor(ending.status)}`);
    case "unsent":
      return notCreated(`${ending.what} No job was created: nothing was sent. The next pulumi up tries again.`);
  }
}

/** A fault of one declaration alone: the others go on. */
const tooLarge = `The request would be larger than ${maxRequestBytes / 1024 / 1024} MiB. No job was created: nothing was sent. Make params smaller.`;

const notCreated = (message: string): CreateOutcome => ({ outcome: "notCreated", message });

type Answered = Extract<Ending, { kind: "answered" }>;

/** How a create ended, its reply already read. */
type Sent = Exclude<Ending, Answered> | (Answered & { readonly outcome: CreateOutcome });

/** A doubtful 2xx counts as doubtful for the others that wait for their turn, too. */
async function sendCreate(service: Service, body: JsonObject, text: string): Promise<Sent> {
  const ending = await send(service, {
    method: "POST",
    path,
    body: text,
    hidden: () => hiddenParams(body["params"]),
  });
  if (ending.kind !== "answered") return ending;
  const outcome = readReply(ending, body);
  return outcome.outcome === "unconfirmed"
    ? { kind: "doubtful", what: outcome.what, at: outcome.at, status: ending.reply.status }
    : { ...ending, outcome };
}

/**
 * Any 4xx that is not about the token, a proxy, the limits or the time says at least that the service answers, and the create will tell for
 * itself; everything else would leave the first create in doubt.
 */
async function probe(service: Service): Promise<string | undefined> {
  const listing = await listDataSources(service);
  if (listing.kind === "listed") return undefined;
  const status = listing.status ?? 0;
  const answers = status >= 400 && status < 500 && ![401, 407, 408, 429, 499].includes(status);
  if (answers) return undefined;
  // Without a token not even the list was asked for.
  if (listing.remedy === "") return listing.what;
  return `Before the first create the list of data sources is asked for, and that failed: ${listing.what} ${listing.remedy}`;
}

function readReply({ reply, at, token }: Answered, body: JsonObject): CreateOutcome {
  const name = `POST ${path} answered HTTP ${reply.status}`;
  if (reply.body === undefined)
    return { outcome: "unconfirmed", at, what: `${name}, but ${reply.bodyFault ?? "the reply broke off"}.` };
  const records = readRecords(scrubDeep(parseReply(reply.body), hiddenToken(token)));
  const matching = records.length > 1 ? records.filter(({ job }) => differences(job, body).length === 0) : records;
  const [found, ...more] = matching;
  if (found !== undefined && more.length === 0)
    return { outcome: "created", at, job: found.job, notes: notesOn(found, body) };
  const what =
    records.length > 1
      ? `${name} with several jobs (${idsOf(records)}), and not exactly one of them is as declared.`
      : `${name} without a readable job in it.`;
  return { outcome: "unconfirmed", at, what };
}

/** The jobs in a reply: in `jobs`, as the interface document shows it, or one job by itself. */
function readRecords(reply: unknown): ReadRecord[] {
  const jobs = isObject(reply) ? reply["jobs"] : undefined;
  const found: unknown[] = Array.isArray(jobs) ? jobs : isObject(jobs) ? [jobs] : isJob(reply) ? [reply] : [];
  return found.flatMap((job) => readJobRecord(job) ?? []);
}

/** An id alone makes no job: replies that tell of a failure carry one too. */
const isJob = (reply: unknown): boolean =>
  isObject(reply) &&
  ["intervalUnit", "intervalValue", "lastRun", "nextRunTime", "params"].some((name) => name in reply);

/** So many ids are named in a message, at most. */
const idsShown = 10;

function idsOf(records: readonly ReadRecord[]): string {
  const ids = records.slice(0, idsShown).map(({ job }) => shown(job.id, []));
  return [...ids, ...(records.length > idsShown ? [`and ${records.length - idsShown} more`] : [])].join(", ");
}

/** The members in which the service's record differs from what was asked for; what it does not tell is no difference. */
function differences(job: JobRecord, body: JsonObject): string[] {
  const schedule = (["intervalUnit", "intervalValue", "logVerbosity", "enabled"] as const).filter(
    (member) => job[member] !== undefined && String(job[member]) !== asText(body[member]),
  );
  const stored: Readonly<Record<string, unknown>> = job.params ?? {};
  const params = Object.entries(isObject(body["params"]) ? body["params"] : {})
    .filter(([member, value]) => stored[member] !== undefined && asText(stored[member]) !== asText(value))
    .map(([member]) => `params.${member}`);
  return [...schedule, ...params];
}

const asText = (value: unknown): string => (typeof value === "string" ? value : canonicalJson(value));

/** What a user should know of a reply that is not quite as declared. The job exists: none of this is an error. */
function notesOn({ job, odd }: ReadRecord, body: JsonObject): string[] {
  const differing = differences(job, body).map((member) =>
    member.startsWith("params.")
      ? `${member} in another form`
      : `${member} ${shown(JSON.stringify(stored(job, member)), [])} in place of ${JSON.stringify(body[member])}`,
  );
  return [
    ...(differing.length > 0 ? [`Job ${shown(job.id, [])}: the service stored ${differing.join(", ")}.`] : []),
    ...(odd.length > 0
      ? [`Job ${shown(job.id, [])}: the reply's ${odd.join(", ")} could not be read and is left out of "job".`]
      : []),
  ];
}

const stored = (job: JobRecord, member: string): unknown => new Map<string, unknown>(Object.entries(job)).get(member);
