import { isObject, parseJson } from "../json.js";
import { send, type Ending } from "./send.js";
import type { Service } from "./service.js";

/** One supported data source, as the service lists it. */
export interface DataSource {
  readonly dataSource: string;
}

export type Listing =
  | { readonly kind: "listed"; readonly dataSources: readonly DataSource[] }
  | { readonly kind: "failed"; readonly what: string; readonly status: number | undefined };

const path = "/api/poweredby/sources/list";

/** The list call: the one documented request that changes nothing. */
export async function listDataSources(service: Service): Promise<Listing> {
  const ending = await send(service, { method: "GET", path });
  if (ending.kind === "answered") return readListing(ending);
  return { kind: "failed", what: ending.what, status: ending.kind === "unsent" ? undefined : ending.status };
}

function readListing({ reply }: Extract<Ending, { kind: "answered" }>): Listing {
  const body = parseJson(reply.body ?? "");
  const list = isObject(body) ? body["dataSources"] : undefined;
  if (!Array.isArray(list)) {
    const got =
      body === undefined ? `no JSON (${reply.contentType || "no content type"})` : "JSON without a list dataSources";
    return {
      kind: "failed",
      status: reply.status,
      what: `GET ${path} answered HTTP ${reply.status} with ${got}: this is probably not the address of the service.`,
    };
  }
  const named = list.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["dataSource"] === "string" ? [{ dataSource: entry["dataSource"] }] : [],
  );
  return { kind: "listed", dataSources: named };
}
