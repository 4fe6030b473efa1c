import { isObject } from "../json.js";
import { parseReply } from "./reply.js";
import { remedyFor } from "./remedies.js";
import { hiddenToken, scrubDeep, shown } from "./scrub.js";
import { send, type Ending } from "./send.js";
import type { Service } from "./service.js";

/** One supported data source, as the service lists it. */
export interface DataSource {
  /** The name of the data source, a single word such as `Snowflake`. */
  readonly dataSource: string;
}

export type Listing =
  | { readonly kind: "listed"; readonly dataSources: readonly DataSource[] }
  | {
      readonly kind: "failed";
      readonly what: string;
      /** What to do about it: a sentence, or nothing where `what` says it. */
      readonly remedy: string;
      readonly status: number | undefined;
    };

const path = "/api/poweredby/sources/list";

/** The list call: the one documented request that changes nothing. */
export async function listDataSources(service: Service): Promise<Listing> {
  const ending = await send(service, { method: "GET", path });
  if (ending.kind === "answered") return readListing(ending);
  if (ending.kind === "unsent") return { kind: "failed", what: ending.what, remedy: "", status: undefined };
  return { kind: "failed", what: ending.what, remedy: remedyFor(ending.status), status: ending.status };
}

function readListing({ reply, token }: Extract<Ending, { kind: "answered" }>): Listing {
  const hidden = hiddenToken(token);
  const body = scrubDeep(parseReply(reply.body ?? ""), hidden);
  const list = isObject(body) ? body["dataSources"] : undefined;
  if (!Array.isArray(list)) {
    const got =
      body === undefined
        ? `no JSON (${shown(reply.contentType, hidden) || "no content type"})`
        : "JSON without a list dataSources";
    return {
      kind: "failed",
      status: reply.status,
      what: `GET ${path} answered HTTP ${reply.status} with ${got}: this is probably not the address of the service.`,
      remedy: remedyFor(reply.status),
    };
  }
  const named = list.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["dataSource"] === "string" ? [{ dataSource: entry["dataSource"] }] : [],
  );
  return { kind: "listed", dataSources: named };
}
