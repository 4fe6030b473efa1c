import { AsyncLocalStorage } from "node:async_hooks";
import { SettingsError } from "../config/index.js";
import { instantOfHeader } from "../dateTime.js";
import { sentences } from "../sentences.js";
import type { Clock } from "./clock.js";
import { cancelledRun } from "./gate.js";
import { sendOnce, type HttpResult } from "./http.js";
import { failureText, type CallFailure, type Explanation, type Operation, type OperationResult } from "./operation.js";
import { purposes, type Purpose } from "./purposes.js";
import { hiddenParams, hiddenToken, unexpectedBody } from "./reply.js";
import { longestWaitMs, untoldWaitMs } from "./rateLimit.js";
import type { Service } from "./service.js";
import { askForAddress, fixFor, statusOf, type Status } from "./statuses.js";
import { untimelyToken } from "./token.js";

/** The limit for the tries of one operation. While a rate limit or a lock holds, only the time limits the tries. */
const maxTries = 5;

/** The limit of the resource that the current call is about, in seconds. */
const ownLimit = new AsyncLocalStorage<number>();

/**
 * A later run takes it for granted that a request does not take longer than this, or `timeoutSeconds` if that is longer:
 * a resource's own limit must not be longer.
 */
const longestOwnSeconds = 120;

/** Makes a call whose requests, except reads, have a limit of their own in place of `timeoutSeconds`. 0: they have none. */
export const withTimeLimit = <Result>(seconds: number, call: () => Result): Result =>
  seconds > 0 ? ownLimit.run(seconds, call) : call();

/** Sends one operation and retries it when that is safe. A network failure is a result, never an exception. */
export const send = (service: Service, operation: Operation): Promise<OperationResult> =>
  new Sending(service, operation).run();

class Sending {
  private readonly clock: Clock;
  /** The operation's timeout, in whole milliseconds: an abort signal accepts no fractions. */
  private readonly timeoutMs: number;
  private readonly limitedBy: string;
  private deadline: number | undefined;
  private tries = 0;
  private tokenRenewed = false;
  /** Time spent waiting because of a rate limit or a lock. It does not count against the timeout. */
  private pausedMs = 0;
  /** How many times the service said that this request's job is locked. */
  private locked = 0;
  /** The result of the latest try; the operation's result if no other try follows. */
  private newest: CallFailure | undefined;

