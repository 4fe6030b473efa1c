import { createHash } from "node:crypto";
import { isObject, parseJson } from "../json.js";
import { parseToken, SettingsError, type Account, type Credentials } from "../config/index.js";
import { runCredentialsCommand } from "./credentialsCommand.js";

/** Clocks differ: a token counts as expired only when it has been so for this long. */
const leewayMs = 60_000;

/** A token is due for renewal in the last minute of its life, or in the last fifth of a shorter one. */
function renewalDue(current: Token, now: number): boolean {
  if (current.expiresAt === undefined) return false;
  return now > current.expiresAt - Math.min(60_000, (current.expiresAt - current.obtainedAt) / 5);
}

interface Token {
  readonly text: string;
  readonly subject: string | undefined;
  readonly obtainedAt: number;
  readonly expiresAt: number | undefined;
}

/** The claims of a JWT; undefined for an opaque token. They are not verified. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  const claims = parseJson(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
  return isObject(claims) ? claims : undefined;
}

/**
 * A digest of a JWT's issuer and subject: the vendor's accounts and sub-accounts, which share an
 * address and do not see each other's jobs. Undefined if the token does not tell.
 */
function subjectOf(token: string): string | undefined {
  const { iss, sub } = claimsOf(token) ?? {};
  if (typeof iss !== "string" || typeof sub !== "string") return undefined;
  return createHash("sha256")
    .update(JSON.stringify([iss, sub]))
    .digest("base64url")
    .slice(0, 8);
}

/** The instant in a JWT's `exp`, in milliseconds; undefined for an opaque token, which is used as it is. */
export function expiryOf(token: string): number | undefined {
  const exp = claimsOf(token)?.["exp"];
  // Beyond 1e11 it is in milliseconds, which no JWT may have: no reason to refuse it.
  return typeof exp === "number" && exp > 0 && exp < 1e11 ? exp * 1000 : undefined;
}

/**
 * The tokens of one account, for one run. Parallel requests share one renewal, and none is ever used for another account.
 * With all job operations all of them speak for one subject: another one would see other jobs.
 */
export class Tokens {
  /** The account of this run's tokens; undefined until one of them says. */
  subject: string | undefined;
  private current: Promise<Token> | undefined;

  constructor(private readonly account: Account) {}

  /**
   * A token that has not expired.
   * @throws SettingsError if there are no credentials, the command fails, the token has expired, or it speaks for
   * another subject than an earlier one.
   */
  async get(): Promise<string> {
    const credentials = this.credentials();
    const known = this.current;
    let token = await (this.current ?? this.keep(this.obtain(credentials)));
    if ("command" in credentials && known !== undefined && renewalDue(token, Date.now())) {
      token = await (this.current === known ? this.keep(this.renew(credentials, token)) : (this.current ?? known));
    }
    refuseExpired(token, credentials);
    this.refuseOtherSubject(token, credentials);
    return token.text;
  }

  /** The account of today's token; undefined if it is not known. If there is no token, the request itself fails. */
  async subjectToday(): Promise<string | undefined> {
    try {
      await this.get();
      return this.subject;
    } catch (error) {
      if (error instanceof SettingsError) return undefined;
      throw error;
    }
  }

  /**
   * After a 401: whether there is a token other than the one that was refused; the next `get` gives it.
   * @throws SettingsError if the command fails.
   */
  async replace(refused: string): Promise<boolean> {
    const credentials = this.credentials();
    const before = await this.current;
    if (before !== undefined && before.text !== refused) return true;
    if (!("command" in credentials)) return false;
    if (!this.refused.has(refused)) {
      this.refused.add(refused);
      void this.keep(this.obtain(credentials));
    }
    // Parallel requests that were refused with the same token wait for the one renewal.
    const after = await this.current;
    return after !== undefined && after.text !== refused;
  }

  private refuseOtherSubject({ subject }: Token, { from }: Credentials): void {
    if (this.subject !== undefined && subject !== undefined && subject !== this.subject && this.account.mode.canRead)
      throw new SettingsError(
        `The new token from ${from} is for another account or sub-account than the previous one in this run (its issuer or subject differ).`,
        "Run the command again with one login.",
      );
    this.subject ??= subject;
  }

  /** Tokens for which the command was run again after a 401: once for each. */
  private readonly refused = new Set<string>();

  /** @throws SettingsError if there are none. */
  credentials(): Credentials {
    const { credentials, name } = this.account;
    if (credentials !== undefined) return credentials;
    throw new SettingsError(
      `No token is configured${name === undefined ? "" : ` for the account "${name}"`}.`,
      this.account.howToSetCredentials,
    );
  }

  /** Shared by all requests from now on; after a failure the next request tries again. */
  private keep(coming: Promise<Token>): Promise<Token> {
    this.current = coming;
    coming.catch(() => {
      if (this.current === coming) this.current = undefined;
    });
    return coming;
  }

  private async obtain(credentials: Credentials): Promise<Token> {
    const text =
      "token" in credentials
        ? credentials.token
        : parseToken(
            await runCredentialsCommand(credentials.command, credentials.from),
            credentials.from,
            credentials.fix,
          );
    return { text, subject: subjectOf(text), obtainedAt: Date.now(), expiresAt: expiryOf(text) };
  }

  /** A token is renewed before it expires. If that fails, the old one is used until then. */
  private async renew(credentials: Credentials, old: Token): Promise<Token> {
    try {
      return await this.obtain(credentials);
    } catch (error) {
      if (hasExpired(old)) throw error;
      return { ...old, obtainedAt: Date.now() };
    }
  }
}

const hasExpired = ({ expiresAt }: Pick<Token, "expiresAt">): boolean =>
  expiresAt !== undefined && expiresAt + leewayMs <= Date.now();

/** What is wrong with a token that has expired; undefined for any other one, an opaque one included. */
export function expiryProblem(text: string, { from, fix }: Credentials): SettingsError | undefined {
  const expiresAt = expiryOf(text);
  if (expiresAt === undefined || !hasExpired({ expiresAt })) return undefined;
  const [then, now] = [new Date(expiresAt), new Date()].map((time) => time.toISOString());
  return new SettingsError(`The token from ${from} expired at ${then ?? ""}; the time here is ${now ?? ""}.`, fix);
}

function refuseExpired({ text }: Token, credentials: Credentials): void {
  const problem = expiryProblem(text, credentials);
  if (problem !== undefined) throw problem;
}
