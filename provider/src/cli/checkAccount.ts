import { listDataSources } from "../client/listDataSources.js";
import { listJobs } from "../client/listJobs.js";
import type { Service, Services } from "../client/service.js";
import { expiryOf } from "../client/token.js";
import { SettingsError, type Account, type Settings } from "../config/index.js";
import { endpointOf, reach, verifyTls } from "./connectionChecks.js";
import type { Finding, Report } from "./report.js";
import { counted, duration } from "./text.js";

/**
 * Checks one account: its settings, address, connection, TLS and token, and last the list call, the only request. Where all
 * job operations may be used, the list of jobs too.
 */
export async function checkAccount(
  report: Report,
  settings: Settings,
  services: Services,
  name: string | undefined,
): Promise<void> {
  const account = report.readSettings(() => settings.account(name));
  if (account === undefined) {
    for (const step of ["reachable", "TLS", "token", "list"])
      report.skipped(step, "not checked: needs the settings above");
    return;
  }
  report.passed("address", `${account.baseUrl} is well formed`);
  const service = services.of(account);
  const connected = await checkConnection(report, account);
  const hasToken = await checkToken(report, service);
  const listsJobs = account.jobOperations === "all";
  if (connected && hasToken) {
    await checkList(report, service);
    if (listsJobs) await checkJobs(report, service);
    return;
  }
  for (const step of ["list", ...(listsJobs ? ["jobs"] : [])])
    report.skipped(step, "not checked: needs what failed above");
}

/** Whether the list call is worth trying. */
async function checkConnection(report: Report, { baseUrl }: Account): Promise<boolean> {
  const url = new URL(baseUrl);
  const proxy = proxyFor(url);
  if (proxy !== undefined) return checkProxy(report, proxy);
  const endpoint = endpointOf(url);
  if (!report.found("reachable", await reach(endpoint))) {
    report.skipped("TLS", "not checked: needs a connection");
    return false;
  }
  if (url.protocol === "https:") return report.found("TLS", await verifyTls(endpoint));
  report.skipped("TLS", "not used on a loopback address");
  return true;
}

/** The proxy that the environment sets for an address, if NO_PROXY does not exempt it; in the order in which axios looks. */
function proxyFor({ protocol }: URL): Proxy | undefined {
  const scheme = protocol.replace(":", "");
  const variables = [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase(), "all_proxy", "ALL_PROXY"];
  const from = variables.find(isSet);
  const text = from === undefined ? undefined : process.env[from];
  if (from === undefined || text === undefined) return undefined;
  return { from, address: text.includes("://") ? text : `${scheme}://${text}` };
}

interface Proxy {
  /** The variable that sets it. */
  readonly from: string;
  /** It may hold a password: only host and port are shown. */
  readonly address: string;
}

const isSet = (variable: string): boolean => (process.env[variable] ?? "") !== "";

/** Checks the way to the proxy only where every request takes it: how axios reads NO_PROXY is not repeated here. */
async function checkProxy(report: Report, proxy: Proxy): Promise<boolean> {
  const noProxy = ["no_proxy", "NO_PROXY"].find(isSet);
  if (noProxy !== undefined) {
    const why = `not checked: whether ${proxy.from} or ${noProxy} applies shows in the list call`;
    report.skipped("reachable", why);
    report.skipped("TLS", why);
    return true;
  }
  const reached = report.found("reachable", await reachProxy(proxy));
  report.skipped("TLS", "not checked: behind the proxy, where the list call verifies it");
  return reached;
}

async function reachProxy({ from, address }: Proxy): Promise<Finding> {
  if (!URL.canParse(address)) {
    return {
      passed: false,
      what: `the address in ${from} cannot be parsed (it is not shown)`,
      fix: `Set ${from} to an address such as http://proxy.example.com:3128.`,
    };
  }
  const finding = await reach(endpointOf(new URL(address)));
  return { ...finding, what: `the proxy of ${from}: ${finding.what}` };
}

async function checkToken(report: Report, service: Service): Promise<boolean> {
  try {
    const token = await service.tokens.get();
    report.passed("token", `${lifetimeOf(token)}, from ${service.account.credentials?.from ?? "the settings"}`);
    return true;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    report.failed("token", error.what, error.fix);
    return false;
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

async function checkList(report: Report, service: Service): Promise<void> {
  const listing = await listDataSources(service);
  if (listing.kind === "listed")
    report.passed("list", `the service answers with ${counted(listing.dataSources.length, "data source")}`);
  else report.failed("list", listing.what, listing.fix);
}

async function checkJobs(report: Report, service: Service): Promise<void> {
  const list = await listJobs(service);
  if (list.kind === "listed") report.passed("jobs", `the service answers with ${counted(list.jobs.length, "job")}`);
  else report.failed("jobs", list.what, list.fix);
}
