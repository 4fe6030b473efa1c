import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachingBody, items } from "../support/all/declarations.js";
import { configFor } from "../support/all/inProcess.js";
import { startHost } from "../support/all/hosts.js";
import { expectAdoptedByOtherToStay, naming, saved } from "../support/all/twoProviders.js";
import { start, stopAll } from "../support/emulated.js";
import { matching } from "../support/matchers.js";
import { startFakeEngine, type Host } from "../support/driver/process.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

afterEach(stopAll);
const temporary = temporaryFolder();

/** The hosts of the program's two providers. test/lifecycle/keptJobs has the other tests of two providers. */
const pairs: readonly (readonly [Host, Host])[] = [
  ["dynamic", "dynamic"],
  ["plugin", "dynamic"],
];

/** A service, and runs of programs with two providers in separate processes. */
async function serviceWithRuns(hosts: readonly [Host, Host]) {
  const emulator = await start();
  const startRun = async (folder = temporary(), more: NodeJS.ProcessEnv = {}) => {
    const engine = await startFakeEngine();
    const env = { TMPDIR: folder, TEMP: folder, ...more };
    const startProvider = (host: Host) => startHost(host, configFor(emulator, { timeoutSeconds: 20 }), { env, engine });
    const [first, second] = await Promise.all([startProvider(hosts[0]), startProvider(hosts[1])]);
    return { first, second, engine };
  };
  return { emulator, startRun };
}

describe.each(pairs)("With providers of two processes, %s and %s,", (...hosts) => {
  test("What one provider adopts is not deleted by another one", async () => {
    await expectAdoptedByOtherToStay(await serviceWithRuns(hosts));
  });

  test("Of two resources that adopt one job at the same time, one is refused", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const { first, second } = await startRun();
    const results = await Promise.all([first.create(naming("one", id)), second.create(naming("two", id))]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(["error", "ok"]);
  });

  test("A provider that cannot note a job for the others does not adopt it, and deletes none", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const file = join(temporary(), "a file");
    writeFileSync(file, "");
    const { first } = await startRun(file);
    expect(await first.create(naming("orders", id))).toMatchObject({
      kind: "error",
      message: matching(new RegExp(`job ${id} was not adopted[^]*Set TMPDIR`)),
    });
    expect(await first.create(items)).toMatchObject({ kind: "ok" });
  });

  test("The notes of a run are gone when it ends; those of another one stay for a week, whether its engine answers or not", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const folder = join(temporary(), `pulumi-data-connectivity-${process.getuid?.() ?? ""}`);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const killed = await startRun();
    saved(await killed.first.create(naming("orders", id)));
    const [ofKilled = ""] = readdirSync(folder);
    for (const { process } of [killed.first, killed.second]) process.kill("SIGKILL");
    // In another container, this engine may live.
    killed.engine.kill();
    const living = await startRun();
    saved(await living.first.create(naming("orders", id)));
    expect(readdirSync(folder)).toHaveLength(2);
    living.first.process.kill("SIGINT");
    await living.first.process.ended;
    expect(readdirSync(folder)).toEqual([ofKilled]);

    const weekAgo = Date.now() / 1000 - 8 * 86_400;
    utimesSync(join(folder, ofKilled), weekAgo, weekAgo);
    const next = await startRun();
    await next.first.check({}, items);
    expect(readdirSync(folder)).not.toContain(ofKilled);
  });

  test("A folder without hard links has the notes, too", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const preload = join(temporary(), "noLinks.cjs");
    writeFileSync(
      preload,
      `require("node:fs").linkSync = () => { throw Object.assign(new Error("EPERM"), { code: "EPERM" }); };`,
    );
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const { first, second } = await startRun(undefined, { NODE_OPTIONS: `--require ${preload}` });
    expect(await first.create(naming("one", id))).toMatchObject({ kind: "ok" });
    expect(await second.create(naming("two", id))).toMatchObject({ kind: "error" });
  });

  test("The notes of a run are its user's alone", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const folder = join(temporary(), `pulumi-data-connectivity-${process.getuid?.() ?? ""}`);
    const { first } = await startRun();
    saved(await first.create(naming("orders", id)));
    const [run = ""] = readdirSync(folder);
    const notes = readdirSync(join(folder, run)).filter((name) => name !== "first-reading.json");
    expect([notes.length, notes.join().includes(id)]).toEqual([3, false]);
    const paths = [folder, join(folder, run), ...notes.map((note) => join(folder, run, note))];
    expect(paths.map((path) => statSync(path).mode & 0o077)).toEqual(paths.map(() => 0));
  });
});
