import { CreateSequence } from "../support/all/createSequence.js";
import { runInProcess } from "../support/all/inProcess.js";
import { inThisProcess, testSequences } from "../support/all/sequencePlayer.js";
import { accountsFor, testCreates } from "../support/createRun.js";
import { start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { casesOr } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";

afterAll(stopAll);

testCreates(
  "Without waits, too, each declared job causes at most one create that could have been processed, and its outcome is true",
  { cases: casesOr(isPlugin ? 50 : 150), lanes: 16 },
  async ({ aheadMs, ...service }) => {
    const clock = new FastClock();
    const emulator = await start({ ...service, now: () => clock.now() + aheadMs });
    const provider = await runInProcess({ accounts: accountsFor("a", emulator) }, { clock });
    return { emulator, provider, account: "a" };
  },
);

testSequences(
  "Over several commands and processes, too, no job is doubled or leaves the state",
  // Fewer than runs, because a sequence has up to six commands.
  { cases: casesOr(isPlugin ? 17 : 50), lanes: 16 },
  CreateSequence,
  inThisProcess({ jobOperations: "create" }),
  (steps) => {
    expect(steps).toEqual(expect.arrayContaining(["created", "same", "failed", "recorded", "read"]));
  },
);
