import { createHash } from "node:crypto";
import { isObject, parseJson } from "../json.js";
import { parseToken, quoted, SettingsError, settingsErrorOf, type Account, type Credentials } from "../config/index.js";
import { sentences } from "../sentences.js";
import { isoOf, serviceTime, ServiceClock, systemClock, type ServiceTime } from "./clock.js";
import { runCredentialsCommand } from "./credentialsCommand.js";
import type { Cancellation } from "./gate.js";
import { oneLineOf } from "./reply.js";

/** Clocks differ, so a token counts as expired only this long after its `exp`. */
const leewayMs = 60_000;

interface Token {
  readonly text: string;
  readonly obtainedAt: ServiceTime;
}

/** Whether to renew a token: in the last minute of its life, or in the last fifth if that is shorter. */
function renewalDue({ text, obtainedAt }: Token, now: ServiceTime): boolean {
  const expiresAt = expiryOf(text);
  return expiresAt !== undefined && expiresAt.msSince(now) < Math.min(60_000, expiresAt.msSince(obtainedAt) / 5);
}

/** The claims of a JWT, unverified; undefined for an opaque token. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  const claims = parseJson(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
  return isObject(claims) ? claims : undefined;
}

/**
 * A digest of a JWT's issuer and subject; undefined if the token lacks either. The digest distinguishes the vendor's
 * accounts and sub-accounts, which share an address but do not see each other's jobs.
 */
export function subjectOf(token: string): string | undefined {
  const { iss, sub } = claimsOf(token) ?? {};
  if (typeof iss !== "string" || typeof sub !== "string") return undefined;
  return createHash("sha256")
    .update(JSON.stringify([iss, sub]))
    .digest("base64url")
    .slice(0, 8);
}

/** What a JWT shows about the account that it is for. */
export const accountShown = (token: string): string[] => {
  const { iss, sub } = claimsOf(token) ?? {};
  return Object.entries({ issuer: iss, subject: sub }).flatMap(([name, id]) =>
    typeof id === "string" ? [`${name} ${oneLineOf(id, [])}`] : [],
  );
};

/** A token without a subject counts as an account of its own. */
const identityOf = (token: string): string => subjectOf(token) ?? token;

/** When a token expires (`exp` of a JWT); undefined if unknown, such as for an opaque token. */
export const expiryOf = (token: string): ServiceTime | undefined => instantIn(token, "exp");

function instantIn(token: string, claim: string): ServiceTime | undefined {
  const seconds = claimsOf(token)?.[claim];
  // 1e11 or more are milliseconds, against the JWT standard. Ignore the claim, but do not refuse the token.
  return typeof seconds === "number" && seconds > 0 && seconds < 1e11 ? serviceTime(seconds * 1000) : undefined;
}

/**
 * The tokens of one account, for one run. Parallel requests share one renewal, and no other account uses these tokens.
 * All tokens must have the same subject: with another one, jobs would be created in another account, and others be seen.
 */
export class Tokens {
  /** The subject of this run's tokens; undefined until a token names one. */
  subject: string | undefined;
  /** What distinguishes the account from others at its address; undefined until there is a token. */
  identity: string | undefined;
  /** {@link accountShown} of the last token. */
  private shownAccount: readonly string[] = [];
  /** The last token whose subject is right. */
  private known: string | undefined;
  private current: Promise<Token> | undefined;
  /** Why there was no token to learn the subject from. The next request that needs one fails with it: no second command. */
  private failure: SettingsError | undefined;
  private otherSubjectFound: Promise<SettingsError | undefined> | undefined;
  /** Tokens that a 401 refused. For each of these tokens, the command has already been run again, once. */
  private readonly refused = new Set<string>();

  constructor(
    private readonly account: Account,
    private readonly clock: () => ServiceClock,
    private readonly cancellation?: Cancellation,
  ) {
    const { credentials } = account;
    if (credentials !== undefined && "token" in credentials) this.identity = identityOf(credentials.token);
  }

