import { callNames, calls, type CallName } from "../../../provider/src/client/calls.js";
import { canonicalJson, type JsonObject } from "../../../provider/src/json.js";
import { gateways, type Gateway, type GatewayName } from "./gateways.js";
import {
  idForms,
  keptBy,
  memberForms,
  objectOf,
  plainId,
  textForms,
  type IdFormName,
  type MemberFormName,
  type TextFormName,
} from "./forms.js";
import type { Sent } from "./network.js";
import type { Timeline } from "./timeline.js";

/** How a service works and tells what it has. */
export interface ServiceWords {
  readonly texts: TextFormName;
  readonly ids: IdFormName;
  /** Whether its ids are numbers, which another service also has. */
  readonly numericIds: boolean;
  readonly members: MemberFormName;
  /** Whether a list tells only the id, the name and the type of each job. */
  readonly summaries: boolean;
  /** How many jobs of others it has from the start. */
  readonly others: number;
  /** How late each of its replicas is, in lists and in reads, in milliseconds. A reply comes from any of them. */
  readonly replicas: readonly { readonly listMs: number; readonly getMs: number }[];
  /** How far its clock is ahead, in milliseconds. */
  readonly aheadMs: number;
  /** How far `created` is ahead of its `Date`, in milliseconds. */
  readonly createdAheadMs: number;
  readonly hidesDate: boolean;
  readonly limit: { readonly perMinute: number; readonly tells: boolean } | undefined;
  readonly gateway: GatewayName;
}

/** A job at the service. A change makes a new object. */
export interface Job {
  readonly service: Service;
  readonly id: string;
  readonly body: JsonObject;
  /** As the service keeps them. */
  readonly params: JsonObject;
  readonly created: string;
  readonly lastModified: string;
  /** The request that made it; undefined for a job of somebody else. */
  readonly madeBy: Sent | undefined;
  /** When it was made, by the true time. */
  readonly at: number;
  /** When it was given its params. */
  readonly givenAt: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly call: CallName | undefined;
  /** The job that the request made, changed or deleted. */
  readonly job?: string;
}

const never = "0001-01-01T00:00:00Z";

/** An account of a service at one address: the truth, and what its replicas tell of it. */
export class Service {
  jobs: readonly Job[] = [];
  /** What there was, the newest last. */
  private readonly history: { readonly at: number; readonly jobs: readonly Job[] }[] = [];
  private byId: ReadonlyMap<string, Job> = new Map();
  private recent: number[] = [];
  /** Those that the account has had, each with a subject of its own. It accepts the newest. */
  tokens: readonly [string, ...string[]];
  /** A token that it always accepts, and that does not show the account's subject. */
  readonly opaqueToken: string;

  constructor(
    readonly baseUrl: string,
    token: string,
    readonly words: ServiceWords,
    private readonly timeline: Timeline,
    /** How many jobs others have had, as far as their ids are different ones: a number is of one job at its address alone. */
    private made = 0,
  ) {
    this.tokens = [token];
    this.opaqueToken = `opaque${token}`.replaceAll(".", "-");
    this.history.push({ at: -Infinity, jobs: [] });
    for (let n = 0; n < words.others; n += 1) this.add(bodyOf(`OTHER_${n}`, 1), undefined);
  }

  get token(): string {
    return this.tokens.at(-1) ?? this.tokens[0];
  }

  /** Gives the account a new subject, and so a new token. */
  rename(token: string): void {
    this.tokens = [...this.tokens, token];
  }

  /** Makes a job. `madeBy`: the request, or undefined if somebody else makes it. */
  add(body: JsonObject, madeBy: Sent | undefined): Job {
    this.made += 1;
    const digits = String(this.made).padStart(12, "0");
    const id = this.words.numericIds ? String(1000 + this.made) : `a1b2c3d4-0000-4000-a000-${digits}`;
    const created = this.dateTime(this.words.createdAheadMs);
    const job = {
      service: this,
      id,
      body,
      params: this.keep(body),
      created,
      lastModified: created,
      madeBy,
      at: this.timeline.now,
      givenAt: this.timeline.now,
    };
    this.set([...this.jobs, job]);
    return job;
  }

