import type { CallName } from "../../../provider/src/client/calls.js";
import type { HttpRequest, HttpResult } from "../../../provider/src/client/http.js";
import { parseJson, type JsonObject } from "../../../provider/src/json.js";
import { objectOf } from "./forms.js";
import type { Noise } from "./noise.js";
import type { Answer, Service } from "./service.js";
import type { Actor, Timeline } from "./timeline.js";

/** Something that goes wrong with certain requests. */
export interface Fault {
  readonly on: CallName;
  /** How many of them it spares first. */
  readonly after: number;
  /** How many it meets then; -1: all. */
  readonly times: number;
  readonly what: Mishap;
}

export type Mishap =
  /** The reply is lost. */
  | { readonly kind: "lost"; readonly processed: boolean }
  /** There is no connection. */
  | { readonly kind: "refused" }
  /** Another reply in place of the service's. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly processed: boolean;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** The service's reply, changed. */
  | { readonly kind: "edited"; readonly edit: EditName; readonly processed: boolean }
  /** The service takes its time. */
  | { readonly kind: "slow"; readonly ms: number }
  /** A gateway sends the request twice, and passes on the second reply. */
  | { readonly kind: "twice"; readonly second: 200 | 400 | 409 | 429 }
  /** An error that repeats the token. */
  | { readonly kind: "echo"; readonly status: number };

/** One request as the service and the network saw it. */
export interface Sent {
  readonly by: Actor;
  readonly number: number;
  readonly at: number;
  readonly service: Service;
  readonly method: string;
  readonly path: string;
  readonly call: CallName | undefined;
  readonly body: JsonObject | undefined;
  /** When the service processed it; undefined if it never did. */
  processedAt?: number;
  /** The status that was sent back, unless the reply was lost. */
  status?: number;
  /** The job that it made, changed or deleted. */
  job?: string;
  /** What the network did to it. */
  mishap?: Mishap["kind"];
  /** Whether the client got a reply. */
  isAnswered: boolean;
  /** When its reply came. */
  answeredAt?: number;
}

const jobsOf = (body: JsonObject): JsonObject[] => (Array.isArray(body["jobs"]) ? body["jobs"].map(objectOf) : []);
const inJobs =
  (edit: (job: JsonObject) => JsonObject) =>
  (answer: Answer): Answer => {
    const body = objectOf(parseJson(answer.body));
    return answer.status === 200
      ? { ...answer, body: JSON.stringify({ ...body, jobs: jobsOf(body).map(edit) }) }
      : answer;
  };

const without = (job: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(job).filter(([name]) => name !== member));

/** Replies of a service that tells less than it could, tells of another job, or only makes promises. */
const edits = {
  withoutParams: inJobs((job) => without(job, "params")),
  ofSummaries: inJobs(({ id = null, name = null, jobType = null }) => ({ id, name, jobType })),
  withoutEnabled: inJobs((job) => without(job, "enabled")),
  withoutType: inJobs((job) => without(job, "jobType")),
  ofAnotherJob: inJobs(({ params, ...job }) => ({
    ...job,
    id: "another",
    params: Object.fromEntries(Object.keys(objectOf(params)).map((name) => [name, "ANOTHER"])),
  })),
  ofOnePage: (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, "x-next-page": "2" } }),
  accepted: (answer: Answer): Answer => ({ ...answer, status: answer.status === 200 ? 202 : answer.status }),
  ofGateway: (answer: Answer): Answer => ({
    ...answer,
    status: 200,
    body: JSON.stringify({ id: "req-77", params: { path: "/api/job/create" } }),
  }),
} as const satisfies Readonly<Record<string, (answer: Answer) => Answer>>;

export type EditName = keyof typeof edits;

const reads: readonly CallName[] = ["list", "get"];

/** The calls whose replies each of them can happen to. */
const edited: Readonly<Record<EditName, readonly CallName[]>> = {
  withoutParams: reads,
  ofSummaries: reads,
  withoutEnabled: reads,
  withoutType: reads,
  ofAnotherJob: ["create", "update"],
  ofOnePage: reads,
  accepted: ["create", "update", "delete"],
  ofGateway: ["create"],
};

/** Everything between the provider processes and the services. */
export class Network {
  readonly sent: Sent[] = [];
  private faults: { readonly fault: Fault; seen: number }[] = [];
  /** Called when a service has processed a request. */
  onProcessed: (request: Sent) => void = () => undefined;

  constructor(
    private readonly timeline: Timeline,
    private readonly services: readonly Service[],
    private readonly noise: Noise,
  ) {}

  /** How many requests of a command the services have processed that changed something. */
  writtenBy(command: Actor["command"]): number {
    return this.sent.filter(({ by, job }) => by.command === command && job !== undefined).length;
  }

  inject(faults: readonly Fault[]): void {
    this.faults.push(...faults.map((fault) => ({ fault, seen: 0 })));
  }