  constructor(
    private readonly service: Service,
    private readonly operation: Operation,
  ) {
    this.clock = service.clock;
    const { timeoutSeconds } = service.account;
    const own = purposes[operation.purpose].onlyReads ? undefined : ownLimit.getStore();
    this.limitedBy = own === undefined ? "timeoutSeconds" : "the limit of the option customTimeouts";
    this.timeoutMs = Math.round(
      1000 * (own === undefined ? timeoutSeconds : Math.min(own, Math.max(longestOwnSeconds, timeoutSeconds))),
    );
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
    } finally {
      this.service.rateLimit.leave(this);
    }
  }

  /** Sends the request once. Returns undefined when it is time for another try, and else the operation's result. */
  private async tryWith(token: string): Promise<OperationResult | undefined> {
    const { clock, service } = this;
    const { purpose, path, body, secrets } = this.operation;
    const { method, repeatable } = purposes[purpose];
    // A query may name a table that is declared as a secret.
    const name = `${method} ${path.replace(/\?.*$/s, "")}`;
    const started = clock.now();
    // A create is recorded in the service's time, with which the service dates its job.
    const at = new Date(service.now()).toISOString();
    this.deadline ??= started + this.timeoutMs;
    this.tries += 1;
    const limit = clock.limit(this.deadline - started);
    const { signal } = limit;
    const url = `${service.account.baseUrl}${path}`;
    const result = await sendOnce({
      method,
      repeatable,
      url,
      token,
      body: body && JSON.stringify(body()),
      signal,
    }).finally(limit.end);
    const tookMs = clock.now() - started;
    const status = result.kind === "reply" ? result.status : undefined;
    const decision = classify(purpose, result);
    const { meaning, retry } = decision;
    if (result.kind === "reply") service.learnTime(result.headers["date"], started);
    const toldMs = this.learnOfLimit(result, decision);
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
        return { kind: "failed", cause: "ambiguous", status, at, what, fix: askForAddress(service.account) };
      };
      return { kind: "answered", reply: result, at, token, unusable };
    }
    // Any try, not just the last one, may have been processed.
    const isAmbiguous = meaning === "ambiguous" || this.newest?.cause === "ambiguous";
    const what = failureText(name, result, this.tries, hidden());
    const untimely = untimelyToken(token, service.clockDifferenceMs);
    const { baseUrlFrom } = service.account;
    const fix = fixFor(status, { purpose, baseUrlFrom, credentials: service.tokens.credentials(), untimely });
    this.newest = { kind: "failed", cause: isAmbiguous ? "ambiguous" : "refused", what, fix, status, at };
    let wait: Wait | undefined;
    try {
      wait = await this.waitBeforeRetry(decision, toldMs, token);
    } finally {
      log(wait === undefined ? "never" : retry);
    }
    if (wait === undefined) return this.newest;
    const { ms, isPause } = wait;
    if (ms === 0) return undefined;
    const waiting = () => this.isCancelledWithin(ms);
    return (await (isPause ? this.pausing(waiting) : waiting())) ? this.newest : undefined;
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
    const timeUp = (what: string): Explanation => tryLater(`${what} (${this.limitedBy} is ${this.timeoutMs / 1000}).`);
    for (;;) {
      const token = await service.tokens.get();
      // If the engine is gone, nobody would record the change.
      if (!onlyReads && !(await service.options.isEngineAlive()))
        return tryLater("The Pulumi engine that called this provider is gone.");
      if (!onlyReads && service.cancellation.isRequested) return cancelledRun;
      if (service.rateLimit.admits(this)) return this.spareMs < 0 ? timeUp("No time is left for another try") : token;
      const waitMs = service.rateLimit.remainingMs();
      if (this.pausedMs + waitMs > longestWaitMs)
        return tryLater("The service's rate limit holds for longer than the ten minutes that a request waits.");
      const isCancelled = await this.pausing(() => this.isCancelledWithin(waitMs, service.rateLimit.changed()));
      if (isCancelled) return cancelledRun;
    }
  }

  /** Waits without using the time of the request. */
  private async pausing<Value>(wait: () => Promise<Value>): Promise<Value> {
    const started = this.clock.now();
    const value = await wait();
    const pausedMs = this.clock.now() - started;
    this.pausedMs += pausedMs;
    if (this.deadline !== undefined) this.deadline += pausedMs;
    return value;
  }

  /**
   * Waits until the time is over, `sooner` resolves or the run is cancelled; with `sooner`, a time of 0 does not count.
   * Returns whether the run is cancelled.
   */
  private async isCancelledWithin(ms: number, sooner?: Promise<void>): Promise<boolean> {
    const { cancellation } = this.service;
    const awake = new AbortController();
    const slept = sooner !== undefined && ms === 0 ? sooner : this.clock.sleep(ms, awake.signal);
    await Promise.race([slept, cancellation.requested, ...(sooner === undefined ? [] : [sooner])]);
    // The timer would keep this process alive.
    awake.abort();
    return cancellation.isRequested;
  }

  private noFurtherTry({ what, fix }: Explanation, cause: "notSent" | "noToken"): CallFailure {
    if (this.newest === undefined) return { kind: "failed", cause, what, fix };
    return { ...this.newest, what: sentences(this.newest.what, what) };
  }

  /** Tells the account what a result says about its rate limit. Returns the wait that the reply asks for. */
  private learnOfLimit(result: HttpResult, { pauses }: RetryDecision): number | undefined {
    const { rateLimit } = this.service;
    if (result.kind === "noReply") {
      rateLimit.leave(this);
      return undefined;
    }
    const toldMs = pauses === undefined ? undefined : retryAfterMs(result.headers["retry-after"], this.service.now());
    const isLimit = pauses === "account" || (pauses === "accountIfTold" && toldMs !== undefined);
    if (isLimit) rateLimit.refuse(this, result.status, toldMs);
    else rateLimit.pass(this);
    return toldMs;
  }

  /** How long to wait before the next try; undefined if no further try may follow. */
  private async waitBeforeRetry(
    { retry, pauses }: RetryDecision,
    toldMs: number | undefined,
    token: string,
  ): Promise<Wait | undefined> {
    if (retry === "withNewToken" && !this.tokenRenewed) {
      this.tokenRenewed = true;
      return (await this.service.tokens.replace(token)) ? noWait : undefined;
    }
    if (retry !== "later") return undefined;
    // The account's rate limit decides when the next try may be sent.
    if (pauses === "account") return noWait;
    if (pauses === "request") {
      const ms = Math.max(toldMs ?? 0, untoldWaitMs(this.locked));
      this.locked += 1;
      return this.pausedMs + ms > longestWaitMs ? undefined : { ms, isPause: true };
    }
    if (this.tries >= maxTries) return undefined;
    if (toldMs !== undefined) return noWait;
    const ms = backoffMs(this.tries);
    return ms > this.spareMs ? undefined : { ms, isPause: false };
  }
}

/** The wait before a try. A pause does not use the time of the request. */
interface Wait {
  readonly ms: number;
  readonly isPause: boolean;
}

const noWait: Wait = { ms: 0, isPause: false };

/** What one HTTP result means for its request, and whether and when the request may be tried again. */
type RetryDecision = Pick<Status, "meaning" | "retry" | "pauses">;

/** Classifies an HTTP result. A request that is not repeatable is retried only if it was definitely not processed. */
export function classify(purpose: Purpose, result: HttpResult): RetryDecision {
  const isUnsafe = (meaning: Status["meaning"]) => meaning === "ambiguous" && !purposes[purpose].repeatable;
  if (result.kind === "noReply") {
    const meaning = result.sent ? "ambiguous" : "notProcessed";
    return { meaning, retry: result.final || isUnsafe(meaning) ? "never" : "later" };
  }
  const status = statusOf(result.status);
  return isUnsafe(status.meaning) ? { ...status, retry: "never" } : status;
}

/**
 * The wait that a Retry-After header asks for, in milliseconds. Reads the two documented forms, a number of seconds and
 * a date. For any other header, returns undefined.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const instant = instantOfHeader(header);
  return instant === undefined ? undefined : Math.max(0, instant - now);
}

/** A random wait whose maximum doubles with each try (full jitter): parallel requests do not all retry at once. */
export const backoffMs = (tries: number, random: () => number = Math.random): number =>
  random() * Math.min(8000, 500 * 2 ** (tries - 1));
