import { SettingsError } from "../config/index.js";
import { sentences } from "../sentences.js";
import { sendOnce, type HttpResult } from "./http.js";
import { commandOf, failureText, fixFor, type Failed, type Operation, type OperationResult } from "./operation.js";
import { hiddenParams, hiddenToken, unexpectedBody, type Hidden } from "./reply.js";
import type { Service } from "./service.js";
import { cancelledRun, type Clock } from "./waits.js";

/** The limit for the tries of one operation. After a 429, only the operation's timeout limits the tries. */
const maxTries = 5;

/** Sends one operation and retries it when that is safe. A network failure is a result, never an exception. */
export const send = (service: Service, operation: Operation): Promise<OperationResult> =>
  new Sending(service, operation).run();

interface Try {
  readonly result: HttpResult;
  /** When the request was sent. */
  readonly at: string;
  readonly tookMs: number;
}

class Sending {
  private readonly clock: Clock;
  /** The operation's timeout, in whole milliseconds: an abort signal accepts no fractions. */
  private readonly timeoutMs: number;
  private deadline: number | undefined;
  private tries = 0;
  private tokenRenewed = false;
  /** Time spent in rate-limit pauses that do not count against the timeout. */
  private pausedMs = 0;
  /** Whether the reply to the latest try began a rate-limit pause. */
  private pauseSet = false;
  /** Whether any try so far, not just the last one, may have been processed. */
  private ambiguous = false;
  /** The result of the latest try; the operation's result if no other try follows. */
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

  /** How long the next try may be delayed. A quarter of the timeout is kept for the try: cut short, it is ambiguous. */
  private get spareMs(): number {
    return this.deadline === undefined ? this.timeoutMs : this.deadline - this.timeoutMs / 4 - this.clock.now();
  }

  /**
   * Waits until the request may be sent. Returns the request's token, or the operation's result if the request must not
   * be sent. Do not await anything between the last pause check and the request: the request could miss a new pause.
   */
  private async tokenToSendWith(): Promise<string | OperationResult> {
    const { pause, tokens, options, cancellation } = this.service;
    for (;;) {
      const token = await tokens.get();
      // If the engine is gone, nobody would record the change.
      if (this.operation.method !== "GET" && !(await options.isEngineAlive()))
        return this.noFurtherTry("The Pulumi engine that called this provider is gone.", this.tryLater);
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
      // Add a random wait: if all requests resume at once, the rate limit refuses them again.
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
    this.pauseSet = false;
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
      this.pauseSet = waitMs !== undefined;
      if (waitMs !== undefined) this.service.pause.extend(waitMs, result.status);
    }
    return { result, at: new Date(started).toISOString(), tookMs: this.clock.now() - started };
  }

  /** How long to wait before another try; undefined if none may follow. */
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
    // The pause that the reply asked for already delays the next try, so a short backoff is enough.
    const waitMs = backoffMs(this.tries, this.pauseSet ? 50 : 500);
    return waitMs > this.spareMs ? undefined : waitMs;
  }

  private get name(): string {
    return `${this.operation.method} ${this.operation.path}`;
  }

  /** Secrets that the server may echo and that no message may show. */
  private hidden(token: string): readonly Hidden[] {
    return [...hiddenToken(token), ...hiddenParams(this.operation.secrets)];
  }

  private failed(result: HttpResult, { meaning }: RetryDecision, token: string, at: string): Failed {
    this.ambiguous ||= meaning === "ambiguous";
    const status = result.kind === "reply" ? result.status : undefined;
    const tries = this.tries > 1 ? ` (${this.tries} tries)` : "";
    return {
      kind: this.ambiguous ? "ambiguous" : "refused",
      what: failureText(this.name, result, tries, this.hidden(token)),
      fix: fixFor(status, this.operation.method, this.service.tokens.credentials()),
      status,
      at,
    };
  }

  /** Writes one debug log line for each try, without headers, bodies and tokens. */
  private log({ result, at, tookMs }: Try, { meaning, retry }: RetryDecision): void {
    const status = result.kind === "reply" ? String(result.status) : `- (${result.reason})`;
    this.service.options.log?.(`${at} ${this.name} ${status} ${tookMs}ms try=${this.tries} ${meaning} retry=${retry}`);
  }
}

/** What one HTTP result means for its request, and whether the request may be tried again. */
export interface RetryDecision {
  /** `answered`: a 2xx, the caller checks its body. `notProcessed`: definitely. `ambiguous`: perhaps processed. */
  readonly meaning: "answered" | "notProcessed" | "ambiguous";
  /** `withNewToken`: retry only if a token other than the refused one is available. */
  readonly retry: "never" | "later" | "withNewToken";
}

/** Classifies an HTTP result. A request that is not `repeatable` is retried only if it was definitely not processed. */
export function classify(repeatable: boolean, result: HttpResult): RetryDecision {
  if (result.kind === "noReply") {
    const retry = result.final || (result.sent && !repeatable) ? "never" : "later";
    return { meaning: result.sent ? "ambiguous" : "notProcessed", retry };
  }
  const { status } = result;
  if (status >= 200 && status < 300) {
    return repeatable && result.body === undefined
      ? { meaning: "ambiguous", retry: "later" }
      : { meaning: "answered", retry: "never" };
  }
  if (status === 401) return { meaning: "notProcessed", retry: "withNewToken" };
  if (status === 429) return { meaning: "notProcessed", retry: "later" };
  if (isRefusal(status)) return { meaning: "notProcessed", retry: "never" };
  const redirect = status >= 300 && status < 400;
  return { meaning: "ambiguous", retry: repeatable && !redirect ? "later" : "never" };
}

/**
 * Whether a status means that nothing was done: a 4xx other than 408 and 499 (timeouts on either side), or a redirect
 * that asks to send the same request elsewhere. This is our assumption: the interface document shows no error status.
 * 500, 502, 503 and 504 do not count: a proxy may send them after the service has processed the request.
 */
const isRefusal = (status: number): boolean =>
  (status >= 400 && status < 500 && status !== 408 && status !== 499) || [301, 302, 307, 308].includes(status);

const imfFixdate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The wait in a Retry-After header, in milliseconds; undefined unless it has one of the two documented forms. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const instant = imfFixdate.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}

/** A random wait whose maximum doubles with each try (full jitter): parallel requests do not all retry at once. */
export const backoffMs = (tries: number, baseMs = 500, random: () => number = Math.random): number =>
  random() * Math.min(8000, baseMs * 2 ** (tries - 1));
