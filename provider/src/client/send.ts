import { AsyncLocalStorage } from "node:async_hooks";
import { SettingsError } from "../config/index.js";
import type { JsonObject } from "../json.js";
import { sentences } from "../sentences.js";
import { calls, pathOf } from "./calls.js";
import { isoOf, type MonotonicTime } from "./clock.js";
import { cancelledRun } from "./gate.js";
import { sendOnce, type HttpResult, type Reply } from "./http.js";
import type { CallFailure, CallRequest, CallResult, NotDone, Reason, Stopped, Tries, Unclear } from "./outcomes.js";
import { failureText, hiddenParams, hiddenToken, unexpectedBody, type Hidden } from "./reply.js";
import { unstatedWaitMs } from "./rateLimit.js";
import type { AccountClient } from "./accountClient.js";
import { signOfCache } from "./signs.js";
import { askForAddress, meaningOf, type Status } from "./statuses.js";
import { untimelyToken } from "./token.js";

/** The limit for the tries of one request. While a rate limit or a lock holds, only the time limits the tries. */
const maxTries = 5;

/** The limit of the resource that the current call is about, in seconds. */
const ownLimit = new AsyncLocalStorage<number>();

/** The shortest that {@link inFlightMs} is with any settings. */
export const leastInFlightMs = 120_000;

/** How long the service may go on with a request that this run no longer waits for. */
const goesOnMs = 60_000;

/**
 * How long a request may be in flight after it was sent, and its job be shown only in part: a minute longer than
 * `timeoutSeconds`, and at least two minutes.
 */
export const inFlightMs = ({ account: { timeoutSeconds } }: AccountClient): number =>
  Math.max(leastInFlightMs, 1000 * timeoutSeconds + goesOnMs);

/** The longest limit that a resource may set for its own requests: later runs assume {@link inFlightMs}. */
const longestOwnMs = (client: AccountClient): number => inFlightMs(client) - goesOnMs;

/** Makes a call whose requests, except reads, have this limit instead of `timeoutSeconds`; 0: no limit of their own. */
export const withTimeLimit = <Result>(seconds: number, call: () => Result): Result =>
  seconds > 0 ? ownLimit.run(seconds, call) : call();

/**
 * A request that is to be sent. `isFree`: asked in the tick in which it leaves; if another request of this run has meanwhile
 * taken what it needs, it is decided again.
 */
export class Go {
  constructor(
    readonly body?: () => JsonObject,
    readonly tries?: Tries,
    readonly isFree: () => boolean = () => true,
  ) {}
}

/**
 * Decides about a request whenever it may be sent. It is then sent in the tick in which the decision is made. `since`: the
 * end of the last wait; what was true before it may no longer be. Undefined if the request has not waited yet.
 */
export type Decide<Stop extends Stopped | NotDone = never> = (since: MonotonicTime | undefined) => Promise<Go | Stop>;

/**
 * Sends one request and retries it when that is safe. A network failure is a result, never an exception. `decide`: default:
 * the request is sent as it is.
 */
export const send = <Stop extends Stopped | NotDone = never>(
  client: AccountClient,
  request: CallRequest,
  decide?: Decide<Stop>,
): Promise<CallResult | Stop> => new Sending(client, request).run(decide);

/** A wait that is shorter outdates nothing: a reply may take as long. Requests whose waits end within it share their facts. */
export const briefMs = 1000;

/**
 * A decision that took longer is made again, once: the first of its facts may no longer be true, because its reads had to
 * wait. Facts that are ten seconds old will do anyway.
 */
const longDecisionMs = 20_000;

/** A try that has ended. */
interface Tried {
  /** What messages call the request. */
  readonly name: string;
  /** When it left, in the service's time. */
  readonly at: string;
  readonly token: string;
  readonly result: HttpResult;
  readonly status: Status;
}

