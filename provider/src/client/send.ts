import { AsyncLocalStorage } from "node:async_hooks";
import { SettingsError } from "../config/index.js";
import { sentences } from "../sentences.js";
import { calls, pathOf } from "./calls.js";
import { isoOf, type MonotonicTime } from "./clock.js";
import { cancelledRun } from "./gate.js";
import { sendOnce } from "./http.js";
import type { CallFailure, Explanation, CallRequest, CallResult } from "./outcomes.js";
import { failureText, hiddenParams, hiddenToken, unexpectedBody } from "./reply.js";
import { longestWaitMs, unstatedWaitMs } from "./rateLimit.js";
import type { AccountClient } from "./accountClient.js";
import { askForAddress, meaningOf, type Status } from "./statuses.js";
import { untimelyToken } from "./token.js";

/** The limit for the tries of one request. While a rate limit or a lock holds, only the time limits the tries. */
const maxTries = 5;

/** The limit of the resource that the current call is about, in seconds. */
const ownLimit = new AsyncLocalStorage<number>();

/**
 * A resource's own limit may not be longer than this, or than `timeoutSeconds` if that is longer: later runs assume that
 * no request takes longer.
 */
const longestOwnSeconds = 120;

/** Makes a call whose requests, except reads, have this limit instead of `timeoutSeconds`; 0: no limit of their own. */
export const withTimeLimit = <Result>(seconds: number, call: () => Result): Result =>
  seconds > 0 ? ownLimit.run(seconds, call) : call();

/** Sends one request and retries it when that is safe. A network failure is a result, never an exception. */
export const send = (client: AccountClient, request: CallRequest): Promise<CallResult> =>
  new Sending(client, request).run();

class Sending {
  /** The request's timeout, in whole milliseconds: an abort signal accepts no fractions. */
  private readonly timeoutMs: number;
  private readonly limitedBy: string;
  /** The least time for a try, a quarter of the timeout: a try that is cut short is ambiguous. */
  private readonly leastMs: number;
  /** Undefined until the first try: a wait before it does not use the time of the request. */
  private deadline: MonotonicTime | undefined;
  private tries = 0;
  private tokenRenewed = false;
  /** Time spent waiting because of a rate limit or a lock. It does not count against the timeout. */
  private pausedMs = 0;
  /** How many times the service said that this request's job is locked. */
  private locked = 0;
  /** The result of the latest try; the request's result if no other try follows. */
  private newest: CallFailure | undefined;

  constructor(
    private readonly client: AccountClient,
    private readonly request: CallRequest,
  ) {
    const { timeoutSeconds } = client.account;
    const own = calls[request.call].onlyReads ? undefined : ownLimit.getStore();
    this.limitedBy = own === undefined ? "timeoutSeconds" : "the limit of the option customTimeouts";
    this.timeoutMs = Math.round(
      1000 * (own === undefined ? timeoutSeconds : Math.min(own, Math.max(longestOwnSeconds, timeoutSeconds))),
    );
    this.leastMs = this.timeoutMs / 4;
  }

  async run(): Promise<CallResult> {
    try {
      for (;;) {
        const token = await this.client.tokens.get();
        const why = await this.client.shared.whyNotSent(this.request.call);
        if (why !== undefined) return this.noFurtherTry(why, "notSent");
        const result = await this.tryWith(token);
        if (result !== undefined) return result;
      }
    } catch (error) {
      this.client.shared.rateLimit.leave(this);
      if (error instanceof SettingsError) return this.noFurtherTry(error, "noToken");
      throw error;
    }
  }

  private tryLater(what: string): Explanation {
    return { what, fix: `Run ${calls[this.request.call].command} again.` };
  }

