import { listDataSources } from "../client/listDataSources.js";
import { listJobs } from "../client/listJobs.js";
import type { CallFailure } from "../client/operation.js";
import type { Service, Services } from "../client/service.js";
import { expiryOf } from "../client/token.js";
import { SettingsError, type Settings } from "../config/index.js";
import type { Finding, Report } from "./report.js";
import { counted, duration } from "./text.js";

/**
 * Checks one account: its settings, its token, and with that the list call. Where all job operations may be used, the list
 * of jobs too. What needs a step that failed is left out.
 */
export async function checkAccount(
  report: Report,
  settings: Settings,
  services: Services,
  name: string | undefined,
): Promise<void> {
  const account = report.readSettings(() => settings.account(name));
  if (account === undefined) {
    for (const step of ["token", "list"]) report.skipped(step, "not checked: needs the settings above");
    return;
  }
  report.passed("address", `${account.baseUrl} is well formed`);
  const service = services.of(account);
  const checks = { token: checkToken, list: checkList, ...(account.jobOperations.canRead && { jobs: checkJobs }) };
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
    return { passed: true, what: `${lifetimeOf(token)}, from ${from}` };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { passed: false, what: error.what, fix: error.fix, notes: [] };
  }
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
  return list.kind === "listed" ? answered(counted(list.dataSources.length, "data source")) : unanswered(list);
}

async function checkJobs(service: Service): Promise<Finding> {
  const list = await listJobs(service);
  return list.kind === "listed" ? answered(counted(list.jobs.length, "job")) : unanswered(list);
}

const answered = (content: string): Finding => ({ passed: true, what: `the service answers with ${content}` });

const unanswered = ({ what, fix, status }: CallFailure): Finding => ({
  passed: false,
  what,
  fix,
  notes: status === undefined ? variablesOfConnections() : [],
});

/** What the environment does to a connection, which an error of one does not tell. The address of a proxy may hold a password. */
function variablesOfConnections(): string[] {
  const isSet = (variable: string) => (process.env[variable] ?? "") !== "";
  const proxies = Object.keys(process.env).filter((variable) => /^(https?|all|no)_proxy$/i.test(variable));
  const names = proxies.filter(isSet).sort().join(", ");
  return [
    ...(names === "" ? [] : [`proxy settings of the environment: ${names}; the error may be that of a proxy`]),
    ...(isSet("NODE_TLS_REJECT_UNAUTHORIZED")
      ? ["NODE_TLS_REJECT_UNAUTHORIZED has no effect: certificates are always verified"]
      : []),
  ];
}
