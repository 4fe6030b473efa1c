import { listDataSources, listJobs } from "../client/lists.js";
import type { CallFailure } from "../client/operation.js";
import { oneLineOf } from "../client/reply.js";
import type { Service } from "../client/service.js";
import { claimsOf, expiryOf } from "../client/token.js";
import { plainSecret, Settings, SettingsError, unknownKeys } from "../config/index.js";
import { type Command, parseArguments } from "./command.js";
import { declaredProviders, isConfigurationUsed, type Place, placesOf, titleOf } from "./places.js";
import { settingRows } from "./settingRows.js";
import { readStackSettings, type Source, stackOptions } from "./stackSettings.js";
import { bold, columns, counted, dim, duration, green, print, printable, red } from "./text.js";

export const doctor: Command = {
  usage: `Usage: pulumi-data-connectivity doctor [--json] [--stack NAME] [--cwd DIR]

Checks each account: its settings and where each came from, the address, and the token and when it
expires. Then sends the same request that a run starts with, the list of data sources; if
jobOperations is all, it also requests the list of jobs. It checks each provider that the program
declared in its last run, too. Exit code 0 if all checks passed; 1 if one failed; 2 if the command
was mistyped.

  --json        prints { "passed", "settingsFrom", "checks": [{ "account", "check", "result",
                "what", "fix" }] }; result is passed, failed, skipped or note; null means unknown
  --stack NAME  read this stack's configuration too; default: the selected stack of the project
  --cwd DIR     the project's folder, or a folder inside it; default: the current one

Example: pulumi-data-connectivity doctor --stack dev
`,

  async run(args) {
    const { values } = parseArguments({ args: [...args], options: { ...stackOptions, json: { type: "boolean" } } });
    const source = await readStackSettings(values);
    const report = new Report(values.json === true ? () => undefined : print);
    await check(report, source);
    const passed = report.failures === 0;
    if (values.json === true)
      print(JSON.stringify({ passed, settingsFrom: source.from, checks: report.checks }, undefined, 2));
    report.print("", passed ? green("All checks passed.") : red(`${counted(report.failures, "check")} failed.`));
    return report.failures === 0 ? 0 : 1;
  },
};

async function check(report: Report, source: Source): Promise<void> {
  const settings = new Settings(source.config);
  report.print(
    bold(`Settings from ${source.from}`),
    ...columns(settingRows(settings, source, process.env)).map((row) => `  ${row}`),
  );
  report.readSettings(() => settings.protect());
  report.readSettings(() => settings.resendUnconfirmedBefore());
  const plain = plainSecret(source.config, source.isSecret);
  const problems = [...(plain === undefined ? [] : [plain]), ...unknownKeys(source.keys)];
  for (const { what, fix } of problems) report.failed("settings", what, fix);

  const providers = await declaredProviders(source, (why) => {
    report.skipped("providers", `not checked: ${why}`);
  });
  if (!isConfigurationUsed(settings, providers))
    report.skipped("settings", "not needed: all jobs of the stack have providers that the program declares");
  for (const place of placesOf(source, providers, "pulumi stack export --show-secrets", (line) => {
    report.note(line);
  })) {
    report.provider = place.provider;
    if ("what" in place) {
      report.print("", bold(titleOf(place.provider, undefined)));
      report.failed("settings", place.what, place.fix);
      continue;
    }
    for (const name of report.readSettings(() => place.settings.accountNames()) ?? []) {
      report.print("", bold(titleOf(place.provider, name)));
      report.account = name;
      await checkAccount(report, place, name);
    }
    report.account = undefined;
  }
}

/**
 * Checks one account: its settings, its token, the list of data sources and, if the mode allows it, the list of jobs.
 * Skips checks that depend on a failed check.
 */
async function checkAccount(report: Report, { settings, services }: Place, name: string | undefined): Promise<void> {
  const account = report.readSettings(() => settings.account(name));
  if (account === undefined) {
    for (const step of ["token", "list"]) report.skipped(step, "not checked: needs the settings above");
    return;
  }
  report.passed("address", `${account.baseUrl} is well formed`);
  const service = services.of(account);
  const checks = { token: checkToken, list: checkList, ...(account.mode.canRead && { jobs: checkJobs }) };
  let passed = true;
  for (const [step, check] of Object.entries(checks)) {
    if (passed) passed = report.found(step, await check(service));
    else report.skipped(step, "not checked: needs what failed above");
  }
}

async function checkToken(service: Service): Promise<Finding> {
  try {
    const token = await service.tokens.get();
    const from = service.account.credentials?.from ?? "the settings";
    return { passed: true, what: `${describe(token)}, from ${from}` };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { passed: false, what: error.what, fix: error.fix, notes: [] };
  }
}