class Sending {
  /** The request's timeout, in whole milliseconds: an abort signal accepts no fractions. */
  private readonly timeoutMs: number;
  private readonly limitedBy: string;
  /** The least time for a try, a quarter of the timeout: a try that is cut short is ambiguous. */
  private readonly leastMs: number;
  /** The time spent on tries and on the waits between them, without pauses and without deciding what to send. */
  private usedMs = 0;
  private tries = 0;
  private tokenRenewed = false;
  /** The most that {@link pausedMs} may become. */
  private readonly longestWaitMs: number;
  /** Time spent waiting because of a rate limit or a lock. It does not count against the timeout. */
  private pausedMs = 0;
  /** How many times the service said that this request's job is locked. */
  private locked = 0;
  /** The result of the latest try; the request's result if no other try follows. */
  private newest: CallFailure | undefined;
  /** The wait before the next try. */
  private next: { readonly waitMs: number; readonly isPause: boolean } | undefined;
  private since: MonotonicTime | undefined;

  constructor(
    private readonly client: AccountClient,
    private readonly request: CallRequest,
  ) {
    const { timeoutSeconds, rateLimitSeconds } = client.account;
    this.longestWaitMs = 1000 * rateLimitSeconds;
    const own = calls[request.call].onlyReads ? undefined : ownLimit.getStore();
    this.limitedBy = own === undefined ? "timeoutSeconds" : "the limit of the option customTimeouts";
    this.timeoutMs = Math.round(own === undefined ? 1000 * timeoutSeconds : Math.min(1000 * own, longestOwnMs(client)));
    this.leastMs = this.timeoutMs / 4;
  }

  async run<Stop extends Stopped | NotDone>(decide?: Decide<Stop>): Promise<CallResult | Stop> {
    let isAgain = false;
    try {
      for (;;) {
        const turn = await this.turn();
        if (typeof turn !== "string") return turn;
        const asked = this.now();
        const decision = decide === undefined ? new Go(this.request.body) : await this.decided(decide);
        if (!(decision instanceof Go)) return decision;
        const tookMs = this.now().msSince(asked);
        if (decide !== undefined && tookMs > longDecisionMs && !isAgain) {
          isAgain = true;
          this.waitedSince(asked);
          continue;
        }
        // Only after a slow decision: a quick one is followed by its request in the same tick.
        const isLate = decide !== undefined && tookMs > briefMs;
        const why = isLate ? await this.client.whyNotSent(this.request.call) : undefined;
        if (why !== undefined) return this.noFurtherTry(why, "notSent");
        // From here on, await nothing before the request.
        const result = await this.tryWith(turn, decision);
        if (result !== undefined) return result;
        isAgain = false;
      }
    } catch (error) {
      if (error instanceof SettingsError) return this.noFurtherTry(error, "noToken");
      throw error;
    } finally {
      this.client.shared.rateLimit.leave(this);
    }
  }

  /** If an earlier try may have been processed, that is the result: a decision not to send another one does not undo it. */
  private async decided<Stop extends Stopped | NotDone>(decide: Decide<Stop>): Promise<Go | Stop | CallFailure> {
    const { newest } = this;
    const open = newest?.cause === "ambiguous" ? newest : undefined;
    try {
      const decision = await decide(this.since);
      return decision instanceof Go ? decision : (open ?? decision);
    } catch (error) {
      if (open !== undefined) return open;
      throw error;
    }
  }

  private now(): MonotonicTime {
    return this.client.machineClock.monotonic();
  }

  /** Waits until the request may be sent. Returns the token to send it with, or the result if no try follows. */
  private async turn(): Promise<string | CallFailure> {
    const { next, newest } = this;
    this.next = undefined;
    if (next !== undefined && newest !== undefined && next.waitMs > 0) {
      const began = this.now();
      if (await this.isCancelledWithin(next.waitMs, next.isPause)) return newest;
      this.waitedSince(began);
    }
    for (;;) {
      const began = this.now();
      const token = await this.client.tokens.get();
      this.waitedSince(began);
      const why = await this.client.whyNotSent(this.request.call);
      if (why !== undefined) return this.noFurtherTry(why, "notSent");
      if (this.client.shared.rateLimit.mayGo(this, this.onlyReads)) return token;
      const stopped = await this.waitForLimit();
      if (stopped !== undefined) return stopped;
    }
  }

  private get onlyReads(): boolean {
    return calls[this.request.call].onlyReads;
  }

