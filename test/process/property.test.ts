import fc from "fast-check";
import { isObject } from "../../provider/src/json.js";
import type { CreateResult } from "../support/providerCalls.js";
import type { TestServer } from "../../provider/src/testing/emulator/index.js";
import type { ProviderProcess } from "../support/providerProcess.js";
import { declared, outcomeOf, startProvider, startService, tables, textOf } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";
import { randomRun, type RandomRun } from "../support/randomRun.js";

const TOKEN = "opaque-Token.of+the/property=";
/** How many random runs are tried; a longer run: `PROPERTY_CASES=2000 npx jest test/process/property`. */
const cases = Number(process.env["PROPERTY_CASES"] ?? 60);
/** Set it to the seed that a failure names, to see the same runs again. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);
/** Most runs wait for a timeout, so several are under way at once. */
const lanes = 6;
const accountsOfOneProcess = 100;

interface Setup {
  readonly emulator: TestServer;
  readonly provider: ProviderProcess;
  readonly account: string;
}

/** A service of its own for each random run; one provider process, with an account for each, serves many. */
class SetupPool {
  private ready: Setup[] = [];
  private starting: Promise<void> | undefined;
  private readonly inUse = new Map<ProviderProcess, number>();

  async next(): Promise<Setup> {
    for (;;) {
      const setup = this.ready.pop();
      if (setup !== undefined) return setup;
      // Whoever comes first starts the next process for all.
      await (this.starting ??= this.start());
    }
  }

  /** Ends the process with its last run, and returns what it printed until then. */
  async leave({ provider }: Setup): Promise<string> {
    const others = (this.inUse.get(provider) ?? 0) - 1;
    this.inUse.set(provider, others);
    if (others === 0) await provider.stop();
    return provider.stderr() + provider.stdout();
  }

  private async start(): Promise<void> {
    const count = Math.min(cases, accountsOfOneProcess);
    const emulators = await Promise.all(Array.from({ length: count }, () => startService({ token: TOKEN })));
    const accounts = Object.fromEntries(
      emulators.map(({ baseUrl }, n) => [`a${n}`, { baseUrl, token: TOKEN, timeoutSeconds: 1 }]),
    );
    const provider = await startProvider({ accounts }, { DATA_CONNECTIVITY_LOG: "debug" });
    this.inUse.set(provider, count);
    this.ready = emulators.map((emulator, n) => ({ emulator, provider, account: `a${n}` }));
    this.starting = undefined;
  }
}

interface Made {
  readonly table: string;
  readonly result: CreateResult;
  readonly again: CreateResult | undefined;
}

async function run(
  { emulator, provider, account }: Setup,
  { faults, creates, parallel, hook }: RandomRun,
): Promise<Made[]> {
  emulator.inject(...faults);
  const waiting = tables(creates);
  const made: Made[] = [];
  const work = async (): Promise<void> => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      const inputs = declared(table, { account });
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

/** What must hold for each declaration, whatever the network did; the text names what did not. */
function violations({ emulator }: Setup, made: readonly Made[]): string[] {
  return made.flatMap(({ table, result, again }) => {
    const sent = emulator.requests.filter(({ method, body }) => method === "POST" && tableOf(body) === table);
    // Before another try may follow, the service must have said that it did nothing.
    const perhapsProcessed = sent.filter(({ status }) => status !== 429 && status !== 401);
    const jobs = emulator.jobs.filter(({ params }) => params["sourceTable"] === table);
    const outcome = outcomeOf(result);
    const undocumented = emulator.requests.filter(({ operation }) => operation !== "create" && operation !== "sources");
    const wrong: [boolean, string][] = [
      [undocumented.length > 0, `asked for ${undocumented.map(({ path }) => path).join()}`],
      [perhapsProcessed.length > 1, `${perhapsProcessed.length} creates that could have been processed`],
      [jobs.length > 1, `${jobs.length} jobs`],
      [outcome === "notCreated" && jobs.length > 0, `reported as not created, but there is a job`],
      [
        outcome === "notCreated" && !textOf(result).includes("No job was created"),
        'message without "No job was created"',
      ],
      [
        textOf(result).includes("nothing was sent") && sent.length > 0,
        "message says that nothing was sent, but a create was",
      ],
      [result.kind === "ok" && result.id !== jobs[0]?.id, "reported with the id of a job that does not exist"],
      [
        result.kind === "initFailed" && again !== undefined && (again.kind !== "ok" || again.id !== result.id),
        "second call did not return the record",
      ],
      [JSON.stringify([result, again]).includes(TOKEN), "token in the result"],
    ];
    return wrong.filter(([isWrong]) => isWrong).map(([, text]) => `${table} (${outcome}): ${text}`);
  });
}

const setups = new SetupPool();
afterAll(stopAll);

test(
  `Whatever breaks, each declared job causes at most one create that could have been processed, and its outcome is true (${cases} random runs, seed ${seed})`,
  async () => {
    const outcomes = new Set<string>();
    const property = fc.asyncProperty(randomRun, async (given) => {
      const setup = await setups.next();
      const made = await run(setup, given);
      for (const { result } of made) outcomes.add(outcomeOf(result));
      expect(violations(setup, made)).toEqual([]);
      expect(await setups.leave(setup)).not.toContain(TOKEN);
    });
    const share = Math.ceil(cases / lanes);
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => fc.assert(property, { numRuns: share, seed: seed + lane })),
    );
    // All three outcomes were met, or the runs would prove nothing.
    expect([...outcomes].sort()).toEqual(["created", "notCreated", "unconfirmed"]);
  },
  60_000 + cases * 3000,
);
