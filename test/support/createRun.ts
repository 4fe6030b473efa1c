import { isObject } from "../../provider/src/json.js";
import type { TestServer } from "./emulator/index.js";
import { cachingInputs } from "./all/declarations.js";
import type { Result, RunProvider } from "./all/runProvider.js";
import { accountOf, type RandomRun } from "./randomRun.js";

/** The service for one random run of creates, and a provider with accounts at the service. */
export interface CreateSetup {
  readonly emulator: TestServer;
  readonly provider: Pick<RunProvider, "create">;
  /** The prefix of the provider's account names. The provider has one account for each timeout setting. */
  readonly account: string;
}

export interface Made {
  readonly table: string;
  readonly result: Result;
  readonly again: Result | undefined;
}

export async function playCreates({ emulator, provider, account }: CreateSetup, given: RandomRun): Promise<Made[]> {
  const { faults, creates, parallel, hook } = given;
  emulator.inject(...faults);
  const waiting = Array.from({ length: creates }, (_, n) => `TABLE_${n}`);
  const made: Made[] = [];
  const work = async (): Promise<void> => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      const inputs = cachingInputs(table, table, { account: accountOf(account, given) });
      const result = await provider.create(inputs);
      const again = hook && result.kind === "initFailed" ? await provider.create(inputs) : undefined;
      made.push({ table, result, again });
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  await emulator.stop();
  return made;
}

const tableOf = (value: unknown): unknown =>
  isObject(value) && isObject(value["params"]) ? value["params"]["sourceTable"] : undefined;

/** Which rules are broken. All rules must hold, whatever the network did. */
export function violations(emulator: TestServer, made: readonly Made[]): string[] {
  const undocumented = emulator.requests.filter(({ operation }) => operation !== "create" && operation !== "sources");
  return made.flatMap(({ table, result, again }) => {
    const sent = emulator.requests.filter(({ method, body }) => method === "POST" && tableOf(body) === table);
    // A retry is allowed only after the service has replied that nothing was done.
    const perhapsProcessed = sent.filter(({ status }) => status !== 429 && status !== 401);
    const jobs = emulator.jobs.filter(({ params }) => params["sourceTable"] === table);
    const text = result.kind === "ok" ? "" : result.message;
    const wrong: [boolean, string][] = [
      [undocumented.length > 0, `asked for ${undocumented.map(({ path }) => path).join()}`],
      [perhapsProcessed.length > 1, `${perhapsProcessed.length} creates that could have been processed`],
      [jobs.length > 1, `${jobs.length} jobs`],
      [result.kind === "error" && jobs.length > 0, "reported as not created, but there is a job"],
      [result.kind === "error" && !text.includes("No job was created"), 'message without "No job was created"'],
      [
        /(?:nothing|create) was (?:not )?sent/.test(text) && sent.length > 0,
        "message says that nothing was sent, but a create was",
      ],
      [result.kind === "ok" && result.id !== jobs[0]?.id, "reported with the id of a job that does not exist"],
      [
        result.kind === "initFailed" && again !== undefined && (again.kind === "error" || again.id !== result.id),
        "second call did not return the record",
      ],
      [JSON.stringify([result, again]).includes(emulator.token), "token in the result"],
    ];
    return wrong.filter(([isWrong]) => isWrong).map(([, what]) => `${table} (${result.kind}): ${what}; ${text}`);
  });
}
