import { setTimeout as sleep } from "node:timers/promises";
import { SettingsError } from "../config/index.js";
import { exchange, type Exchange } from "./http.js";
import { logRequest } from "./log.js";
import { backoffMs, judge, retryAfterMs, type Verdict } from "./resend.js";
import { hiddenToken, serverReason, type Hidden } from "./scrub.js";
import type { Service } from "./service.js";

/** Tries of one operation where each failed before anything can have come of it; a 429 is tried for as long as there is time. */
const maxTries = 5;

export interface Operation {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  /** Texts that the server may echo and that must not be shown. */
  readonly hidden?: readonly Hidden[];
}

type Reply = Extract<Exchange, { kind: "reply" }>;

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
export async function send(service: Service, operation: Operation): Promise<Ending> {
  try {
    return await new Sending(service, operation).run();
  } catch (error) {
    if (error instanceof SettingsError) return { kind: "unsent", what: error.message };
    throw error;
  }
}

class Sending {
  private readonly timeoutMs: number;
  private deadline = Infinity;
  private tries = 0;

  constructor(
    private readonly service: Service,
    private readonly operation: Operation,
  ) {
    this.timeoutMs = service.account.timeoutSeconds * 1000;
  }

  async run(): Promise<Ending> {
    let token = await this.service.tokens.get();
    let renewed = false;
    for (;;) {
      const unsent = await this.passHold();
      if (unsent !== undefined) return unsent;
      const [sent, at] = await this.try(token);
      const verdict = judge(this.operation.method, sent);
      if (verdict === "answered" && sent.kind === "reply") return { kind: "answered", reply: sent, at, token };
      const other = verdict === "newToken" && !renewed ? await this.otherToken(token) : undefined;
      if (other !== undefined) {
        token = other;
        renewed = true;
      } else if (verdict !== "again" || !(await this.waitForNextTry(sent))) {
        return this.ending(sent, verdict, token, at);
      }
    }
  }

  /** Waiting for one's turn does not count as time of the operation; waiting between tries does. */
  private async passHold(): Promise<Ending | undefined> {
    const { hold, surroundings } = this.service;
    const left = Math.min(this.timeoutMs, this.deadline - Date.now());
    if (hold.remainingMs > left) return { kind: "unsent", what: this.holdText() };
    if ((await hold.pass()) && !(await surroundings.isEngineAlive())) return engineIsGone;
    return undefined;
  }

  private async try(token: string): Promise<[Exchange, string]> {
    const { method, path, body } = this.operation;
    const started = Date.now();
    if (this.deadline === Infinity) this.deadline = started + this.timeoutMs;
    this.tries += 1;
    const sent = await exchange({
      method,
      url: `${this.service.account.baseUrl}${path}`,
      token,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(Math.max(1, this.deadline - started)),
    });
    if (sent.kind === "reply" && (sent.status === 429 || sent.status === 503)) {
      const waitMs = retryAfterMs(sent.retryAfter, Date.now());
      if (waitMs !== undefined) this.service.hold.extend(waitMs, sent.status);
    }
    if (this.service.surroundings.debug) {
      logRequest({ method, path, sent, started, tries: this.tries, verdict: judge(method, sent) });
    }
    return [sent, new Date(started).toISOString()];
  }

  private async otherToken(token: string): Promise<string | undefined> {
    const other = await this.service.tokens.getOther(token);
    if (other !== undefined && !(await this.service.surroundings.isEngineAlive())) return undefined;
    return other;
  }

  /** Waits for the next try; false where there is none left. */
  private async waitForNextTry(sent: Exchange): Promise<boolean> {
    const limited = sent.kind === "reply" && sent.status === 429;
    if (!limited && this.tries >= maxTries) return false;
    const asked = this.service.hold.remainingMs;
    const wait = Math.max(
      asked,
      backoffMs(this.tries, sent.kind === "reply" && sent.retryAfter !== undefined ? 50 : 500),
    );
    if (Date.now() + wait >= this.deadline) return false;
    await sleep(wait);
    return this.service.surroundings.isEngineAlive();
  }

  private ending(sent: Exchange, verdict: Verdict, token: string, at: string): Ending {
    const { method, path, hidden = [] } = this.operation;
    const name = `${method} ${path}`;
    const kind = verdict === "doubtful" ? "doubtful" : "refused";
    if (sent.kind === "lost")
      return { kind, what: `${name} failed: ${sent.reason}${this.triesText()}.`, status: undefined, at };
    const reason = serverReason(sent.body, sent.contentType, [...hiddenToken(token), ...hidden]);
    const text = reason === "" ? "the service gave no reason" : reason;
    const redirect = sent.status >= 300 && sent.status < 400 ? redirectText(sent.location) : "";
    const held = sent.status === 429 && this.service.hold.remainingMs > 0 ? ` ${this.holdText()}` : "";
    const what = `${name} failed with HTTP ${sent.status}: ${redirect || text}${this.triesText()}.${held}`;
    return { kind, what, status: sent.status, at };
  }

  private triesText(): string {
    return this.tries > 1 ? ` (${this.tries} tries)` : "";
  }

  private holdText(): string {
    const seconds = Math.ceil(this.service.hold.remainingMs / 1000);
    return `The service asks to be left alone for ${seconds} s more, which is beyond timeoutSeconds (${this.timeoutMs / 1000}).`;
  }
}

const engineIsGone: Ending = { kind: "unsent", what: "The engine that asked for this is gone." };

/** The host alone: the rest of an address may hold what must not be shown. */
function redirectText(location: string | undefined): string {
  const host = location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
  return host === undefined ? "a redirect, which is not followed" : `a redirect to ${host}, which is not followed`;
}
