import { requestOf, sends } from "../client/calls.js";
import { reportsSource } from "../client/jobMatch.js";
import { type List, listDataSources, listJobs } from "../client/requests.js";
import { type CallFailure, type Reason, wasSent } from "../client/outcomes.js";
import type { AccountClient } from "../client/accountClient.js";
import { isoOf } from "../client/clock.js";
import { accountShown, claimsOf, expiryOf, untimelyToken } from "../client/token.js";
import {
  orSettingsError,
  plainSecret,
  Settings,
  SettingsError,
  settingsErrorOf,
  showAddress,
  unknownKeys,
} from "../config/index.js";
import { command } from "./command.js";
import type { Context } from "./context.js";
import type { DocumentOf } from "./document.js";
import {
  accountsOf,
  accountsToAsk,
  type ConfiguredAccount,
  exportOf,
  lacksCall,
  mayLackCall,
  modeCreate,
  titleOf,
  wordsOf,
} from "./accounts.js";
import { settingRows } from "./settingRows.js";
import type { KnownJob } from "./stackExport.js";
import { readStackSettings, type Source, stackOptions } from "./stackSettings.js";
import { bold, columns, counted, dim, duration, green, printable, red } from "./text.js";

const checkMembers = { account: "", provider: "", check: "", result: "", what: "", fix: "" } as const;
const members = { passed: "", settingsFrom: "", checks: [checkMembers] } as const;

export const doctor = command({
  summary: "Checks each account: settings, address, token, and whether the service answers",
  about: [
    "Checks each account: its settings and where each came from, the address, and the token and when it expires. Then sends the same request that a run starts with, the list of data sources; if jobOperations is all, it also requests the list of jobs. It checks each provider that the program declared in its last run, too.",
  ],
  options: stackOptions,
  forms: {
    "": {
      answers: "Do the settings, the token and the address work?",
      requests: [requestOf("sources"), `${requestOf("list")} in mode \`all\``],
      json: members,
    },
  },
  passes: "if all checks passed",
  fails: "if one failed",
  example: ["pulumi-data-connectivity doctor --stack dev"],

  async run(context, values) {
    const source = await readStackSettings(context, values);
    const report = new Report(values.json ? () => undefined : context.print);
    await check(context, report, source);
    const failures = report.checks.filter(({ result }) => result === "failed").length;
    const passed = failures === 0;
    if (values.json) context.printJson(members, { passed, settingsFrom: source.from, checks: report.checks });
    report.print("", passed ? green("All checks passed.") : red(`${counted(failures, "check")} failed.`));
    return passed ? 0 : 1;
  },
});

async function check(context: Context, report: Report, source: Source): Promise<void> {
  const { env } = context.host;
  const words = wordsOf(source);
  const settings = new Settings(source.config, env, words);
  report.print(
    bold(`Settings from ${source.from}`),
    ...columns(settingRows(env, settings, source)).map((row) => `  ${row}`),
  );
  const read = [
    orSettingsError(() => settings.protect()),
    orSettingsError(() => settings.resendUnconfirmed()),
    orSettingsError(() => settings.adoptUnconfirmed()),
    orSettingsError(() => settings.adoptMatching()),
    plainSecret(source.config, source.isSecret, words),
    ...unknownKeys(source.keys, words),
  ];
  for (const one of read) if (one instanceof SettingsError) report.fail("settings", one);

  const stack = await exportOf(source, (why) => {
    const what = `The providers that the program declares are not checked: ${why}`;
    report.fail("providers", { what, fix: `Run the same by hand: pulumi stack export${words.stackOptions}` });
  });
  const configured = accountsOf(context, source, stack?.providers, (line) => {
    report.add("note", "note", line);
  });
  const accounts = accountsToAsk(configured, stack);
  if (stack !== undefined && accounts.every(({ provider }) => provider !== undefined))
    report.add("skipped", "settings", "not needed: all jobs of the stack have providers that the program declares");
  const ofJobs = (stack?.jobs ?? []).flatMap(({ provider, account }) => (provider === undefined ? [account] : []));
  for (const name of new Set(ofJobs)) {
    const unknown = settings.isKnown(name) ? undefined : orSettingsError(() => settings.account(name));
    if (unknown instanceof SettingsError) report.fail("settings", unknown);
  }
  for (const account of accounts) {
    report.print("", bold(titleOf(account)));
    report.of = account;
    const jobs = (stack?.jobs ?? []).filter(({ provider }) => provider === account.provider);
    await checkAccount(context, report, account, jobs);
  }
}

/**
 * Checks one account: its settings, its token, the list of data sources and, if the mode allows it, the list of jobs.
 * Skips checks that depend on a failed check. `jobs`: the jobs that the stack has with the same provider.
 */
