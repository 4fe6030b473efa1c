import type { RunProvider } from "../support/all/runProvider.js";
import { startProvider, startService } from "../support/configuredProvider.js";
import { accountsFor, testCreates, type CreateSetup } from "../support/createRun.js";
import { stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";

const TOKEN = "opaque-Token.of+the/property=";
/** Few runs, because they wait in real time. test/lifecycle makes many runs. */
const cases = casesOr(isPlugin ? 20 : 30);
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

testCreates(
  "Whatever breaks, each declared job causes at most one create that could have been processed, and its outcome is true",
  { cases, lanes: 12, msPerCase: 3000 },
  () => setups.next(),
  async (setup) => {
    expect(await setups.leave(setup)).not.toContain(TOKEN);
  },
);
