import type { JsonObject } from "../../provider/src/json.js";
import type { CreateResult, UpdateResult } from "./providerCalls.js";
import { declaration } from "./declaration.js";
import { start, stopLater } from "./emulated.js";
import type { TestServer, TestServerOptions, TestFault } from "./emulator/index.js";
import { refusalText } from "./refusals.js";
import { startProviderProcess, type ProviderProcess } from "./providerProcess.js";
import { TOKEN } from "./testService.js";

export const HIDDEN = "HUSH_HUSH";

/** The properties of a declared caching job, as the engine hands them over. */
export const declared = (table: string = HIDDEN, more: JsonObject = {}): JsonObject => ({
  __provider: 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").cachingJob',
  ...declaration,
  params: { ...declaration.params, sourceTable: table },
  ...more,
});

export const tables = (count: number): string[] => Array.from({ length: count }, (_, n) => `${HIDDEN}_${n}`);

/** Starts a service that accepts the tests' token and that `stopAll` stops. */
export function startService(options: TestServerOptions = {}): Promise<TestServer> {
  return start({ token: TOKEN, ...options });
}

/** Starts a provider process that `stopAll` stops, configured by keys without their namespace. */
export async function startProvider(
  config: Readonly<Record<string, string | number | object>>,
  env: NodeJS.ProcessEnv = {},
): Promise<ProviderProcess> {
  const provider = stopLater(await startProviderProcess({ env }));
  await provider.configure(
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        `data-connectivity:${key}`,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]),
    ),
  );
  return provider;
}

export type Outcome = "created" | "notCreated" | "unconfirmed";

/** Which of the three outcomes the engine is told. Any other error fails the test. */
export function outcomeOf(result: CreateResult | UpdateResult): Outcome {
  if (result.kind === "initFailed") return "unconfirmed";
  if (result.kind === "ok") return "created";
  refusalText(result.message);
  return "notCreated";
}

/** The text that the engine shows beside the resource; empty for a job that was created. */
export function textOf(result: CreateResult | UpdateResult): string {
  if (result.kind === "ok") return "";
  return result.kind === "error" ? result.message : result.reasons.join("\n");
}

/** How many of each outcome there are. */
export function tally(results: readonly (CreateResult | UpdateResult)[]): Record<Outcome, number> {
  const count = (outcome: Outcome) => results.filter((result) => outcomeOf(result) === outcome).length;
  return { created: count("created"), notCreated: count("notCreated"), unconfirmed: count("unconfirmed") };
}

/** Creates as the engine hands them over: so many at a time. */
export async function createAll(provider: ProviderProcess, account: string, count: number, parallel = 64) {
  const waiting = tables(count);
  const results: CreateResult[] = [];
  const work = async (): Promise<void> => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      results.push(await provider.create(declared(table, { account })));
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}

/** An account of the settings, at an emulator that accepts the tests' token. */
export const account = ({ baseUrl }: Pick<TestServer, "baseUrl">, timeoutSeconds = 30) => ({
  baseUrl,
  token: TOKEN,
  timeoutSeconds,
});

type ReplyFault = Extract<TestFault, { kind: "reply" }>;

/** Creates that are answered with this status, always unless `more` limits it. */
export const failing = (status: number, more: Omit<ReplyFault, "kind" | "status"> = {}): TestFault[] => [
  { kind: "reply", status, on: "create", times: -1, ...more },
];
