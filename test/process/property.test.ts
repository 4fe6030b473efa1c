import { startProvider, startService } from "../support/configuredProvider.js";
import { accountsFor, testCreates, type CreateSetup } from "../support/createRun.js";
import { stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";

const TOKEN = "opaque-Token.of+the/property=";
/** Few runs, because they wait in real time. test/lifecycle makes many runs. */
const cases = casesOr(isPlugin ? 24 : 36);
const runsOfProcess = Math.min(cases, 100);

/** A provider process for many runs, with a service and accounts for each. The last of the runs ends the process. */
async function startProcess(): Promise<CreateSetup[]> {
  const emulators = await Promise.all(Array.from({ length: runsOfProcess }, () => startService({ token: TOKEN })));
  const accounts = Object.fromEntries(
    emulators.flatMap((emulator, n) => Object.entries(accountsFor(`a${n}`, emulator))),
  );
  const provider = await startProvider({ accounts }, { DATA_CONNECTIVITY_LOG: "debug" });
  let left = runsOfProcess;
  const leave = async () => {
    left -= 1;
    if (left === 0) expect(await provider.end()).not.toContain(TOKEN);
  };
  return emulators.map((emulator, n) => ({ emulator, provider, account: `a${n}`, leave }));
}

const processes: Promise<CreateSetup[]>[] = [];
let runs = 0;

async function nextRun(): Promise<CreateSetup> {
  const process = Math.floor(runs / runsOfProcess);
  runs += 1;
  const setup = (await (processes[process] ??= startProcess())).pop();
  if (setup === undefined) throw new Error("A process has had too many runs.");
  return setup;
}

afterAll(stopAll);

testCreates(
  "Whatever breaks, each declared job causes at most one create that could have been processed, and its outcome is true",
  { cases, lanes: 12 },
  nextRun,
);
