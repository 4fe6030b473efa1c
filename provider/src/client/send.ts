import { SettingsError } from "../config/index.js";
import { cancelledRun } from "./cancellation.js";
import type { Clock } from "./clock.js";
import { sendOnce, type HttpResult } from "./http.js";
import { commandOf, fixFor, type Failed, type Operation, type OperationResult } from "./operation.js";
import { hiddenParams, hiddenToken, redact, type Hidden } from "./redact.js";
import { serverReason, unexpectedBody } from "./reply.js";
import { sentence, sentences, withoutEnd } from "../sentences.js";
import { backoffMs, classify, retryAfterMs, type RetryDecision } from "./retry.js";
import type { Service } from "./service.js";

/** Tries of one operation; one that meets a rate limit is tried for as long as there is time. */
const maxTries = 5;

/** Sends one operation with the tries that the retry policy allows (retry.ts), and never throws for what the network does. */
export const send = (service: Service, operation: Operation): Promise<OperationResult> =>
  new Sending(service, operation).run();

interface Try {
  readonly result: HttpResult;
  /** When it was sent. */
  readonly at: string;
  readonly tookMs: number;
}

class Sending {
  private readonly clock: Clock;
  /** Every duration that reaches the deadline is whole: no signal is made for a part of a millisecond. */
  private readonly timeoutMs: number;
  private deadline: number | undefined;
  private tries = 0;
  private tokenRenewed = false;
  /** The pauses that did not count as time of this operation. */
  private pausedMs = 0;
  /** Whether any try may have been processed: the last one alone does not tell. */
  private ambiguous = false;
  /** The result of the newest try: the operation's, where no further try is made. */
  private newest: Failed | undefined;

  constructor(
    private readonly service: Service,
    private readonly operation: Operation,
  ) {
    this.clock = service.clock;
    this.timeoutMs = Math.round(service.account.timeoutSeconds * 1000);
  }

  async run(): Promise<OperationResult> {
    try {
      for (;;) {
        const token = await this.tokenToSendWith();
        if (typeof token !== "string") return token;
        const done = await this.try(token);
        const { result, at } = done;
        const decision = classify(this.operation.repeatable, result);
        if (decision.meaning === "answered" && result.kind === "reply") {
          this.log(done, decision);
          const unexpected = (lacks: string) =>
            sentences(
              `${this.name} answered HTTP ${result.status}${unexpectedBody(result, this.hidden(token))}`,
              lacks,
            );
          return { kind: "answered", reply: result, at, token, unexpected };
        }
        this.newest = this.failed(result, decision, token, at);
        let waitMs: number | undefined;
        try {
          waitMs = await this.waitBeforeRetry(result, decision, token);
        } finally {
          this.log(done, waitMs === undefined ? { ...decision, retry: "never" } : decision);
        }
        if (waitMs === undefined) return this.newest;
        const { cancellation } = this.service;
        await cancellation.during(this.clock.sleep(waitMs));
        if (cancellation.isRequested) return this.newest;
      }
    } catch (error) {
      if (error instanceof SettingsError) return this.noFurtherTry(error.what, error.fix, true);
      throw error;
    }
  }

  /** The time that is left for waits before the next try. The last quarter is the try's own: a shorter one could only become ambiguous. */
  private get spareMs(): number {
    return this.deadline === undefined ? this.timeoutMs : this.deadline - this.timeoutMs / 4 - this.clock.now();
  }

  /** Waits until the request may be sent. Between the last look at the pause and the request there is no further wait. */
  private async tokenToSendWith(): Promise<string | OperationResult> {
    const { pause, tokens, options, cancellation } = this.service;
    for (;;) {
      const token = await tokens.get();
      // An engine that is gone would leave behind a change that nobody records.
      if (this.operation.method !== "GET" && !(await options.isEngineAlive()))
        return this.noFurtherTry("The engine that asked for this request is gone.", this.tryLater);
      if (this.operation.method !== "GET" && cancellation.isRequested)
        return this.noFurtherTry(cancelledRun.what, cancelledRun.fix);
      const waitMs = pause.remainingMs;
      if (this.spareMs < 0 && waitMs === 0)
        return this.noFurtherTry(this.timeText("No time is left for another try"), this.tryLater);
      if (waitMs === 0) return token;
      const waitsLong = this.pausedMs + waitMs <= this.service.account.mode.longestPausesMs;
      if (waitMs > this.spareMs && !waitsLong) {
        const text = `The service asks for a pause of another ${Math.ceil(waitMs / 1000)} s, which is longer than the time that is left`;
        return this.noFurtherTry(this.timeText(text), this.tryLater);
      }
      // Not all at the same instant, or the rate limit refuses them again.
      const pausedMs = waitMs + Math.round(Math.random() * Math.min(waitMs, 250));
      await cancellation.during(this.clock.sleep(pausedMs));
      if (cancellation.isRequested) return this.noFurtherTry(cancelledRun.what, cancelledRun.fix);
      if (!waitsLong) continue;
      this.pausedMs += pausedMs;
      if (this.deadline !== undefined) this.deadline += pausedMs;
    }
  }

