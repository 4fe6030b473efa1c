import { modes } from "./mode.js";
import { showAddress } from "./showAddress.js";
import { accountNamePattern, parseBaseUrl, parsePast, parseTimeoutSeconds, word, type Parsing } from "./values.js";

/** The namespace of all keys in stack configuration. */
export const namespace = "data-connectivity";

/** One setting. Reading, messages and the table of docs/configuration.md all use this row. Without a parser it has rules of its own. */
export interface Setting extends Partial<Parsing<unknown>> {
  /** The key in stack configuration, after `data-connectivity:`; absent where only the environment has it. */
  readonly key?: string;
  /** The environment variable; it wins over stack configuration. */
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
    meaning: "address of the service: https, or http on a loopback address; a path prefix is allowed",
    parse: parseBaseUrl,
    unset: undefined,
    accepted: "an https address, or http on a loopback address, without user, query and fragment",
    example: "https://jobs.example.com",
    show: showAddress,
  },
  token: {
    key: "token",
    variable: "DATA_CONNECTIVITY_TOKEN",
    default: "one of the two",
    meaning: "the bearer JWT itself; in stack configuration only with `--secret`",
  },
  credentialsCommand: {
    key: "credentialsCommand",
    variable: "DATA_CONNECTIVITY_CREDENTIALS_COMMAND",
    default: "one of the two",
    meaning:
      "a shell command that prints a token, run in the program's folder within 30 s; run again before the token's `exp` and once after a 401",
  },
  account: {
    key: "account",
    default: "none",
    meaning: "the name of the account that these credentials belong to; jobs that name no account belong to it",
    parse: (text: string) => (accountNamePattern.test(text) ? text : undefined),
    unset: undefined,
    accepted: "lower-case letters, digits and single hyphens",
    example: "main",
  },
  accounts: {
    key: "accounts",
    default: "none",
    meaning:
      "more accounts by name, each with `credentialsCommand` or `token`, and its own `baseUrl`, `requestEncoding`, `timeoutSeconds`, `jobOperations` where they differ; " +
      "environment: `DATA_CONNECTIVITY_TOKEN_<NAME>`, `DATA_CONNECTIVITY_CREDENTIALS_COMMAND_<NAME>`",
  },
  requestEncoding: {
    key: "requestEncoding",
    default: "`typed`",
    meaning: "`quoted` sends intervalValue, logVerbosity and enabled as strings",
    ...word({ typed: "typed", quoted: "quoted" } as const, "typed", "typed"),
  },
  timeoutSeconds: {
    key: "timeoutSeconds",
    default: "60",
    meaning:
      "how long one request may take with its retries, 1 to 3600. With `jobOperations: all`, up to ten minutes of waiting that the service asks for are not counted",
    parse: parseTimeoutSeconds,
    unset: 60,
    accepted: "a whole number of seconds from 1 to 3600",
    example: "60",
  },
  jobOperations: {
    key: "jobOperations",
    default: "`create`",
    meaning:
      "`create`: only the two documented operations are used, so jobs can be created and nothing more; " +
      "`all`: also those that the vendor publishes elsewhere, to change, delete, read and adopt jobs; an account may have its own",
    ...word(modes, modes.create, "create"),
  },
  protect: {
    key: "protect",
    default: "`true`; with `jobOperations: all`: `false`",
    meaning:
      "`true`: a job cannot be deleted or replaced, and cannot leave the stack, before `pulumi state unprotect`. `false`: it can, as in a test stack",
    ...word({ true: true, false: false }, undefined, "true"),
  },
  resendUnconfirmedBefore: {
    variable: "DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE",
    default: "none",
    meaning: "for one run: a date-time with a zone; unconfirmed creates that were sent before it are resent, once",
    parse: parsePast,
    unset: undefined,
    get accepted() {
      return `a date-time with a zone that is not in the future; now it is ${new Date().toISOString()}`;
    },
    example: '"$(date -u +%Y-%m-%dT%H:%M:%SZ)"',
  },
  log: {
    variable: "DATA_CONNECTIVITY_LOG",
    default: "none",
    meaning: "`debug`: one redacted line for each request; of the classes on stderr, of the plugin at the resource",
  },
} as const satisfies Record<string, Setting>;
