import { isObject } from "../json.js";
import { callFailure, unusableAnswer, type Answered, type CallFailure } from "./operation.js";
import { redactSaved } from "./redact.js";
import { parseReply } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

/** One supported data source, as the service lists it. */
export interface DataSource {
  /** The name of the data source, a single word such as `Snowflake`. */
  readonly dataSource: string;
}

export type DataSourceList = { readonly kind: "listed"; readonly dataSources: readonly DataSource[] } | CallFailure;

const path = "/api/poweredby/sources/list";

/** Asks for the data sources: the one documented request that changes nothing. */
export async function listDataSources(service: Service): Promise<DataSourceList> {
  const result = await send(service, { method: "GET", path, repeatable: true });
  return result.kind === "answered" ? readList(result) : callFailure(result);
}

function readList(answer: Answered): DataSourceList {
  const { reply, token, unexpected } = answer;
  const body = redactSaved(parseReply(reply.body ?? ""), token);
  const list = isObject(body) ? body["dataSources"] : undefined;
  if (!Array.isArray(list)) return unusableAnswer(answer, unexpected('The reply has no array "dataSources".'));
  const named = list.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["dataSource"] === "string" ? [{ dataSource: entry["dataSource"] }] : [],
  );
  return { kind: "listed", dataSources: named };
}
