import type { Declaration } from "../../provider/src/jobs/index.js";
import { startHost, type StartedProvider } from "./all/hosts.js";
import type { Config } from "./all/runOptions.js";
import type { Result } from "./all/runProvider.js";
import { declaration } from "./declaration.js";
import { start } from "./emulated.js";
import type { TestServer, TestServerOptions } from "./emulator/index.js";
import "./testedHost.js";
import { TOKEN } from "./testService.js";

export const HIDDEN = "HUSH_HUSH";

/** A declared caching job. The resource's name is different for each account and each of `tables`. */
export const declared = (table: string = HIDDEN, { account = "", ...more }: Declaration = {}): Declaration => ({
  __resource: { name: `orders${String(account)}${table.replace(HIDDEN, "")}` },
  ...declaration,
  params: { ...declaration.params, sourceTable: table },
  ...(account !== "" && { account }),
  ...more,
});

export const tables = (count: number): string[] => Array.from({ length: count }, (_, n) => `${HIDDEN}_${n}`);

/** Starts a service that accepts the tests' token; `stopAll` stops the service. */
export function startService(options: TestServerOptions = {}): Promise<TestServer> {
  return start({ token: TOKEN, ...options });
}

/** Starts a provider process of the tested host; `stopAll` stops the process. */
export function startProvider(config: Config, env: NodeJS.ProcessEnv = {}): Promise<StartedProvider> {
  return startHost(globalThis.testedHost, config, { env });
}

export type Outcome = "created" | "notCreated" | "unconfirmed";

/** Which of the three outcomes is reported to the engine. */
export const outcomeOf = ({ kind }: Result): Outcome =>
  kind === "initFailed" ? "unconfirmed" : kind === "ok" ? "created" : "notCreated";

/** The text that the engine shows next to the resource; empty if the job was created. */
export const textOf = (result: Result): string => (result.kind === "ok" ? "" : result.message);

/** The number of results with each outcome. */
export function tally(results: readonly Result[]): Record<Outcome, number> {
  const count = (outcome: Outcome) => results.filter((result) => outcomeOf(result) === outcome).length;
  return { created: count("created"), notCreated: count("notCreated"), unconfirmed: count("unconfirmed") };
}

/** Creates a job for each of these tables, all at once. */
export const createAll = (provider: StartedProvider, all: readonly string[], account = ""): Promise<Result[]> =>
  Promise.all(all.map((table) => provider.create(declared(table, { account }))));
