import { SettingsError } from "../config/index.js";
import { sentences } from "../sentences.js";
import { cancelledRun } from "./gate.js";
import { sendOnce, type HttpResult } from "./http.js";
import { failureText, type CallFailure, type Explanation, type Operation, type OperationResult } from "./operation.js";
import { purposes, type Purpose } from "./purposes.js";
import { hiddenParams, hiddenToken, unexpectedBody } from "./reply.js";
import type { Clock, Service } from "./service.js";
import { askForAddress, fixFor, statusOf, type Status } from "./statuses.js";

/** The limit for the tries of one operation. After a 429, only the operation's timeout limits the tries. */
const maxTries = 5;

/** Sends one operation and retries it when that is safe. A network failure is a result, never an exception. */
export const send = (service: Service, operation: Operation): Promise<OperationResult> =>
  new Sending(service, operation).run();

class Sending {
  private readonly clock: Clock;
  /** The operation's timeout, in whole milliseconds: an abort signal accepts no fractions. */
  private readonly timeoutMs: number;
  private deadline: number | undefined;
  private tries = 0;
  private tokenRenewed = false;
  /** Time spent in rate-limit pauses that do not count against the timeout. */
  private pausedMs = 0;
  /** The result of the latest try; the operation's result if no other try follows. */
  private newest: CallFailure | undefined;

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
        if (typeof token !== "string") return this.noFurtherTry(token, "notSent");
        const result = await this.tryWith(token);
        if (result !== undefined) return result;
      }
    } catch (error) {
      if (error instanceof SettingsError) return this.noFurtherTry(error, "noToken");
      throw error;
    }
  }

  /** Sends the request once. Returns undefined when it is time for another try, and else the operation's result. */
  private async tryWith(token: string): Promise<OperationResult | undefined> {
    const { clock, service } = this;
    const { purpose, path, body, secrets } = this.operation;
    const { method, repeatable } = purposes[purpose];
    const name = `${method} ${path}`;
    const started = clock.now();
    const at = new Date(started).toISOString();
    this.deadline ??= started + this.timeoutMs;
    this.tries += 1;
    const limit = clock.limit(this.deadline - started);
    const { signal } = limit;
    const url = `${service.account.baseUrl}${path}`;
    const result = await sendOnce({ method, repeatable, url, token, body, signal }).finally(limit.end);
    const tookMs = clock.now() - started;
    const status = result.kind === "reply" ? result.status : undefined;
    const { meaning, retry } = classify(purpose, result);
    /** Writes one debug log line for each try, without headers, bodies and tokens. */
    const log = (followedBy: RetryDecision["retry"]): void => {
      const shown = result.kind === "reply" ? String(result.status) : `- (${result.reason})`;
      const line = `${at} ${name} ${shown} ${tookMs}ms try=${this.tries} ${meaning} retry=${followedBy}`;
      service.options.log?.(line);
    };
    /** Secrets that the server may echo and that no message may show. */
    const hidden = () => [...hiddenToken(token), ...hiddenParams(secrets)];
    if (meaning === "answered" && result.kind === "reply") {
      log(retry);
      const unusable = (lacks: string): CallFailure => {
        const what = sentences(`${name} answered HTTP ${result.status}${unexpectedBody(result, hidden())}`, lacks);
        return { kind: "failed", cause: "ambiguous", status, at, what, fix: askForAddress };
      };
      return { kind: "answered", reply: result, at, token, unusable };
    }
    // Any try, not just the last one, may have been processed.
    const isAmbiguous = meaning === "ambiguous" || this.newest?.cause === "ambiguous";
    const what = failureText(name, result, this.tries, hidden());
    const fix = fixFor(status, { purpose, credentials: service.tokens.credentials() });
    this.newest = { kind: "failed", cause: isAmbiguous ? "ambiguous" : "refused", what, fix, status, at };
    let waitMs: number | undefined;
    try {
      waitMs = await this.waitBeforeRetry(result, retry, token);
    } finally {
      log(waitMs === undefined ? "never" : retry);
    }
    return waitMs === undefined || (await this.isCancelledWithin(waitMs)) ? this.newest : undefined;
  }

  /**
   * How long the next try may be delayed. A quarter of the timeout is kept for the try, because a try that is cut short
   * is ambiguous.
   */
  private get spareMs(): number {
    return this.deadline === undefined ? this.timeoutMs : this.deadline - this.timeoutMs / 4 - this.clock.now();
  }

  /**
   * Waits until the request may be sent. Returns the request's token, or the reason if the request must not be sent. Do
   * not await anything between the last pause check and the request: the request could miss a new pause.
   */
  private async tokenToSendWith(): Promise<string | Explanation> {
    const { service, operation } = this;
    const { onlyReads, command } = purposes[operation.purpose];
    const tryLater = (what: string): Explanation => ({ what, fix: `Run ${command} again.` });
    const timeUp = (what: string): Explanation =>
      tryLater(`${what} (data-connectivity:timeoutSeconds is ${this.timeoutMs / 1000}).`);
    for (;;) {
      const token = await service.tokens.get();
      // If the engine is gone, nobody would record the change.
      if (!onlyReads && !(await service.options.isEngineAlive()))
        return tryLater("The Pulumi engine that called this provider is gone.");
      if (!onlyReads && service.cancellation.isRequested) return cancelledRun;
      const waitMs = Math.max(0, service.pausedUntil - this.clock.now());
      if (waitMs === 0) return this.spareMs < 0 ? timeUp("No time is left for another try") : token;
      const waitsLong = this.pausedMs + waitMs <= service.account.mode.longestPausesMs;
      if (waitMs > this.spareMs && !waitsLong) {
        const seconds = Math.ceil(waitMs / 1000);
        return timeUp(
          `The service asks for a pause of another ${seconds} s, which is longer than the time that is left`,
        );
      }
      // Add a random wait: if all requests resume at once, the rate limit refuses them again.
      const pausedMs = waitMs + Math.round(Math.random() * Math.min(waitMs, 250));
      if (await this.isCancelledWithin(pausedMs)) return cancelledRun;
      if (!waitsLong) continue;
      this.pausedMs += pausedMs;
      if (this.deadline !== undefined) this.deadline += pausedMs;
    }
  }

  /** Waits until the time is over or the run is cancelled. Returns whether the run is cancelled. */
  private async isCancelledWithin(ms: number): Promise<boolean> {
    const { cancellation } = this.service;
    await Promise.race([this.clock.sleep(ms), cancellation.requested]);
    return cancellation.isRequested;
  }

  private noFurtherTry({ what, fix }: Explanation, cause: "notSent" | "noToken"): CallFailure {
    if (this.newest === undefined) return { kind: "failed", cause, what, fix };
    return { ...this.newest, what: sentences(this.newest.what, what) };
  }

  /**
   * Begins the pause that the reply asks for. Returns how long to wait before the next try, or undefined if no further
   * try may follow.
   */
  private async waitBeforeRetry(
    result: HttpResult,
    retry: RetryDecision["retry"],
    token: string,
  ): Promise<number | undefined> {
    const { status, retryAfter } = result.kind === "reply" ? result : {};
    const { pauses } = status === undefined ? {} : statusOf(status);
    const pauseMs = pauses === undefined ? undefined : retryAfterMs(retryAfter, this.clock.now());
    if (status !== undefined && pauseMs !== undefined) this.service.pause(pauseMs, status);
    if (retry === "withNewToken" && !this.tokenRenewed) {
      this.tokenRenewed = true;
      return (await this.service.tokens.replace(token)) ? 0 : undefined;
    }
    if (retry !== "later" || (status !== 429 && this.tries >= maxTries)) return undefined;
    // If the reply asked for a pause, the pause already delays the next try, so a short backoff is enough.
    const waitMs = backoffMs(this.tries, pauseMs === undefined ? 500 : 50);
    return waitMs > this.spareMs ? undefined : waitMs;
  }
}

/** What one HTTP result means for its request, and whether the request may be tried again. */
export type RetryDecision = Pick<Status, "meaning" | "retry">;

/** Classifies an HTTP result. A request that is not repeatable is retried only if it was definitely not processed. */
export function classify(purpose: Purpose, result: HttpResult): RetryDecision {
  const isUnsafe = (meaning: Status["meaning"]) => meaning === "ambiguous" && !purposes[purpose].repeatable;
  if (result.kind === "noReply") {
    const meaning = result.sent ? "ambiguous" : "notProcessed";
    return { meaning, retry: result.final || isUnsafe(meaning) ? "never" : "later" };
  }
  const { meaning, retry } = statusOf(result.status);
  return { meaning, retry: isUnsafe(meaning) ? "never" : retry };
}

const imfFixdate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a Retry-After header asks for, in milliseconds. Reads the two documented forms, a number of seconds and
 * a date. For any other header, returns undefined.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const instant = imfFixdate.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}

/** A random wait whose maximum doubles with each try (full jitter): parallel requests do not all retry at once. */
export const backoffMs = (tries: number, baseMs = 500, random: () => number = Math.random): number =>
  random() * Math.min(8000, baseMs * 2 ** (tries - 1));