  change(id: string, body: JsonObject): void {
    const changed = (job: Job): Job => {
      const isGiven = canonicalJson(job.body["params"]) !== canonicalJson(body["params"]);
      const givenAt = isGiven ? this.timeline.now : job.givenAt;
      return { ...job, body, params: this.keep(body), lastModified: this.dateTime(0), givenAt };
    };
    this.set(this.jobs.map((job) => (job.id === id ? changed(job) : job)));
  }

  remove(id: string): void {
    this.set(this.jobs.filter((job) => job.id !== id));
  }

  find(id: string): Job | undefined {
    return this.byId.get(plainId(id));
  }

  /** How late its lists and reads may be, in milliseconds. */
  get latestMs(): number {
    return Math.max(0, ...this.words.replicas.flatMap(({ listMs, getMs }) => [listMs, getMs]));
  }

  /** The call that a request is; undefined if there is no such path or method. */
  answerable(method: string, path: string): CallName | undefined {
    const [pathname = ""] = path.split("?");
    const found = routes.find(({ call, pattern }) => calls[call].method === method && pattern.test(pathname));
    return found?.call;
  }

  /** Answers a request. `replica`: a number that chooses one of them. */
  answer(request: Sent, token: string, replica: number): Answer {
    const { call, path, body: sent = {} } = request;
    const [pathname = ""] = path.split("?");
    if (call === undefined) return this.reply(undefined, 404, { error: "no such path" });
    if (token !== this.token && token !== this.opaqueToken) return this.reply(call, 401, undefined);
    const pauseS = this.pause();
    if (pauseS !== undefined)
      return this.reply(
        call,
        429,
        undefined,
        this.words.limit?.tells === true ? { "retry-after": String(pauseS) } : {},
      );
    const id = decodeURIComponent(routes.find((route) => route.call === call)?.pattern.exec(pathname)?.[1] ?? "");
    const { replicas } = this.words;
    const lag = replicas[replica % Math.max(1, replicas.length)] ?? { listMs: 0, getMs: 0 };
    switch (call) {
      case "sources":
        return this.reply(call, 200, { dataSources: [{ dataSource: "Snowflake" }] });
      case "connections": {
        const connection = { id: ownConnection, name: "Snowflake1", dataSource: "Snowflake", lastModified: never };
        return this.reply(call, 200, { connections: [connection] });
      }
      case "tables":
        return this.reply(call, 200, tablesOf(textForms[this.words.texts].named));
      case "list": {
        const jobs = this.seen(lag.listMs).map((job) => this.shown(job, true, this.words.summaries));
        return this.reply(call, 200, { jobs }, this.gateway.listHeaders(jobs.length));
      }
      case "get": {
        const job = this.seen(lag.getMs).find((one) => plainId(one.id) === plainId(id));
        if (job === undefined) return this.reply(call, 404, { error: { code: "NOT_FOUND", message: "no such job" } });
        return this.reply(call, 200, { jobs: [this.shown(job, true, false)] });
      }
      case "create": {
        const job = this.add(sent, request);
        return {
          ...this.reply(call, 200, this.gateway.created({ jobs: [this.shown(job, false, false)] })),
          job: job.id,
        };
      }
      case "update":
      case "delete": {
        const job = this.find(id);
        if (job === undefined) return this.reply(call, 404, { error: { code: "NOT_FOUND", message: "no such job" } });
        if (call === "delete") this.remove(job.id);
        else this.change(job.id, sent);
        const changed = this.find(job.id) ?? job;
        const told = call === "delete" ? undefined : { jobs: [this.shown(changed, false, false)] };
        return { ...this.reply(call, 200, told), job: job.id };
      }
      default:
        return this.reply(call, 404, { error: "not here" });
    }
  }

  /** The same for a request that has no effect: another reply takes its place. */
  refusal(call: CallName | undefined, status: number, headers: Readonly<Record<string, string>>, body: string): Answer {
    return { ...this.reply(call, status, undefined, headers), body };
  }

