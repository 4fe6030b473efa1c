import { instantOf } from "../dateTime.js";
import { isObject, parseJson } from "../json.js";
import { modes } from "./mode.js";

/** The namespace of all keys in stack configuration. */
export const namespace = "data-connectivity";

/** How to parse a setting, and what errors say if its text is not accepted. */
export interface Parsing<Value> {
  /** The value; undefined if the text is not accepted. */
  readonly parse: (text: string) => Value | undefined;
  /** The value if the setting is not set. */
  readonly unset: Value;
  readonly accepted: string;
  /** The accepted text that an error suggests as a fix. It must never weaken a guard. */
  readonly example: string;
  /** How to show a text that is not accepted. A text that may be a secret must never be shown. */
  readonly show?: (text: string) => string;
}

/** One setting: the source for parsing, messages and docs/configuration.md. One without `parse` is read elsewhere. */
export interface Setting extends Partial<Parsing<unknown>> {
  /** The key in stack configuration, after `data-connectivity:`; absent if only an environment variable sets it. */
  readonly key?: string;
  /** The environment variable; it overrides stack configuration. */
  readonly variable?: string;
  readonly default: string;
  readonly meaning: string;
}

/** Every setting of this package, in the order in which they are documented. */
export const settingsTable = {
  baseUrl: {
    key: "baseUrl",
    variable: "DATA_CONNECTIVITY_BASE_URL",
    default: "required",
    meaning: "the service's address: https, or http on a loopback address; a path prefix is allowed",
    parse: parseBaseUrl,
    unset: undefined,
    accepted: "an https address, or http on a loopback address, without user, query or fragment",
    example: "https://jobs.example.com",
    show: showAddress,
  },
  token: {
    key: "token",
    variable: "DATA_CONNECTIVITY_TOKEN",
    default: "one of the two",
    meaning: "the bearer JWT itself; in stack configuration, only as a secret (`--secret`)",
  },
  credentialsCommand: {
    key: "credentialsCommand",
    variable: "DATA_CONNECTIVITY_CREDENTIALS_COMMAND",
    default: "one of the two",
    meaning:
      "a shell command that prints a token, run in the program's folder; it, and all that writes to its output, must end within 30 s; it is run again before the token's `exp` and once after a 401",
  },
  subject: {
    key: "subject",
    default: "none",
    meaning: "the subject (`sub`) of this stack's own account: a token without it is refused before anything is sent",
    parse: (text: string) => (text.trim() === "" ? undefined : text),
    unset: undefined,
    accepted: "the `sub` of the account's tokens, not empty",
    example: "<sub>",
  },
  account: {
    key: "account",
    default: "none",
    meaning: "the name of the account that these credentials belong to; jobs without an `account` belong to it",
    parse: (text: string) => (accountNamePattern.test(text) ? text : undefined),
    unset: undefined,
    accepted: "lower-case letters, digits and single hyphens",
    example: "main",
  },
  accounts: {
    key: "accounts",
    default: "none",
    meaning:
      "more accounts by name, each with `credentialsCommand` or `token`, and its own `subject`, `baseUrl`, `requestEncoding`, `timeoutSeconds`, `rateLimitSeconds` or `jobOperations`; " +
      "environment: `DATA_CONNECTIVITY_TOKEN_<NAME>`, `DATA_CONNECTIVITY_CREDENTIALS_COMMAND_<NAME>`",
  },
  requestEncoding: {
    key: "requestEncoding",
    default: "`typed`",
    meaning:
      "`quoted` sends intervalValue, logVerbosity and enabled as strings, as the examples of the interface document do, against its own types",
    ...word({ typed: "typed", quoted: "quoted" } as const, "typed", "typed"),
  },
  timeoutSeconds: {
    key: "timeoutSeconds",
    default: "60",
    meaning: "how long one request may take, including its retries: 1 to 3600. Waiting for a rate limit is not counted",
    parse: seconds(1, 3600),
    unset: 60,
    accepted: "a whole number of seconds from 1 to 3600",
    example: "60",
  },
  rateLimitSeconds: {
    key: "rateLimitSeconds",
    default: "600",
    meaning: "how long one request may wait for a rate limit or a locked job: 0 to 600. `0` fails instead",
    parse: seconds(0, 600),
    unset: 600,
    accepted: "a whole number of seconds from 0 to 600",
    example: "600",
  },
  jobOperations: {
    key: "jobOperations",
    default: "`create`",
    meaning:
      "`create`: jobs are only created, by the two documented calls; " +
      "`all`: also read, changed, adopted and deleted, by calls that the vendor publishes elsewhere; an account may have its own",
    ...word(modes, modes.create, "create"),
  },
  protect: {
    key: "protect",
    default: "`true`; with `jobOperations: all`: `false`",
    meaning: "`true`: a job cannot be deleted or replaced, and cannot leave the stack, until `pulumi state unprotect`",
    ...word({ true: true, false: false }, undefined, "true"),
  },
  resendUnconfirmed: {
    variable: "DATA_CONNECTIVITY_RESEND_UNCONFIRMED",
    default: "none",
    meaning:
      "for one run: a JSON object with the URNs of unconfirmed creates and a date-time with a zone for each; they are resent once, " +
      "unless a run has written the state since that time",
    parse: byUrn(instantOf),
    unset: undefined,
    accepted:
      'a JSON object with the URNs of resources and a date-time with a time zone for each, such as {"<urn>":"<time>"}',
    example: `'{"urn:pulumi:dev::shop::data-connectivity:index:CachingJob::orders":"2026-01-02T03:04:05Z"}'`,
  },
  adoptUnconfirmed: {
    variable: "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED",
    default: "none",
    meaning:
      "for one run: a JSON object with the URNs of unconfirmed creates and the ids of their jobs, which are adopted as with `existingJobId`",
    parse: byUrn((text) => (jobIdPattern.test(text) ? text : undefined)),
    unset: undefined,
    accepted: 'a JSON object with the URNs of resources and the ids of their jobs, such as {"<urn>":"<id>"}',
    example: `'{"urn:pulumi:dev::shop::data-connectivity:index:CachingJob::orders":"job-1"}'`,
  },
  adoptMatching: {
    variable: "DATA_CONNECTIVITY_ADOPT_MATCHING",
    default: "`false`",
    meaning:
      "`true`, for one run, with `jobOperations: all`: a new resource adopts the job that has its source, if the job is as declared. " +
      "With `create`, new resources without `existingJobId` are refused in such a run",
    ...word({ true: true, false: false }, false, "true"),
  },
  log: {
    variable: "DATA_CONNECTIVITY_LOG",
    default: "none",
    meaning: "`debug`: one redacted line for each request; at the resource in the CLI's output",
  },
} as const satisfies Record<string, Setting>;