function describe(token: string): string {
  const { iss, sub } = claimsOf(token) ?? {};
  const named = Object.entries({ issuer: iss, subject: sub }).flatMap(([name, id]) =>
    typeof id === "string" ? [`, ${name} ${oneLineOf(id, [])}`] : [],
  );
  return lifetimeOf(token) + named.join("");
}

function lifetimeOf(token: string): string {
  const expiresAt = expiryOf(token);
  if (expiresAt === undefined) return "an opaque token, whose expiry cannot be read";
  const left = expiresAt - Date.now();
  const time = new Date(expiresAt).toISOString();
  return left > 0
    ? `a JWT that expires at ${time}, in ${duration(left)}`
    : `a JWT that expired at ${time}, ${duration(left)} ago; clocks may differ by a minute, so it is still sent`;
}

async function checkList(service: Service): Promise<Finding> {
  const list = await listDataSources(service);
  return list.kind === "listed" ? answered(counted(list.dataSources.length, "data source")) : unanswered(list, service);
}

async function checkJobs(service: Service): Promise<Finding> {
  const list = await listJobs(service);
  return list.kind === "listed" ? answered(counted(list.jobs.length, "job")) : unanswered(list, service);
}

const answered = (content: string): Finding => ({ passed: true, what: `the service answers with ${content}` });

const unanswered = ({ what, fix, status }: CallFailure, { account }: Service): Finding => ({
  passed: false,
  what,
  fix,
  notes: status === undefined ? variablesOfConnections(account.baseUrl) : [],
});

/**
 * The names of the environment variables that affect a connection: a connection's error does not mention them. The
 * values are not shown, because a proxy's address may contain a password. Plain http uses no proxy.
 */
function variablesOfConnections(baseUrl: string): string[] {
  if (!baseUrl.startsWith("https:")) return [];
  const isSet = (variable: string) => (process.env[variable] ?? "") !== "";
  const proxies = Object.keys(process.env).filter((variable) => /^(https|all|no)_proxy$/i.test(variable));
  const names = proxies.filter(isSet).sort().join(", ");
  return [
    ...(names === "" ? [] : [`proxy settings of the environment: ${names}; the error may be that of a proxy`]),
    ...(isSet("NODE_TLS_REJECT_UNAUTHORIZED")
      ? ["NODE_TLS_REJECT_UNAUTHORIZED has no effect: certificates are always verified"]
      : []),
  ];
}

/** The result of one check. `fix` says what to do, unless `what` already does; `notes` say what else may matter. */
type Finding =
  | { readonly passed: true; readonly what: string }
  | {
      readonly passed: false;
      readonly what: string;
      readonly fix: string | undefined;
      readonly notes: readonly string[];
    };

/** Prints each check as soon as its result is known, so that a hanging check can be seen. Counts the failed checks. */
class Report {
  readonly checks: object[] = [];
  failures = 0;
  /** The account that is being checked, and its provider if the program declares one. */
  account: string | undefined;
  provider: string | undefined;

  constructor(readonly print: (...lines: readonly string[]) => void) {}

  passed(step: string, what: string): void {
    this.line("passed", green("ok    "), step, what);
  }

  failed(step: string, what: string, fix?: string): void {
    this.failures += 1;
    this.line("failed", red("FAILED"), step, what, fix);
    if (fix !== undefined) this.print(`${" ".repeat(21)}${printable(fix)}`);
  }

  skipped(step: string, why: string): void {
    this.line("skipped", dim("-     "), step, why);
  }

  note(text: string): void {
    this.line("note", dim("-     "), "note", text);
  }

  /** Prints what a check found, and returns whether it passed. */
  found(step: string, finding: Finding): boolean {
    if (finding.passed) {
      this.passed(step, finding.what);
      return true;
    }
    this.failed(step, finding.what, finding.fix);
    for (const text of finding.notes) this.note(text);
    return false;
  }

  /** The settings that `read` returns. If a setting is missing or malformed, prints the error and returns undefined. */
  readSettings<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.failed("settings", error.what, error.fix);
      return undefined;
    }
  }

  private line(result: string, mark: string, step: string, what: string, fix?: string): void {
    this.checks.push({
      account: this.account ?? null,
      provider: this.provider ?? null,
      check: step,
      result,
      what,
      fix: fix ?? null,
    });
    const text = printable(what);
    this.print(`  ${mark}  ${step.padEnd(9)}  ${result === "passed" || result === "failed" ? text : dim(text)}`);
  }
}