  private get gateway(): Gateway {
    return gateways[this.words.gateway];
  }

  private keep(body: JsonObject): JsonObject {
    const form = textForms[this.words.texts];
    const params = Object.entries(objectOf(body["params"])).map(
      ([name, value]) => [name, keptBy(form, value)] as const,
    );
    return Object.fromEntries(params);
  }

  private set(jobs: readonly Job[]): void {
    this.jobs = jobs;
    this.byId = new Map(jobs.map((job) => [plainId(job.id), job]));
    this.history.push({ at: this.timeline.now, jobs });
  }

  private seen(lagMs: number): readonly Job[] {
    const at = this.timeline.now - lagMs;
    return lagMs === 0 ? this.jobs : (this.history.filter((version) => version.at <= at).at(-1)?.jobs ?? []);
  }

  private shown({ id, body, params, created, lastModified }: Job, isRead: boolean, isSummary: boolean): JsonObject {
    const { jobType = null, intervalUnit = null, intervalValue = null, logVerbosity = null, enabled = true } = body;
    const name = params["sourceTable"] ?? params["name"] ?? jobType;
    const told = isRead ? idForms[this.words.ids](id) : id;
    if (isSummary) return { id: told, name, jobType };
    const lastRun = { dateTime: never, duration: 1, status: "JOB_QUEUED", rowsAffected: 0, nextRunTime: never };
    const schedule = {
      enabled,
      created,
      lastModified,
      nextRunTime: created,
      intervalUnit,
      intervalValue,
      logVerbosity,
    };
    const whole = { ...(isRead && { jobType }), id: told, name, ...schedule, lastRun, params };
    return memberForms[this.words.members](whole);
  }

  private dateTime(aheadMs: number): string {
    return new Date(this.timeline.now + this.words.aheadMs + aheadMs).toISOString().replace("Z", "0000Z");
  }

  private reply(
    call: CallName | undefined,
    status: number,
    body: JsonObject | undefined,
    more: Readonly<Record<string, string>> = {},
  ): Answer {
    const date = new Date(this.timeline.now + this.words.aheadMs).toUTCString();
    const headers = {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(!this.words.hidesDate && { date }),
      ...this.gateway.headers,
      ...(call === "sources" && this.gateway.kept?.(this.timeline.now + this.words.aheadMs)),
      ...more,
    };
    return { status, headers, body: body === undefined ? "" : JSON.stringify(body), call };
  }

  /** For how many seconds it asks to wait; undefined if it takes the request. */
  private pause(): number | undefined {
    const { limit } = this.words;
    if (limit === undefined) return undefined;
    const { now } = this.timeline;
    this.recent = this.recent.filter((at) => now - at < 60_000);
    const [first] = this.recent;
    if (this.recent.length >= limit.perMinute && first !== undefined) return Math.ceil((first + 60_000 - now) / 1000);
    this.recent.push(now);
    return undefined;
  }
}

const routes = callNames.map((call) => ({
  call,
  pattern: new RegExp(`^${calls[call].path.replace("{jobId}", "([^/]+)")}$`),
}));

const ownConnection = "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f";

const tablesOf = (named: (table: string) => string): JsonObject => {
  const schema = ["TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME"].map((columnName) => ({ columnName }));
  const rows = ["A", "B", "C"].map((table) => ["Snowflake1", "PUBLIC", named(table)]);
  return { results: [{ affectedRows: -1, schema, rows }] };
};

/** The body with which somebody else makes a job. */
export const bodyOf = (table: string, intervalValue: number): JsonObject => ({
  jobType: "Caching",
  intervalUnit: "Hour",
  intervalValue,
  logVerbosity: 2,
  enabled: true,
  params: {
    timeCheckColumn: "",
    autoTruncateStrings: "false",
    sourceConnection: ownConnection,
    sourceName: "Snowflake1",
    sourceSchema: "PUBLIC",
    sourceTable: table,
  },
});