  /**
   * Sends the request once, or waits if the account's rate limit holds. Returns undefined when it is time for another
   * try, and else the request's result.
   */
  private async tryWith(token: string): Promise<CallResult | undefined> {
    const { account, machineClock, options, shared, tokens } = this.client;
    const { clock, rateLimit } = shared;
    // Do not await anything between this and the request: the request could miss a new pause.
    if (!rateLimit.admits(this)) return this.waitForLimit();
    const started = machineClock.monotonic();
    if (!this.hasTimeAt(started)) {
      rateLimit.leave(this);
      return this.noFurtherTry(
        this.tryLater(`No time is left for another try (${this.limitedBy} is ${this.timeoutMs / 1000}).`),
        "notSent",
      );
    }
    const { call, body, secrets } = this.request;
    const { method, repeatable } = calls[call];
    const path = pathOf(call, this.request);
    // Record a create in the service's time, which the service also uses to date the job.
    const at = isoOf(clock.now());
    this.deadline ??= started.plus(this.timeoutMs);
    this.tries += 1;
    const limit = machineClock.limit(this.deadline.msSince(started));
    const result = await sendOnce({
      method,
      repeatable,
      url: `${account.baseUrl}${path}`,
      token,
      body: body && JSON.stringify(body()),
      signal: limit.signal,
    }).finally(limit.end);
    const tookMs = machineClock.monotonic().msSince(started);
    const reply = result.kind === "reply" ? result : undefined;
    if (reply !== undefined) clock.learn(reply.headers["date"], started);
    const status = meaningOf(call, result);
    const statedMs = reply && rateLimit.learn(this, reply, status.pauses);
    if (reply === undefined) rateLimit.leave(this);

    // A query may name a table that is declared as a secret.
    const name = `${method} ${path.replace(/\?.*$/s, "")}`;
    /** Writes one debug log line for each try, without headers, bodies and tokens. */
    const log = (followedBy: Status["retry"]): void => {
      const shown = result.kind === "reply" ? String(result.status) : `- (${result.reason})`;
      const text = `${at} ${name} ${shown} ${tookMs}ms try=${this.tries} ${status.meaning} retry=${followedBy}`;
      options.report({ severity: "debug", text });
    };
    /** Secrets that the server may echo and that no message may show. */
    const hidden = () => [...hiddenToken(token), ...hiddenParams(secrets)];
    if (reply !== undefined && status.meaning === "answered") {
      log(status.retry);
      const unusable = (lacks: string): CallFailure => {
        const fix = askForAddress(account);
        const what = sentences(`${name} answered HTTP ${reply.status}${unexpectedBody(reply, hidden())}`, lacks);
        const { ends } = status;
        return { kind: "failed", cause: "ambiguous", status: reply.status, says: undefined, ends, at, what, fix };
      };
      return { kind: "answered", reply, at, token, unusable };
    }
    // Any try, not just the last one, may have been processed.
    const cause = status.meaning === "ambiguous" || this.newest?.cause === "ambiguous" ? "ambiguous" : "refused";
    const what = failureText(name, result, status.says, this.tries, hidden());
    const untimely = untimelyToken(token, clock);
    const { baseUrlFrom } = account;
    const fix = status.fix({ call, baseUrlFrom, credentials: tokens.credentials(), untimely });
    const { says, ends } = status;
    this.newest = { kind: "failed", cause, what, fix, status: reply?.status, says, ends, at };
    let waitMs: number | undefined;
    try {
      waitMs = await this.waitBeforeRetry(status, statedMs, token);
    } finally {
      log(waitMs === undefined ? "never" : status.retry);
    }
    if (waitMs === undefined) return this.newest;
    const isCancelled = waitMs > 0 && (await this.isCancelledWithin(waitMs, status.pauses === "request"));
    return isCancelled ? this.newest : undefined;
  }

  /** Waits until the account's rate limit may admit the request. */
  private async waitForLimit(): Promise<CallFailure | undefined> {
    const { rateLimit } = this.client.shared;
    const waitMs = rateLimit.remainingMs();
    if (this.pausedMs + waitMs > longestWaitMs)
      return this.noFurtherTry(
        this.tryLater("The service's rate limit holds for longer than the ten minutes that a request waits."),
        "notSent",
      );
    const isCancelled = await this.isCancelledWithin(waitMs, true, rateLimit.changed());
    return isCancelled ? this.noFurtherTry(cancelledRun, "notSent") : undefined;
  }

  /**
   * Waits until the time is over, `sooner` resolves or the run is cancelled; with `sooner`, 0 means no time limit. Returns
   * whether the run is cancelled. `isPause`: the wait does not use the time of the request.
   */
  private async isCancelledWithin(ms: number, isPause: boolean, sooner?: Promise<void>): Promise<boolean> {
    const { cancellation, machineClock } = this.client;
    const started = machineClock.monotonic();
    const awake = new AbortController();
    const slept = sooner !== undefined && ms === 0 ? sooner : machineClock.sleep(ms, awake.signal);
    await Promise.race([slept, cancellation.requested, ...(sooner === undefined ? [] : [sooner])]);
    // Otherwise, the timer would keep this process alive.
    awake.abort();
    if (isPause) {
      const pausedMs = machineClock.monotonic().msSince(started);
      this.pausedMs += pausedMs;
      this.deadline = this.deadline?.plus(pausedMs);
    }
    return cancellation.isRequested;
  }

  /** Whether enough of the request's time is left for a try that starts then. */
  private hasTimeAt(time: MonotonicTime): boolean {
    return this.deadline === undefined || this.deadline.msSince(time) >= this.leastMs;
  }

  private noFurtherTry({ what, fix }: Explanation, cause: "notSent" | "noToken"): CallFailure {
    if (this.newest === undefined) return { kind: "failed", cause, what, fix };
    return { ...this.newest, what: sentences(this.newest.what, what) };
  }

  /** How long to wait before the next try, in milliseconds; undefined if no further try may follow. */
  private async waitBeforeRetry(
    { retry, pauses }: Status,
    statedMs: number | undefined,
    token: string,
  ): Promise<number | undefined> {
    if (retry === "withNewToken" && !this.tokenRenewed) {
      this.tokenRenewed = true;
      return (await this.client.tokens.replace(token)) ? 0 : undefined;
    }
    if (retry !== "later") return undefined;
    // The account's rate limit decides when the next try may be sent.
    if (pauses === "account") return 0;
    if (pauses === "request") {
      const ms = Math.max(statedMs ?? 0, unstatedWaitMs(this.locked));
      this.locked += 1;
      return this.pausedMs + ms > longestWaitMs ? undefined : ms;
    }
    if (this.tries >= maxTries) return undefined;
    if (statedMs !== undefined) return 0;
    const ms = backoffMs(this.tries);
    return this.hasTimeAt(this.client.machineClock.monotonic().plus(ms)) ? ms : undefined;
  }
}

/** A random wait whose maximum doubles with each try (full jitter): parallel requests do not all retry at once. */
export const backoffMs = (tries: number, random: () => number = Math.random): number =>
  random() * Math.min(8000, 500 * 2 ** (tries - 1));