  repair(): void {
    this.faults = [];
  }

  /** How an actor sends a request. Nothing that a killed process would send is sent. */
  readonly transportOf =
    (actor: Actor) =>
    (request: HttpRequest): Promise<HttpResult> =>
      new Promise((resolve) => {
        if (actor.isAlive) this.send(actor, request, resolve);
      });

  private send(actor: Actor, request: HttpRequest, resolve: (result: HttpResult) => void): void {
    const { timeline, noise } = this;
    const there = this.services.filter(({ baseUrl }) => request.url.startsWith(`${baseUrl}/`));
    const service =
      there.find(({ tokens, opaqueToken }) => [...tokens, opaqueToken].includes(request.token)) ?? there[0];
    if (service === undefined) {
      resolve({ kind: "noReply", sent: false, final: false, reason: "no connection could be made" });
      return;
    }
    const path = request.url.slice(service.baseUrl.length);
    const body = request.body === undefined ? undefined : objectOf(parseJson(request.body));
    const { method } = request;
    const call = service.answerable(method, path);
    const [at, number] = [timeline.now, this.sent.length];
    const sent: Sent = { by: actor, number, at, service, method, path, call, body, isAnswered: false };
    this.sent.push(sent);
    const mishap = this.next(call);
    if (mishap !== undefined) sent.mishap = mishap.kind;
    const end = (result: HttpResult) => {
      sent.isAnswered = result.kind === "reply";
      if (sent.isAnswered) sent.answeredAt = timeline.now;
      resolve(result);
    };
    request.signal.addEventListener("abort", () => {
      end({ kind: "noReply", sent: true, final: false, reason: "no reply came in time" });
    });
    if (mishap?.kind === "refused") {
      timeline.after(1, actor, () => {
        end({ kind: "noReply", sent: false, final: false, reason: "no connection could be made (ECONNREFUSED)" });
      });
      return;
    }
    const slowMs = mishap?.kind === "slow" ? mishap.ms : 0;
    // A slow service does its work at the beginning or at the end.
    const isLate = slowMs > 0 && noise.next() >= 0.5;
    const upMs = 1 + noise.between(0, 30) + (isLate ? slowMs : 0);
    // What is on its way when its process is killed may be lost.
    const isDroppedIfKilled = noise.next() < 0.5;
    timeline.after(upMs, undefined, () => {
      if (!actor.isAlive && isDroppedIfKilled) return;
      const answer = this.answerTo(request, sent, mishap);
      timeline.after((isLate ? 0 : slowMs) + 1 + noise.between(0, 30), actor, () => {
        if (request.signal.aborted) return;
        if (answer === undefined) {
          end({
            kind: "noReply",
            sent: true,
            final: false,
            reason: "the connection broke before a reply came (ECONNRESET)",
          });
          return;
        }
        sent.status = answer.status;
        const { status, headers } = answer;
        end({ kind: "reply", status, headers, body: answer.body });
      });
    });
  }

  /** What the service and the network make of a request; undefined if the reply is lost. */
  private answerTo(request: HttpRequest, sent: Sent, mishap: Mishap | undefined): Answer | undefined {
    const { service } = sent;
    const process = (): Answer => {
      const replica = this.noise.between(0, 1000);
      const answer = service.answer(sent, request.token, replica);
      if (answer.status === 200) {
        sent.processedAt = this.timeline.now;
        if (answer.job !== undefined) sent.job = answer.job;
        this.onProcessed(sent);
      }
      return answer;
    };
    switch (mishap?.kind) {
      case "lost":
        if (mishap.processed) process();
        return undefined;
      case "status":
        // To a delete, an empty success means that it is done: no client could tell that it is a lie.
        if (sent.call === "delete" && mishap.status === 200 && mishap.body === "") {
          const answer = process();
          if (answer.status !== 200) return answer;
        } else if (mishap.processed) process();
        return service.refusal(sent.call, mishap.status, mishap.headers, mishap.body);
      case "edited":
        if (sent.call === undefined || !edited[mishap.edit].includes(sent.call)) return process();
        return edits[mishap.edit](mishap.processed ? process() : service.refusal(sent.call, 200, {}, "{}"));
      case "twice": {
        if (sent.call !== "create") return process();
        const first = process();
        if (mishap.second === 200) return process();
        return first.status === 200 ? service.refusal(sent.call, mishap.second, {}, "") : first;
      }
      case "echo":
        return service.refusal(sent.call, mishap.status, {}, `The token ${request.token} is not accepted.`);
      default:
        return process();
    }
  }

  private next(call: CallName | undefined): Mishap | undefined {
    for (const one of this.faults) {
      if (one.fault.on !== call) continue;
      const { after, times, what } = one.fault;
      one.seen += 1;
      if (one.seen > after && (times === -1 || one.seen <= after + times)) return what;
    }
    return undefined;
  }
}
