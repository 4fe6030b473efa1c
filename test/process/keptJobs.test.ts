import { once } from "node:events";
import { readdirSync, statSync, watch, writeFileSync } from "node:fs";
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
  const startRun = async (folder = temporary()) => {
    const engine = await startFakeEngine();
    const env = { TMPDIR: folder, TEMP: folder };
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

  test("The notes of a run are gone when it ends, and those of a killed run when the next one begins", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const folder = join(temporary(), `pulumi-data-connectivity-${process.getuid?.() ?? ""}`);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const killed = await startRun();
    saved(await killed.first.create(naming("orders", id)));
    const ofKilled = readdirSync(folder);
    const living = await startRun();
    saved(await living.first.create(naming("orders", id)));
    const ofLiving = readdirSync(folder).filter((name) => !ofKilled.includes(name));
    expect([ofKilled.length, ofLiving.length]).toEqual([1, 1]);
    const left = () => [...ofKilled, ...ofLiving].filter((name) => readdirSync(folder).includes(name));
    for (const { process } of [killed.first, killed.second]) process.kill("SIGKILL");
    killed.engine.kill();
    const watched = watch(folder);
    const next = await startRun();
    await next.first.check({}, items);
    while (left().length > 1) await once(watched, "change");
    watched.close();
    living.first.process.kill("SIGINT");
    await living.first.process.ended;
    expect(left()).toEqual([]);
  });

  test("The notes of a run are its user's alone", async () => {
    const { emulator, startRun } = await serviceWithRuns(hosts);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const folder = join(temporary(), `pulumi-data-connectivity-${process.getuid?.() ?? ""}`);
    const { first } = await startRun();
    saved(await first.create(naming("orders", id)));
    const [run = ""] = readdirSync(folder);
    const notes = readdirSync(join(folder, run)).filter((name) => name !== "first-reading.json");
    expect([notes.length, notes.join().includes(id)]).toEqual([2, false]);
    const paths = [folder, join(folder, run), ...notes.map((note) => join(folder, run, note))];
    expect(paths.map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0, 0]);
  });
});