async function checkAccount(
  { host: { env } }: Context,
  report: Report,
  asked: ConfiguredAccount,
  jobs: readonly KnownJob[],
): Promise<void> {
  const { client } = asked;
  if (client instanceof SettingsError) {
    report.fail("settings", client);
    for (const step of ["token", "list"]) report.add("skipped", step, "not checked: needs the settings above");
    return;
  }
  const { baseUrl, mode } = client.account;
  report.add("passed", "address", `${showAddress(baseUrl)} is well formed`);
  const checks = {
    token: () => checkToken(client, jobs),
    list: async () => counting(await listDataSources(client), "data source"),
    ...(sends(mode, "list") && { jobs: () => checkJobs(client) }),
  };
  let failed = false;
  for (const [step, check] of Object.entries(checks)) {
    const found = failed ? undefined : await check();
    if (found === undefined) report.add("skipped", step, "not checked: needs what failed above");
    else if (typeof found === "string") report.add("passed", step, found);
    else {
      failed = true;
      // The list of data sources has been answered, so the address is right.
      const failure = found instanceof SettingsError ? undefined : found;
      const isLacking = step === "jobs" && failure !== undefined && mayLackCall(failure);
      report.fail(step, isLacking ? { ...failure, fix: lacksCall(modeCreate(asked)) } : found);
      if (failure !== undefined && wasSent(failure) && failure.status === undefined)
        for (const text of variablesOfConnections(env, baseUrl)) report.add("note", "note", text);
    }
  }
  const aheadMs = client.shared.clock.aheadMs ?? 0;
  if (Math.abs(aheadMs) > 60_000)
    report.add(
      "note",
      "clock",
      `this machine's clock is ${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? "behind" : "ahead of"} the service's: correct it, or tokens may be refused`,
    );
}

async function checkJobs(client: AccountClient): Promise<string | CallFailure> {
  const list = await listJobs(client);
  const unreported = list.kind === "done" ? list.value.filter((record) => !reportsSource(record)).length : 0;
  const found = counting(list, "job");
  if (unreported === 0 || list.kind !== "done" || typeof found !== "string") return found;
  const isNoneReported = unreported === list.value.length;
  return `${found}; the list does not report the source of ${unreported}, so a create reads each of these by its id${
    isNoneReported
      ? ". If that reports none either, no job is created in mode all: a second one for a source could not be recognized"
      : ""
  }`;
}

async function checkToken(client: AccountClient, jobs: readonly KnownJob[]): Promise<string | SettingsError> {
  const { tokens, account } = client;
  const token = await tokens.get().catch(settingsErrorOf);
  if (typeof token !== "string") return token;
  const { from, fix } = tokens.credentials();
  // A run still sends the token for a minute, because clocks differ.
  if ((expiryOf(token)?.ms ?? Infinity) <= Date.now())
    return new SettingsError(`The token from ${from} ${untimelyToken(token) ?? ""}.`, fix);
  const known = jobs.flatMap(({ origin }) =>
    origin !== undefined && client.isNamed(origin) ? (origin.subject ?? []) : [],
  );
  const isOther = known.length > 0 && tokens.subject !== undefined && !known.includes(tokens.subject);
  if (!isOther || account.subject !== undefined) return `${describe(token)}, from ${from}`;
  return new SettingsError(
    `The token from ${from} is of another account or sub-account than the one that last saw the stack's ${counted(known.length, "job")} (the issuer or subject differs): ${describe(token)}.`,
    "Use a token of that account. pulumi up refuses this one.",
  );
}

function describe(token: string): string {
  const claims = claimsOf(token);
  if (claims === undefined) return "an opaque token, whose expiry cannot be read";
  return [`a JWT that ${untimelyToken(token) ?? lifetimeOf(token, claims)}`, ...accountShown(token)].join(", ");
}

function lifetimeOf(token: string, { exp }: Readonly<Record<string, unknown>>): string {
  const expiresAt = expiryOf(token);
  if (expiresAt !== undefined) return `expires at ${isoOf(expiresAt)}, in ${duration(expiresAt.ms - Date.now())}`;
  return exp === undefined ? "does not say when it expires (no exp)" : "has an exp that is not a number of seconds";
}

const counting = (list: List<unknown>, entry: string): string | CallFailure =>
  list.kind === "done" ? `the service answers with ${counted(list.value.length, entry)}` : list;

/**
 * The names of the environment variables that affect a connection: a connection's error does not mention them. The
 * values are not shown, because a proxy's address may contain a password. Plain http uses no proxy.
 */
function variablesOfConnections(env: NodeJS.ProcessEnv, baseUrl: string): string[] {
  if (!baseUrl.startsWith("https:")) return [];
  const isSet = (variable: string) => (env[variable] ?? "") !== "";
  const proxies = Object.keys(env).filter((variable) => /^(https|all|no)_proxy$/i.test(variable));
  const names = proxies.filter(isSet).sort().join(", ");
  return [
    ...(names === "" ? [] : [`proxy settings of the environment: ${names}; the error may be that of a proxy`]),
    ...(isSet("NODE_TLS_REJECT_UNAUTHORIZED")
      ? ["NODE_TLS_REJECT_UNAUTHORIZED has no effect: certificates are always verified"]
      : []),
  ];
}

const marks = { passed: green("ok    "), failed: red("FAILED"), skipped: dim("-     "), note: dim("-     ") };
type Result = keyof typeof marks;

/** Prints each check as soon as its result is known, so that the user sees which check hangs. */
class Report {
  readonly checks: DocumentOf<typeof checkMembers>[] = [];
  of: Pick<ConfiguredAccount, "provider" | "account"> | undefined;

  constructor(readonly print: (...lines: readonly string[]) => void) {}

  /** Adds the result of a check. `fix`: what to do, unless `what` already says it. */
  add(result: Result, check: string, what: string, fix?: string): void {
    const { account, provider } = this.of ?? {};
    this.checks.push({ account, provider, check, result, what, fix });
    const text = result === "passed" || result === "failed" ? printable(what) : dim(printable(what));
    this.print(`  ${marks[result]}  ${check.padEnd(9)}  ${text}`);
    if (fix !== undefined) this.print(`${" ".repeat(21)}${printable(fix)}`);
  }

  fail(check: string, { what, fix }: Reason): void {
    this.add("failed", check, what, fix);
  }
}
