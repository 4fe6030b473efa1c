import { setTimeout as sleep } from "node:timers/promises";
import { SettingsError } from "../config/index.js";
import { exchange, type Exchange, type Reply } from "./http.js";
import { logRequest } from "./log.js";
import { backoffMs, judge, retryAfterMs, type Verdict } from "./resend.js";
import { hiddenToken, scrub, serverReason, type Hidden } from "./scrub.js";
import type { Service } from "./service.js";

/** Tries of one operation where each failed before anything can have come of it; a 429 is tried for as long as there is time. */
const maxTries = 5;

export interface Operation {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  /** Texts that the server may echo and that must not be shown; asked for when there is an error to show. */
  readonly hidden?: () => readonly Hidden[];
}

/** How an operation ended, with the time at which it was (last) sent. */
export type Ending =
  | { readonly kind: "answered"; readonly reply: Reply; readonly at: string; readonly token: string }
  | {
      readonly kind: "refused" | "doubtful";
      readonly what: string;
      readonly status: number | undefined;
      readonly at: string;
    }
  /** Nothing was sent: no token, a dead engine, a service that wants to be left alone for longer than there is time. */
  | { readonly kind: "unsent"; readonly what: string };

/** Sends one operation with the tries that the policy allows (resend.ts), and never throws for what the network does. */
export const send = (service: Service, operation: Operation): Promise<Ending> => new Sending(service, operation).run();

class Sending {
  private readonly timeoutMs: number;
  private deadline: number | undefined;
  private tries = 0;
  private tokenRenewed = false;
  /** How the newest try ended: what is told where no further one is made. */
  private ended: Exclude<Ending, { kind: "answered" | "unsent" }> | undefined;

  constructor(
    private readonly service: Service,
    private readonly operation: Operation,
  ) {
    this.timeoutMs = service.account.timeoutSeconds * 1000;
  }

  async run(): Promise<Ending> {
    try {
      for (;;) {
        const token = await this.token();
        const held = await this.heldBack();
        if (held !== undefined) return this.noFurtherTry(held);
        const [exchanged, at] = await this.try(token);
        const verdict = judge(this.operation.method, exchanged);
        if (verdict === "answered" && exchanged.kind === "reply") return { kind: verdict, reply: exchanged, at, token };
        this.ended = this.endingOf(exchanged, verdict, token, at);
        if (!(await this.mayTryAgain(exchanged, verdict, token))) return this.ended;
      }
    } catch (error) {
      if (error instanceof SettingsError) return this.noFurtherTry(error.message);
      throw error;
    }
  }

  /** The wait that is left for before the next try. Waiting for one's turn does not count, and a try that nobody could wait for would only raise a doubt. */
  private get spareMs(): number {
    return this.deadline === undefined ? this.timeoutMs : this.deadline - this.timeoutMs / 4 - Date.now();
  }

  /** The token to send with, once the service lets requests through; asked for last, for the wait may outlive it. */
  private async token(): Promise<string> {
    const { hold, tokens } = this.service;
    for (;;) {
      const token = await tokens.get();
      const waitMs = hold.remainingMs;
      if (waitMs === 0 || waitMs > this.spareMs) return token;
      // Not all at the same instant, or the limiter refuses them again.
      await sleep(waitMs + Math.random() * Math.min(waitMs, 250));
    }
  }

  /** Why the request may not leave. An engine that is gone would leave behind a job that nobody records. */
  private async heldBack(): Promise<string | undefined> {
    const { hold, surroundings } = this.service;
    if (this.operation.method === "POST" && !(await surroundings.isEngineAlive()))
      return "The engine that asked for this is gone.";
    if (hold.remainingMs > Math.max(0, this.spareMs)) return this.holdText();
    return this.spareMs < 0 ? `No time is left for another try (timeoutSeconds: ${this.timeoutMs / 1000}).` : undefined;
  }

  private noFurtherTry(reason: string): Ending {
    if (this.ended === undefined) return { kind: "unsent", what: reason };
    return { ...this.ended, what: `${this.ended.what} ${reason}` };
  }

  private async try(token: string): Promise<[Exchange, string]> {
    const { method, path, body } = this.operation;
    const started = Date.now();
    this.deadline ??= started + this.timeoutMs;
    this.tries += 1;
    const exchanged = await exchange({
      method,
      url: `${this.service.account.baseUrl}${path}`,
      token,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(this.deadline - started),
    });
    if (exchanged.kind === "reply" && (exchanged.status === 429 || exchanged.status === 503)) {
      const waitMs = retryAfterMs(exchanged.retryAfter, Date.now());
      if (waitMs !== undefined) this.service.hold.extend(waitMs, exchanged.status);
    }
    if (this.service.surroundings.debug) {
      logRequest({ method, path, exchanged, started, tries: this.tries, verdict: judge(method, exchanged) });
    }
    return [exchanged, new Date(started).toISOString()];
  }

  /** Whether another try may follow, after the wait that comes before it. */
  private async mayTryAgain(exchanged: Exchange, verdict: Verdict, token: string): Promise<boolean> {
    if (verdict === "newToken" && !this.tokenRenewed) {
      this.tokenRenewed = true;
      return this.service.tokens.replace(token);
    }
    const limited = exchanged.kind === "reply" && exchanged.status === 429;
    if (verdict !== "again" || (!limited && this.tries >= maxTries)) return false;
    // Where the service says how long to wait, that wait comes with the next token.
    const said = exchanged.kind === "reply" && exchanged.retryAfter !== undefined;
    const waitMs = backoffMs(this.tries, said ? 50 : 500);
    if (waitMs > this.spareMs) return false;
    await sleep(waitMs);
    return true;
  }

  private endingOf(
    exchanged: Exchange,
    verdict: Verdict,
    token: string,
    at: string,
  ): Exclude<Ending, { kind: "answered" | "unsent" }> {
    const { method, path, hidden } = this.operation;
    const kind = verdict === "doubtful" ? "doubtful" : "refused";
    const tries = this.tries > 1 ? ` (${this.tries} tries)` : "";
    if (exchanged.kind === "lost")
      return { kind, what: `${method} ${path} failed: ${exchanged.reason}${tries}.`, status: undefined, at };
    const { status, body, bodyFault, contentType, location } = exchanged;
    const all = [...hiddenToken(token), ...(hidden?.() ?? [])];
    const reason =
      status >= 300 && status < 400
        ? redirectText(location === undefined ? undefined : scrub(location, all))
        : serverReason(body, contentType, all);
    const text = reason === "" ? (bodyFault ?? "the service gave no reason") : reason;
    return { kind, what: `${method} ${path} failed with HTTP ${status}: ${text}${tries}.`, status, at };
  }

  private holdText(): string {
    const seconds = Math.ceil(this.service.hold.remainingMs / 1000);
    return `The service asks to be left alone for ${seconds} s more, for which timeoutSeconds (${this.timeoutMs / 1000}) leaves no time.`;
  }
}

/** The host alone: the rest of an address may hold what must not be shown. */
function redirectText(location: string | undefined): string {
  const host = location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
  return host === undefined ? "a redirect, which is not followed" : `a redirect to ${host}, which is not followed`;
}
