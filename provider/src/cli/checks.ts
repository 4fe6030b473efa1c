import { listDataSources } from "../client/listDataSources.js";
import { fixFor } from "../client/operation.js";
import type { Service, Services } from "../client/service.js";
import { expiryOf } from "../client/token.js";
import { SettingsError, type Account, type Settings } from "../config/index.js";
import { reach, verifyTls, type Finding } from "./connect.js";
import { bare, portOf, proxyFor } from "./proxy.js";
import type { Report } from "./report.js";
import { counted, duration } from "./text.js";

/** Answers in order, for one account, what a failing pipeline raises. The list call is the only request. */
export async function checkAccount(
  report: Report,
  settings: Settings,
  services: Services,
  name: string | undefined,
): Promise<void> {
  const account = report.settings(() => settings.account(name));
  if (account === undefined) {
    for (const step of ["reachable", "TLS", "token", "list"]) report.skip(step, "needs the settings above");
    return;
  }
  report.passed("address", `${account.baseUrl} is well formed`);
  const service = services.of(account);
  const connected = await checkConnection(report, account);
  const authorised = await checkToken(report, service);
  if (connected && authorised) await checkList(report, service);
  else report.skip("list", "needs what failed above");
}

async function checkConnection(report: Report, { baseUrl }: Account): Promise<boolean> {
  const url = new URL(baseUrl);
  const proxy = proxyFor(url);
  if (proxy !== undefined) {
    const reached = report.found("reachable", await reach(proxy), `, a proxy from ${proxy.from}`);
    report.skip("TLS", "behind the proxy: the list call tells");
    return reached;
  }
  const address = { host: bare(url.hostname), port: portOf(url) };
  if (!report.found("reachable", await reach(address))) {
    report.skip("TLS", "needs a connection");
    return false;
  }
  if (url.protocol === "https:") return report.found("TLS", await verifyTls(address));
  report.skip("TLS", "not used on a loopback address");
  return true;
}

async function checkToken(report: Report, service: Service): Promise<boolean> {
  try {
    const token = await service.tokens.get();
    report.passed("token", `${lifetimeOf(token)}, from ${service.account.credentials?.from ?? "the settings"}`);
    return true;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    report.failed("token", error.message);
    return false;
  }
}

function lifetimeOf(token: string): string {
  const expiresAt = expiryOf(token);
  if (expiresAt === undefined) return "opaque: when it expires cannot be seen";
  const left = expiresAt - Date.now();
  const time = new Date(expiresAt).toISOString();
  return left > 0
    ? `a JWT that expires at ${time}, in ${duration(left)}`
    : `a JWT that expired at ${time}, ${duration(left)} ago, within the minute for clocks that differ`;
}

async function checkList(report: Report, service: Service): Promise<void> {
  const listing = await listDataSources(service);
  const finding: Finding =
    listing.kind === "listed"
      ? { text: `the service answers, and names ${counted(listing.dataSources.length, "data source")}` }
      : { fault: listing.what, fix: fixFor(listing.status) };
  report.found("list", finding);
}