  /** Notes a wait that has just ended. `ended`: facts that were requested then or later are still true. */
  private waitedSince(began: MonotonicTime, ended = this.now()): void {
    if (this.now().msSince(began) >= briefMs) this.since = ended.plus(-briefMs).orLater(this.since);
  }

  private tryLater(what: string): Reason {
    return { what, fix: `Run ${calls[this.request.call].command} again.` };
  }

  /**
   * Sends the request once, in this tick. Returns undefined if it has to wait for another try, and else its result.
   */
  private async tryWith(token: string, { body, tries, isFree }: Go): Promise<CallResult | undefined> {
    const { account, machineClock, options, shared } = this.client;
    const { clock, rateLimit } = shared;
    // Another request may have learned of a limit since this one's turn.
    if (!isFree() || !rateLimit.admits(this)) return undefined;
    const started = machineClock.monotonic();
    if (!this.hasTimeAfter(0)) {
      return this.noFurtherTry(
        this.tryLater(`No time is left for another try (${this.limitedBy} is ${this.timeoutMs / 1000}).`),
        "notSent",
      );
    }
    const { call } = this.request;
    const { method, repeatable } = calls[call];
    const path = pathOf(call, this.request);
    // Record a create in the service's time, which the service also uses to date the job.
    const at = isoOf(clock.now());
    this.tries += 1;
    tries?.begin(at);
    const limit = machineClock.limit(Math.ceil(this.timeoutMs - this.usedMs));
    const result = await (options.transport ?? sendOnce)({
      method,
      repeatable,
      url: `${account.baseUrl}${path}`,
      token,
      body: body && JSON.stringify(body()),
      signal: limit.signal,
    }).finally(limit.end);
    const tookMs = machineClock.monotonic().msSince(started);
    this.usedMs += tookMs;
    const reply = result.kind === "reply" ? result : undefined;
    // A gateway may have sent the request twice and returned the second reply: look at the facts again before a retry.
    if (reply !== undefined) this.since = this.now();
    if (reply !== undefined) clock.learn(signOfCache(reply.headers) === undefined ? reply.headers : {}, started);
    const status = meaningOf(call, result);
    const statedMs = reply && rateLimit.learn(this, reply, status.pauses, this.onlyReads);
    if (reply === undefined) rateLimit.leave(this);

    // A query may name a table that is declared as a secret.
    const name = `${method} ${path.replace(/\?.*$/s, "")}`;
    /** Writes one debug log line for each try, without headers, bodies and tokens. */
    const log = (followedBy: Status["retry"]): void => {
      const shown = result.kind === "reply" ? String(result.status) : `- (${result.reason})`;
      const text = `${at} ${name} ${shown} ${tookMs}ms try=${this.tries} ${status.meaning} retry=${followedBy}`;
      options.report({ severity: "debug", text });
    };
    const tried: Tried = { name, at, token, result, status };
    if (reply !== undefined && status.meaning === "answered") {
      log(status.retry);
      return this.answered(tried, reply);
    }
    this.newest = this.failureOf(tried);
    if (this.newest.cause !== "ambiguous") tries?.end();
    let waitMs: number | undefined;
    try {
      waitMs = await this.waitBeforeRetry(status, statedMs, token);
    } finally {
      log(waitMs === undefined ? "never" : status.retry);
    }
    if (waitMs === undefined) return this.newest;
    this.next = { waitMs, isPause: status.pauses === "request" };
    return undefined;
  }

  /** Secrets that the server may echo and that no message may show. */
  private hiddenIn({ token, result }: Tried): readonly Hidden[] {
    const body = result.kind === "reply" ? result.body : "";
    const { options } = this.client;
    return [...hiddenToken(token), ...hiddenParams(this.request.secrets), ...(options.secrets?.in(body) ?? [])];
  }

  private answered(tried: Tried, reply: Reply): CallResult {
    const { name, at, token, status } = tried;
    const answer = `${name} answered HTTP ${reply.status}`;
    const unusable = (lacks: string): Unclear => {
      const what = sentences(`${answer}${unexpectedBody(reply, this.hiddenIn(tried))}`, lacks);
      const failed = { kind: "failed", cause: "ambiguous", status: reply.status, ends: status.ends, at } as const;
      const isSilent = reply.body.trim() === "" && (reply.status === 200 || reply.status === 204);
      return { ...failed, isAccepted: true, isSilent, what, fix: askForAddress(this.client.account) };
    };
    return { kind: "answered", reply, at, token, answer, unusable };
  }