  private get tryLater(): string {
    return `Run ${commandOf(this.operation)} again.`;
  }

  private timeText = (text: string): string =>
    `${text} (data-connectivity:timeoutSeconds is ${this.timeoutMs / 1000}).`;

  private noFurtherTry(what: string, fix: string, noToken = false): OperationResult {
    if (this.newest === undefined) return { kind: "notSent", noToken, what, fix };
    return { ...this.newest, what: sentences(this.newest.what, what) };
  }

  private async try(token: string): Promise<Try> {
    const { method, path, body, repeatable } = this.operation;
    const started = this.clock.now();
    this.deadline ??= started + this.timeoutMs;
    this.tries += 1;
    const result = await sendOnce({
      method,
      url: `${this.service.account.baseUrl}${path}`,
      token,
      repeatable,
      ...(body === undefined ? {} : { body }),
      signal: this.clock.timeout(this.deadline - started),
    });
    if (result.kind === "reply" && (result.status === 429 || result.status === 503)) {
      const waitMs = retryAfterMs(result.retryAfter, this.clock.now());
      if (waitMs !== undefined) this.service.pause.extend(waitMs, result.status);
    }
    return { result, at: new Date(started).toISOString(), tookMs: this.clock.now() - started };
  }

  /** How long to wait before another try; undefined where none may follow. */
  private async waitBeforeRetry(
    result: HttpResult,
    { retry }: RetryDecision,
    token: string,
  ): Promise<number | undefined> {
    if (retry === "withNewToken" && !this.tokenRenewed) {
      this.tokenRenewed = true;
      return (await this.service.tokens.replace(token)) ? 0 : undefined;
    }
    const rateLimited = result.kind === "reply" && result.status === 429;
    if (retry !== "later" || (!rateLimited && this.tries >= maxTries)) return undefined;
    // Where the service says how long to wait, that wait comes before the next try anyway.
    const said = result.kind === "reply" && result.retryAfter !== undefined;
    const waitMs = backoffMs(this.tries, said ? 50 : 500);
    return waitMs > this.spareMs ? undefined : waitMs;
  }

  private get name(): string {
    return `${this.operation.method} ${this.operation.path}`;
  }

  /** What the server may echo and no message may show. */
  private hidden(token: string): readonly Hidden[] {
    return [...hiddenToken(token), ...hiddenParams(this.operation.secrets)];
  }

  private failed(result: HttpResult, { meaning }: RetryDecision, token: string, at: string): Failed {
    const { method } = this.operation;
    const credentials = this.service.tokens.credentials();
    this.ambiguous ||= meaning === "ambiguous";
    const kind = this.ambiguous ? "ambiguous" : "refused";
    const tries = this.tries > 1 ? ` (${this.tries} tries)` : "";
    if (result.kind === "noReply") {
      return {
        kind,
        what: `${this.name} failed: ${result.reason}${tries}.`,
        fix: fixFor(undefined, method, credentials),
        status: undefined,
        at,
      };
    }
    const { status, bodyProblem, location } = result;
    const all = this.hidden(token);
    const reason =
      status >= 300 && status < 400
        ? redirectText(location === undefined ? undefined : redact(location, all))
        : serverReason(result, all);
    const text = withoutEnd(reason) === "" ? (bodyProblem ?? "the service gave no reason") : withoutEnd(reason);
    return {
      kind,
      what: sentence(`${this.name} failed with HTTP ${status}: ${text}${tries}`),
      fix: fixFor(status, method, credentials),
      status,
      at,
    };
  }

  /** The debug log: one line for each request, without headers, bodies and tokens. */
  private log({ result, at, tookMs }: Try, { meaning, retry }: RetryDecision): void {
    const status = result.kind === "reply" ? String(result.status) : `- (${result.reason})`;
    this.service.options.log?.(`${at} ${this.name} ${status} ${tookMs}ms try=${this.tries} ${meaning} retry=${retry}`);
  }
}

/** The host alone: the rest of an address may hold what must not be shown. */
function redirectText(location: string | undefined): string {
  const host = location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
  return host === undefined ? "a redirect, which is not followed" : `a redirect to ${host}, which is not followed`;
}
