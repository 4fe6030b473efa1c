import { randomUUID } from "node:crypto";
import { sendOnce, type HttpResult } from "../../provider/src/client/http.js";
import { isObject, membersOf, parseJson, type JsonObject } from "../../provider/src/json.js";
import { isRefusal } from "../support/statuses.js";
import { rows, type Row } from "./table.js";

/** How a service differs from a row of the table, without showing values; `skipped` if the row was not played. */
export type Differences = readonly string[] | "skipped";

/** Sends the table's requests to a service, one row after the other. */
export class Play {
  /** Says which job this play made, or may have made, and did not delete. */
  left: string | undefined;
  private readonly ids: Partial<Record<NonNullable<Row["job"]>, string | undefined>> = { "nobody's": randomUUID() };
  private connection: string | undefined;
  private readonly listed = new Set<unknown>();
  private sent: JsonObject | undefined;

  /** `params`: the params of the job to create. Without `params`, the play changes nothing at the service. */
  constructor(
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
    private readonly params: JsonObject | undefined,
  ) {}

  async *run(): AsyncGenerator<readonly [Row, Differences]> {
    for (const row of rows) yield [row, await this.play(row)];
  }

  private async play(row: Row): Promise<Differences> {
    const { method, path, job } = row;
    const id = path.includes("{connection}") ? this.connection : job === undefined ? "" : this.ids[job];
    if (id === undefined || (row.changes === true && this.params === undefined)) return "skipped";
    const body = row.body?.(this.params ?? {});
    const creates = path === "/api/job/create";
    if (creates) this.left = "The job of the create may exist.";
    const result = await sendOnce({
      method,
      repeatable: method !== "POST",
      url: `${this.baseUrl}${path.replace(/\{\w+\}/, encodeURIComponent(id))}`,
      token: row.strange === true ? "nobodys-token" : await this.token(),
      signal: AbortSignal.timeout(60_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const differences = differencesIn(row, result);
    const jobs = jobsIn(result);
    if (path === "/api/poweredby/connection/list") this.connection = firstConnectionIn(result);
    if (path === "/api/job/list") {
      for (const each of jobs) this.listed.add(each["id"]);
      this.ids.listed = idOf(jobs[0]);
    }
    if (creates) differences.push(...this.noteMade(result, jobs));
    if (method === "DELETE" && differences.length === 0) this.left = undefined;
    this.sent = body ?? this.sent;
    const shows = typeof row.reply === "object" && row.changes === true;
    return shows ? [...differences, ...unlike(this.sent, jobs[0])] : differences;
  }

  /** Only a job that did not exist before the create is later changed and deleted. */
  private noteMade(result: HttpResult, jobs: readonly Job[]): string[] {
    const id = jobs.length === 1 ? idOf(jobs[0]) : undefined;
    if (id !== undefined && !this.listed.has(id)) {
      this.ids.made = id;
      this.left = `Job ${JSON.stringify(id)} exists.`;
      return [];
    }
    if (madeNothing(result)) this.left = undefined;
    return ["the reply does not show one job that is new"];
  }
}

type Job = Readonly<Record<string, unknown>>;

const idOf = (job: Job | undefined): string | undefined =>
  typeof job?.["id"] === "string" && job["id"] !== "" ? job["id"] : undefined;

const bodyOf = (result: HttpResult): unknown => (result.kind === "reply" ? parseJson(result.body) : undefined);

function jobsIn(result: HttpResult): readonly Job[] {
  const body = bodyOf(result);
  if (!isObject(body)) return [];
  const { jobs = [body] } = body;
  return Array.isArray(jobs) ? jobs.filter(isObject) : [];
}

function firstConnectionIn(result: HttpResult): string | undefined {
  const body = bodyOf(result);
  const connections = isObject(body) && Array.isArray(body["connections"]) ? body["connections"].filter(isObject) : [];
  const name = connections[0]?.["name"];
  return typeof name === "string" ? name : undefined;
}

const madeNothing = (result: HttpResult): boolean =>
  result.kind === "reply" ? isRefusal(result.status) : !result.sent;

function differencesIn({ reply }: Row, result: HttpResult): string[] {
  if (result.kind === "noReply") return [result.reason];
  const { status, headers } = result;
  if (reply === "refused") return status === 401 ? [] : [`status ${status} in place of 401`];
  if (reply === "missing" && (status === 404 || status === 410)) return [];
  if (status !== 200) return [`status ${status} in place of 200`];
  if (reply === "empty") return result.body === "" ? [] : ["a body in place of none"];
  if (reply === "missing") return jobsIn(result).length === 0 ? [] : ["a job in place of none"];
  const type = /^application\/json\b/.test(headers["content-type"] ?? "")
    ? []
    : ["a content type other than application/json"];
  const { error } = reply.safeParse(bodyOf(result));
  const issues = (error?.issues ?? []).map(({ path, message }) => `${pathText(path)}: ${message}`);
  return [...type, ...new Set(issues)];
}

/** A path without indexes, so that an issue in all jobs of a list gives one line. */
const pathText = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === "number" ? "[]" : `.${String(part)}`)).join("") || "the body";

/** The members of the job that differ from what was sent. The service shows values of params as strings. */
function unlike(sent: JsonObject | undefined, job: Job | undefined): string[] {
  if (sent === undefined || job === undefined) return [];
  const { params, ...members } = sent;
  const differing = (of: object, at: unknown, path: string) =>
    Object.entries(of).flatMap(([name, value]) =>
      name === "jobType" || (isObject(at) && String(at[name]) === String(value))
        ? []
        : [`${path}${name} is not as it was sent`],
    );
  return [...differing(members, job, ""), ...differing(membersOf(params), job["params"], "params.")];
}
