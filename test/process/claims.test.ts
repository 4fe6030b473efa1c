import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { items, orders } from "../support/all/declarations.js";
import { configFor } from "../support/all/inProcess.js";
import { startHost } from "../support/all/hosts.js";
import { expectAdoptedByOtherToStay } from "../support/claims/twoProviders.js";
import { start, stopAll } from "../support/emulated.js";
import { startFakeEngine } from "../support/plugin/fakeEngine.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { isPlugin } from "../support/testedHost.js";

afterEach(stopAll);
const temporary = temporaryFolder();

/** The hosts of the program's two providers. test/lifecycle/claims has the other tests of two providers. */
const pair = isPlugin ? (["plugin", "dynamic"] as const) : (["dynamic", "dynamic"] as const);

/** A service, and runs of programs with two providers in separate processes. */
async function serviceWithRuns() {
  const emulator = await start();
  const startRun = async (folder = temporary()) => {
    const engine = await startFakeEngine();
    const env = { TMPDIR: folder, TEMP: folder };
    const startProvider = (host: (typeof pair)[number]) =>
      startHost(host, configFor(emulator, { timeoutSeconds: 20 }), { env, engine });
    const [first, second] = await Promise.all([startProvider(pair[0]), startProvider(pair[1])]);
    return { first, second };
  };
  return { emulator, startRun };
}

describe(`With providers of two processes, ${pair.join(" and ")},`, () => {
  test("What one provider adopts is not deleted by another one", async () => {
    await expectAdoptedByOtherToStay(await serviceWithRuns());
  });

  test("Providers that cannot write claims work all the same, and say so once", async () => {
    const { startRun } = await serviceWithRuns();
    const file = join(temporary(), "a file");
    writeFileSync(file, "");
    const { first } = await startRun(file);
    expect(await first.create(orders)).toMatchObject({ kind: "ok" });
    expect(await first.create(items)).toMatchObject({ kind: "ok" });
    expect((await first.end()).match(/cannot tell each other which jobs they manage/g)).toHaveLength(1);
  });
});
