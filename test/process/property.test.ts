import type { RunProvider } from "../support/all/runProvider.js";
import { startProvider, startService } from "../support/configuredProvider.js";
import { playCreates, violations, type CreateSetup } from "../support/createRun.js";
import { stopAll } from "../support/emulated.js";
import { assertInLanes } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";
import { accountsFor, randomRun, type RandomRun } from "../support/randomRun.js";

const TOKEN = "opaque-Token.of+the/property=";
/** The number of random runs: few, because the runs wait in real time. test/lifecycle makes many runs. */
const cases = Number(process.env["PROPERTY_CASES"] ?? (isPlugin ? 20 : 30));
/** To repeat the same runs, set `PROPERTY_SEED` to the seed that a failure prints. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);
const runsOfOneProcess = 100;

type Setup = Omit<CreateSetup, "provider"> & { readonly provider: RunProvider };

/** One service per random run. A provider process serves many runs, with accounts for each run. */
class SetupPool {
  private ready: Setup[] = [];
  private starting: Promise<void> | undefined;
  private readonly inUse = new Map<RunProvider, number>();

  async next(): Promise<Setup> {
    for (;;) {
      const setup = this.ready.pop();
      if (setup !== undefined) return setup;
      // The first caller starts the next process for all callers.
      await (this.starting ??= this.start());
    }
  }

  /** Called at the end of a run. A process's last run ends the process and gets its output; the other runs get "". */
  async leave({ provider }: Setup): Promise<string> {
    const others = (this.inUse.get(provider) ?? 0) - 1;
    this.inUse.set(provider, others);
    return others === 0 ? await provider.end() : "";
  }

  private async start(): Promise<void> {
    const count = Math.min(cases, runsOfOneProcess);
    const emulators = await Promise.all(Array.from({ length: count }, () => startService({ token: TOKEN })));
    const accounts = Object.fromEntries(
      emulators.flatMap((emulator, n) => Object.entries(accountsFor(`a${n}`, emulator))),
    );
    const provider = await startProvider({ accounts }, { DATA_CONNECTIVITY_LOG: "debug" });
    this.inUse.set(provider, count);
    this.ready = emulators.map((emulator, n) => ({ emulator, provider, account: `a${n}` }));
    this.starting = undefined;
  }
}

const setups = new SetupPool();
afterAll(stopAll);

test(
  `Whatever breaks, each declared job causes at most one create that could have been processed, and its outcome is true (${cases} random runs, seed ${seed})`,
  async () => {
    const outcomes = new Set<string>();
    const check = async (given: RandomRun): Promise<void> => {
      const setup = await setups.next();
      const made = await playCreates(setup, given);
      for (const { result } of made) outcomes.add(result.kind);
      expect(violations(setup.emulator, made)).toEqual([]);
      expect(await setups.leave(setup)).not.toContain(TOKEN);
    };
    await assertInLanes(randomRun, check, { cases, seed, lanes: 12 });
    // The runs prove nothing unless all three outcomes occurred.
    expect([...outcomes].sort()).toEqual(["error", "initFailed", "ok"]);
  },
  600_000 + cases * 3000,
);