  /**
   * A token that has not expired.
   * @throws SettingsError if there are no credentials, the command fails, the token has expired, or its subject is not
   * the one in the settings or differs from an earlier token's of this run.
   */
  async get(): Promise<string> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    const credentials = this.credentials();
    const known = this.current;
    let token = await (known ?? this.obtain(credentials));
    if ("command" in credentials && known !== undefined && renewalDue(token, this.clock().now())) {
      token = await (this.current === known ? this.obtain(credentials, token) : (this.current ?? known));
    }
    const { text } = token;
    const expired = expiryProblem(text, credentials, this.clock());
    if (expired !== undefined) throw expired;
    if (text !== this.known) this.learn(text, credentials);
    return text;
  }

  /** @throws SettingsError if a token's subject is not the one in the settings, or of an earlier token of this run. */
  private learn(text: string, credentials: Credentials): void {
    const problem = subjectProblem(text, credentials, this.account);
    if (problem !== undefined) throw problem;
    const subject = subjectOf(text);
    if (this.subject !== undefined && subject !== this.subject)
      throw new SettingsError(
        `The new token from ${credentials.from} is ${subject === undefined ? "perhaps " : ""}for a different account or sub-account than the previous one in this run (the issuer or subject ${subject === undefined ? "is missing" : "differs"}).`,
        "Stay logged in to one account for the whole run, and run the command again.",
      );
    this.subject ??= subject;
    this.identity ??= identityOf(text);
    this.shownAccount = accountShown(text);
    this.known = text;
  }

  /** Learns the subject before the first request. If there is no token, returns why, and the subject stays unknown. */
  async learnSubject(): Promise<SettingsError | undefined> {
    const found = await this.get().catch(settingsErrorOf);
    if (!(found instanceof SettingsError)) return undefined;
    this.failure = found;
    return found;
  }

  /**
   * Why this run's token does not have the subject that the settings name; undefined if they name none, or without a token.
   * Asks only once, because a preview may have a command that fails.
   */
  otherSubject(): Promise<SettingsError | undefined> {
    return (this.otherSubjectFound ??= this.findOtherSubject());
  }

  private async findOtherSubject(): Promise<SettingsError | undefined> {
    const { credentials, subject } = this.account;
    if (credentials === undefined || subject === undefined) return undefined;
    const token = await (this.current ?? this.obtain(credentials)).catch(settingsErrorOf);
    return token instanceof SettingsError ? undefined : subjectProblem(token.text, credentials, this.account);
  }

  /**
   * After a 401: whether a token other than the refused one is available; the next `get` returns it.
   * @throws SettingsError if the command fails.
   */
  async replace(refused: string): Promise<boolean> {
    const credentials = this.credentials();
    const before = await this.current;
    if (before !== undefined && before.text !== refused) return true;
    if (!("command" in credentials)) return false;
    if (!this.refused.has(refused)) {
      this.refused.add(refused);
      void this.obtain(credentials);
    }
    // Parallel requests that were refused with the same token all wait for this one renewal.
    const after = await this.current;
    return after !== undefined && after.text !== refused;
  }

  /** Where this run's token came from, and what it shows about its account. */
  shown(): string {
    const account = this.shownAccount.join(", ");
    return `${this.credentials().from}${account === "" ? "" : ` (${account})`}`;
  }

  /** @throws SettingsError if there are no credentials. */
  credentials(): Credentials {
    const { credentials, name } = this.account;
    if (credentials !== undefined) return credentials;
    throw new SettingsError(
      `No token is configured${name === undefined ? "" : ` for the account "${name}"`}.`,
      this.account.howToSetCredentials,
    );
  }

  /**
   * Obtains the token of all later requests. If that fails, the old token is used until it expires; without an old
   * token, the next request tries again.
   */
  private obtain(credentials: Credentials, old?: Token): Promise<Token> {
    const coming = obtainToken(credentials, this.cancellation)
      .catch((error: unknown) => {
        if (old !== undefined && !hasExpired(old.text, this.clock())) return old.text;
        if (this.current === coming) this.current = undefined;
        throw error;
      })
      .then((text) => ({ text, obtainedAt: this.clock().now() }));
    this.current = coming;
    return coming;
  }
}

const obtainToken = async (credentials: Credentials, cancellation?: Cancellation): Promise<string> =>
  "token" in credentials
    ? credentials.token
    : parseToken(
        await runCredentialsCommand(credentials.command, credentials.from, undefined, cancellation),
        credentials,
      );

function hasExpired(text: string, clock: ServiceClock): boolean {
  const expiresAt = expiryOf(text);
  return expiresAt !== undefined && clock.now().msSince(expiresAt) >= leewayMs;
}

/** The error for a token without the subject that the settings name; undefined if they name none. */
function subjectProblem(
  text: string,
  { from, fix }: Credentials,
  { subject: expected }: Pick<Account, "subject">,
): SettingsError | undefined {
  const sub = claimsOf(text)?.["sub"];
  if (expected === undefined || sub === expected.id) return undefined;
  const wanted = `${expected.from} is ${quoted(expected.id)}`;
  if (typeof sub !== "string") return new SettingsError(`The token from ${from} shows no subject, and ${wanted}.`, fix);
  const other = /^[\w.@:/|-]+$/.test(sub) ? sub : "<sub>";
  return new SettingsError(
    `The token from ${from} has the subject ${quoted(sub)}, but ${wanted}.`,
    sentences(
      "Use a token of that account",
      `Dangerous, and right only if the service gave the same account a new subject: ${expected.set(other)}`,
    ),
  );
}

/** The error for an expired token; undefined for any other token, including an opaque one. */
export const expiryProblem = (
  text: string,
  { from, fix }: Credentials,
  clock = new ServiceClock(systemClock),
): SettingsError | undefined =>
  hasExpired(text, clock)
    ? new SettingsError(`The token from ${from} ${untimelyToken(text, clock) ?? ""}.`, fix)
    : undefined;

/** Why a token is not valid now, by its own claims: it has expired, or is not valid yet; undefined otherwise. */
export function untimelyToken(text: string, clock = new ServiceClock(systemClock)): string | undefined {
  const now = clock.now();
  const [expiresAt, validFrom] = ["exp", "nbf"].map((claim) => instantIn(text, claim));
  const time = `the time ${clock.aheadMs === undefined ? "here" : "at the service"} is ${isoOf(now)}`;
  if (expiresAt !== undefined && expiresAt.msSince(now) <= 0) return `expired at ${isoOf(expiresAt)}; ${time}`;
  return validFrom !== undefined && validFrom.msSince(now) > 0
    ? `is valid only from ${isoOf(validFrom)}; ${time}`
    : undefined;
}