/** Parses a setting that accepts one of a few words. */
function word<const Value, const Unset>(values: Readonly<Record<string, Value>>, unset: Unset, example: string) {
  return {
    parse: (text: string): Value | undefined => (Object.hasOwn(values, text) ? values[text] : undefined),
    unset,
    accepted: Object.keys(values).join(" or "),
    example,
  };
}

/** The address as it is compared and saved: no trailing slash, no default port. Undefined if not accepted. */
function parseBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  const plain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return url !== undefined && secure && plain ? `${url.origin}${url.pathname.replace(/\/+$/, "")}` : undefined;
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

/** Parses a JSON object with a value for each of some URNs. */
function byUrn<Value>(parse: (text: string) => Value | undefined) {
  return (text: string): Readonly<Record<string, Value>> | undefined => {
    const values = parseJson(text);
    const given = isObject(values) ? Object.entries(values) : [];
    const accepted = given.flatMap(([urn, one]): [string, Value][] => {
      const value = urn.startsWith("urn:") && typeof one === "string" ? parse(one) : undefined;
      return value === undefined ? [] : [[urn, value]];
    });
    return given.length > 0 && accepted.length === given.length ? Object.fromEntries(accepted) : undefined;
  };
}

/** Parses a whole number of seconds. */
function seconds(least: number, most: number) {
  return (text: string): number | undefined =>
    /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;
}

/** Accepted ids of jobs. Excluded are what a message shows in place of one: the stand-in for an id, and a placeholder. */
export const jobIdPattern = /^(?!unconfirmed-)(?!<[^<>]*>$)(?!\s)(?!.*\s$)[^\p{Cc}]+$/u;

/** Accepted account names: strict, so that no two names share an environment variable. */
export const accountNamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export const variableOf = (what: "TOKEN" | "CREDENTIALS_COMMAND", account: string): string =>
  `DATA_CONNECTIVITY_${what}_${account.toUpperCase().replaceAll("-", "_")}`;

/** The account whose credentials a variable holds; undefined for any other variable. */
export function accountOfVariable(variable: string): string | undefined {
  const [, name] = /^DATA_CONNECTIVITY_(?:TOKEN|CREDENTIALS_COMMAND)_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/.exec(variable) ?? [];
  return name?.toLowerCase().replaceAll("_", "-");
}

/**
 * The address of a service as it may be printed: scheme and host only. A user, path, query or fragment may be a secret,
 * and so may any part of an address that cannot be parsed.
 */
export function showAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // If a password contains an unescaped slash or the like, the part before that is parsed as the host.
  if (url === undefined || !/^https?:$/.test(url.protocol) || `${url.pathname}${url.search}${url.hash}`.includes("@"))
    return "(not shown: it is not an http address)";
  return url.href === `${url.origin}/` ? url.origin : `${url.origin} and more (not shown)`;
}
