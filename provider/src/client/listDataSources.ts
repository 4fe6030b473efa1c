import { isObject } from "../json.js";
import { askForAddress, type Answered, type Explanation } from "./operation.js";
import { redactSaved } from "./redact.js";
import { parseReply } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

/** One supported data source, as the service lists it. */
export interface DataSource {
  /** The name of the data source, a single word such as `Snowflake`. */
  readonly dataSource: string;
}

export type DataSourceList = { readonly kind: "listed"; readonly dataSources: readonly DataSource[] } | ListFailure;

/** A list that the service did not give. */
export interface ListFailure extends Explanation {
  readonly kind: "failed";
  /** Whether a request was sent: without a token, for example, none is. */
  readonly sent: boolean;
  readonly status: number | undefined;
}

const path = "/api/poweredby/sources/list";

/** Asks for the data sources: the one documented request that changes nothing. */
export async function listDataSources(service: Service): Promise<DataSourceList> {
  const result = await send(service, { method: "GET", path, repeatable: true });
  if (result.kind === "answered") return readList(result);
  const { what, fix } = result;
  if (result.kind === "unsent") return { kind: "failed", sent: false, status: undefined, what, fix };
  return { kind: "failed", sent: true, status: result.status, what, fix };
}

function readList({ reply, token, unexpected }: Answered): DataSourceList {
  const body = redactSaved(parseReply(reply.body ?? ""), token);
  const list = isObject(body) ? body["dataSources"] : undefined;
  if (!Array.isArray(list)) {
    const what = unexpected('The reply has no array "dataSources".');
    return { kind: "failed", sent: true, status: reply.status, what, fix: askForAddress };
  }
  const named = list.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["dataSource"] === "string" ? [{ dataSource: entry["dataSource"] }] : [],
  );
  return { kind: "listed", dataSources: named };
}
