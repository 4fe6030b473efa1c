import type { IsPlain } from "../jobs/index.js";
import type { JsonObject } from "../json.js";
import { maxRequestBytes } from "./http.js";
import { idProblem } from "./jobRecord.js";
import { differences, idsOf, jobsIn, notesOn, readJobs, secretMembers } from "./jobsReply.js";
import { listDataSources } from "./listDataSources.js";
import { askForAddress, wasSent, type Answered, type CreateOutcome, type Explanation } from "./operation.js";
import { hiddenToken } from "./redact.js";
import { isWebPage, parseReply } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";
import { sentences } from "../sentences.js";

const path = "/api/job/create";

/**
 * Claims the job of an answer, by its id, for the create that was sent at this time; says why not where it cannot be the
 * new job.
 */
export type ClaimNew = (id: string, at: string) => string | undefined;

/** Asks the service to create a job: at most one request that it could have processed. The create gate decides when. */
export async function createJob(
  service: Service,
  body: JsonObject,
  claim: ClaimNew = () => undefined,
  isPlain: IsPlain = () => true,
): Promise<CreateOutcome> {
  const text = JSON.stringify(body);
  const result = await send(service, {
    method: "POST",
    path,
    body: text,
    repeatable: false,
    secrets: [body["params"], ...secretMembers(body, isPlain)],
  });
  const { kind } = result;
  switch (kind) {
    case "answered":
      return readReply(result, body, claim, isPlain);
    case "ambiguous":
      return { outcome: "unconfirmed", at: result.at, what: result.what };
    case "refused":
    case "unsent": {
      const { what, fix } = result;
      const status = kind === "refused" ? result.status : undefined;
      return { outcome: "notCreated", cause: kind, status, what, fix };
    }
  }
}

/** Why this body cannot be sent at all; undefined where it can. It concerns one declaration alone. */
export const tooLarge = (body: JsonObject): Explanation | undefined =>
  Buffer.byteLength(JSON.stringify(body)) > maxRequestBytes
    ? { what: `The request would be larger than ${maxRequestBytes / 1024 / 1024} MiB.`, fix: "Make params smaller." }
    : undefined;

/**
 * Asks for the data sources before the first create: why no create may be sent, or undefined. Any 4xx that is not about
 * the token, a proxy, the rate limit or the time shows at least that the service answers, and the create will show the
 * rest; everything else would leave the first create unconfirmed.
 */
export async function preflight(service: Service): Promise<Explanation | undefined> {
  const list = await listDataSources(service);
  if (list.kind === "listed") return undefined;
  const { status = 0, what, fix } = list;
  const answers = status >= 400 && status < 500 && ![401, 407, 408, 429, 499].includes(status);
  if (answers) return undefined;
  return wasSent(list) ? { what: `The check before the first create failed: ${what}`, fix } : { what, fix };
}

function readReply(answered: Answered, body: JsonObject, claim: ClaimNew, isPlain: IsPlain): CreateOutcome {
  const { reply, at, token, unexpected } = answered;
  const parsed = reply.body === undefined ? undefined : parseReply(reply.body);
  const records = readJobs(parsed, token);
  const matching = records.length > 1 ? records.filter(({ job }) => differences(job, body).length === 0) : records;
  const [found, ...more] = matching;
  const name = `POST ${path} answered HTTP ${reply.status}`;
  if (found !== undefined && more.length === 0) {
    const why = claim(found.job.id, at);
    return why === undefined
      ? { outcome: "created", at, job: found.job, notes: notesOn(found, body, isPlain) }
      : { outcome: "unconfirmed", at, what: `${name} with job ${idsOf([found])}, which is not the new one: ${why}.` };
  }
  if (records.length > 1) {
    const what = `${name} with several jobs (${idsOf(records)}), and not exactly one of them is as declared.`;
    return { outcome: "unconfirmed", at, what };
  }
  const page = reply.body !== undefined && isWebPage(reply.body, reply.contentType);
  const problems = jobsIn(parsed).map((job) => idProblem(job, hiddenToken(token)));
  const what = unexpected(sentences("The reply has no readable job.", ...problems, page ? askForAddress : undefined));
  return { outcome: "unconfirmed", at, what };
}