  /** The failure of a try that was not answered: any try so far, not just this one, may have been processed. */
  private failureOf(tried: Tried): CallFailure {
    const { name, at, token, result, status } = tried;
    const { account, shared, tokens } = this.client;
    const { says, ends } = status;
    const isUnclear = status.meaning === "ambiguous" || this.newest?.cause === "ambiguous";
    const what = failureText(name, result, says, this.tries, this.hiddenIn(tried));
    const untimely = untimelyToken(token, shared.clock);
    const { baseUrlFrom } = account;
    const fix = status.fix({ call: this.request.call, baseUrlFrom, credentials: tokens.credentials(), untimely });
    const httpStatus = result.kind === "reply" ? result.status : undefined;
    const failed = { kind: "failed", what, fix, status: httpStatus, says, ends } as const;
    return isUnclear ? { ...failed, cause: "ambiguous", isAccepted: false, at } : { ...failed, cause: "refused" };
  }

  /** Waits until the account's rate limit may admit the request. */
  private async waitForLimit(): Promise<CallFailure | undefined> {
    const { rateLimit } = this.client.shared;
    const waitMs = rateLimit.remainingMs(this);
    const { began } = this.request;
    const waitedMs = began === undefined ? this.pausedMs : this.now().msSince(began);
    if (waitedMs + waitMs > this.longestWaitMs)
      return this.noFurtherTry(
        this.tryLater(
          `The service's rate limit holds for longer than a request may wait (rateLimitSeconds: ${this.longestWaitMs / 1000}).`,
        ),
        "notSent",
      );
    const changed = (over: AbortSignal) => rateLimit.changed(this, this.onlyReads, waitMs === 0, over);
    const start = this.now();
    const isCancelled = await this.isCancelledWithin(waitMs, true, changed);
    // All who are released after a limit share the facts of the first.
    this.waitedSince(start, rateLimit.overAt);
    return isCancelled ? this.noFurtherTry(cancelledRun, "notSent") : undefined;
  }

  /**
   * Waits until the time is over, `sooner` resolves or the run is cancelled; with `sooner`, 0 means no time limit. Returns
   * whether the run is cancelled. `isPause`: the wait does not use the time of the request.
   */
  private async isCancelledWithin(
    ms: number,
    isPause: boolean,
    sooner?: (over: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const { cancellation, machineClock } = this.client;
    const began = this.now();
    const over = new AbortController();
    const called = sooner?.(over.signal);
    const slept = called !== undefined && ms === 0 ? called : machineClock.sleep(ms, over.signal);
    await Promise.race([slept, cancellation.requested, ...(called === undefined ? [] : [called])]);
    // Otherwise, the timer would keep this process alive.
    over.abort();
    const tookMs = this.now().msSince(began);
    if (isPause) this.pausedMs += tookMs;
    else this.usedMs += tookMs;
    return cancellation.isRequested;
  }

  /** Whether enough of the request's time is left for a try after this wait. */
  private hasTimeAfter(ms: number): boolean {
    return this.timeoutMs - this.usedMs - ms >= this.leastMs;
  }

  private noFurtherTry({ what, fix }: Reason, cause: "notSent" | "noToken"): CallFailure {
    if (this.newest === undefined) return { kind: "failed", cause, ends: "creates", what, fix };
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
      return this.pausedMs + ms > this.longestWaitMs ? undefined : ms;
    }
    if (this.tries >= maxTries) return undefined;
    if (statedMs !== undefined) return 0;
    const ms = backoffMs(this.tries);
    return this.hasTimeAfter(ms) ? ms : undefined;
  }
}

/** A random wait whose maximum doubles with each try (full jitter): parallel requests do not all retry at once. */
export const backoffMs = (tries: number, random: () => number = Math.random): number =>
  random() * Math.min(8000, 500 * 2 ** (tries - 1));
