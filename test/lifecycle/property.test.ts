import { CreateSequence } from "../support/all/createSequence.js";
import { runInProcess } from "../support/all/inProcess.js";
import { playSequences } from "../support/all/sequencePlayer.js";
import { playCreates, violations } from "../support/createRun.js";
import { start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { assertInLanes } from "../support/lanes.js";
import { accountsFor, randomRun, type RandomRun } from "../support/randomRun.js";
import { isPlugin } from "../support/testedHost.js";

/** The number of random runs. For a longer test: `PROPERTY_CASES=10000 npx jest test/lifecycle/property`. */
const cases = Number(process.env["PROPERTY_CASES"] ?? (isPlugin ? 50 : 150));
/** The number of random sequences: fewer than runs, because a sequence has up to six commands. */
const sequences = process.env["PROPERTY_CASES"] === undefined ? Math.ceil(cases / 3) : cases;
/** To repeat the same runs, set `PROPERTY_SEED` to the seed that a failure prints. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);

afterAll(stopAll);

test(
  `Without waits, too, each declared job causes at most one create that could have been processed, and its outcome is true (${cases} random runs, seed ${seed})`,
  async () => {
    const outcomes = new Set<string>();
    const check = async (given: RandomRun): Promise<void> => {
      const clock = new FastClock();
      const emulator = await start({ now: clock.now });
      const provider = await runInProcess({ accounts: accountsFor("a", emulator) }, { clock });
      const made = await playCreates({ emulator, provider, account: "a" }, given);
      for (const { result } of made) outcomes.add(result.kind);
      expect(violations(emulator, made)).toEqual([]);
    };
    await assertInLanes(randomRun, check, { cases, seed, lanes: 16 });
    // The runs prove nothing unless all three outcomes occurred.
    expect([...outcomes].sort()).toEqual(["error", "initFailed", "ok"]);
  },
  600_000 + cases * 1000,
);

test(
  `Over several commands and processes, too, no job is doubled or leaves the state (${sequences} random sequences, seed ${seed})`,
  async () => {
    const config = { jobOperations: "create" };
    const steps = await playSequences(CreateSequence, config, { cases: sequences, seed, lanes: 16 });
    // The sequences prove nothing unless every one of these steps occurred.
    expect(steps).toEqual(expect.arrayContaining(["created", "same", "failed", "recorded", "read"]));
  },
  600_000 + sequences * 1000,
);
