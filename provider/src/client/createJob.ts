import type { JsonObject } from "../json.js";
import { maxRequestBytes } from "./http.js";
import { idProblem, type ReadRecord } from "./jobRecord.js";
import { jobsIn, readJobs } from "./jobsReply.js";
import { listDataSources } from "./listDataSources.js";
import {
  askForAddress,
  wasSent,
  type Answered,
  type Explanation,
  type NotCreated,
  type Unconfirmed,
} from "./operation.js";
import { hiddenToken } from "./redact.js";
import { isWebPage, parseReply } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";
import { sentences } from "../sentences.js";

const path = "/api/job/create";

/** A 2xx reply to a create: the caller decides which of its jobs is the new one. */
export interface CreateReply {
  readonly outcome: "answered";
  readonly at: string;
  readonly jobs: readonly ReadRecord[];
  /** The request and the status of its answer, as a message begins. */
  readonly answer: string;
  /** What a message says if there is no job in it. */
  readonly noJob: string;
}

/**
 * Asks the service to create a job: at most one request that it could have processed. The create gate decides when.
 * `secrets`: what an error may echo and must not show.
 */
export async function createJob(
  service: Service,
  body: JsonObject,
  secrets: unknown = body["params"],
): Promise<CreateReply | NotCreated | Unconfirmed> {
  const text = JSON.stringify(body);
  const result = await send(service, {
    method: "POST",
    path,
    body: text,
    repeatable: false,
    secrets,
  });
  const { kind } = result;
  switch (kind) {
    case "answered":
      return readReply(result);
    case "ambiguous":
      return { outcome: "unconfirmed", at: result.at, what: result.what };
    case "refused":
    case "notSent": {
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

function readReply({ reply, at, token, unexpected }: Answered): CreateReply {
  const parsed = reply.body === undefined ? undefined : parseReply(reply.body);
  const page = reply.body !== undefined && isWebPage(reply.body, reply.contentType);
  const problems = jobsIn(parsed).map((job) => idProblem(job, hiddenToken(token)));
  return {
    outcome: "answered",
    at,
    jobs: readJobs(parsed, token),
    answer: `POST ${path} answered HTTP ${reply.status}`,
    noJob: unexpected(sentences("The reply has no readable job.", ...problems, page ? askForAddress : undefined)),
  };
}
