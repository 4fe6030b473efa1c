import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { RunClaims } from "../../../provider/src/hosts/claims/claims.js";
import { logIn } from "../../../provider/src/hosts/claims/runLog.js";
import { stopAll } from "../../support/emulated.js";
import { resource, startClaimant } from "../../support/claims/claimantProcess.js";
import { startFakeEngine, type FakeEngine } from "../../support/plugin/fakeEngine.js";
import { temporaryFolder } from "../../support/temporaryFolder.js";

const temporary = temporaryFolder();
let engine: FakeEngine;
beforeEach(async () => {
  engine = await startFakeEngine();
});
afterEach(stopAll);

const start = (run: Partial<Parameters<typeof startClaimant>[0]> = {}) =>
  startClaimant({ engine: engine.address, temporary: temporary(), ...run });

/** Two provider processes of one run. */
const startTwo = () => Promise.all([start(), start()]);

/** The claims of two processes of one run, in this process. */
const twoClaims = () => {
  const open = logIn(join(temporary(), "runs"), "run");
  const fail = (text: string) => {
    throw new Error(text);
  };
  return [new RunClaims(fail, open), new RunClaims(fail, open)] as const;
};

/** Every folder and file in the temporary folder. */
const written = () => readdirSync(temporary(), { recursive: true, encoding: "utf8" });
/** The logs of all runs. */
const logs = () => written().flatMap((path) => (path.includes(sep) ? [join(temporary(), path)] : []));
/** The log of the only run. */
const log = () => logs()[0] ?? "";
/** Writes a log of a run that is not one of these processes'. */
const writeLog = (name: string): string => {
  const path = join(temporary(), written()[0] ?? "", name);
  writeFileSync(path, "");
  return path;
};
/** Writes the log that is checked last, and so old that it is removed. */
const writeOldLog = (): string => {
  const path = writeLog("ffffffff-1-fedcba9876543210");
  utimesSync(path, 0, 0);
  return path;
};

describe("Provider processes of one run", () => {
  test("that want the same jobs at the same time: each job has exactly one resource, and all say which", async () => {
    const names = ["p1", "p2", "p3", "p4"];
    const processes = await Promise.all(names.map(() => start()));
    const jobs = Array.from({ length: 100 }, (_, n) => `job ${n}`);
    const rows = await Promise.all(
      jobs.map((job) => Promise.all(processes.map((process, n) => process.take(job, names[n] ?? "")))),
    );
    for (const answers of rows) {
      const winners = names.filter((_, n) => answers[n] === undefined);
      expect(winners).toHaveLength(1);
      const losers = answers.filter((answer) => answer !== undefined);
      expect(losers).toEqual(losers.map(() => resource(winners[0] ?? "")));
    }
  });

  test("that take a job at the same moment: whose line came first has it", () => {
    const [first, second] = twoClaims();
    const answers: unknown[] = [];
    // `first` has seen that the job is free, but has not yet written its line to the log.
    const toJSON = () => {
      answers.push(second.take("job", resource("p2")));
      return resource("p1");
    };
    const unwritten = { ...resource("p1"), toJSON };
    expect(first.take("job", unwritten)).toEqual(resource("p2"));
    expect(answers).toEqual([undefined]);
    expect(second.elsewhere("job")).toEqual([]);
    // The first one's claim is withdrawn: it does not count once the second one gives the job back.
    second.giveBack("job");
    expect(second.elsewhere("job")).toEqual([]);
  });

  test("tell what a call notes before it is answered, also where another one wrote meanwhile", async () => {
    const [first, second] = twoClaims();
    const call = async () => {
      await Promise.resolve();
      first.note("job 1", resource("p1"));
      first.note("job 2", resource("p1"));
      second.take("job 3", resource("p2"));
    };
    await call();
    expect(["job 1", "job 2"].map((job) => second.elsewhere(job))).toEqual([[resource("p1")], [resource("p1")]]);
    expect(first.take("job 3", resource("p1"))).toEqual(resource("p2"));
  });

  test("keep what a dead one had, but not the claim that it had not written to its end", async () => {
    const first = await start();
    for (const job of ["written", "unfinished"]) await first.take(job, "p1");
    await first.stop();
    writeFileSync(log(), readFileSync(log(), "utf8").slice(0, -10));
    const [second, third] = await startTwo();
    // The first claim after the unfinished one must not become a part of it.
    expect(await second.take("unfinished", "p2")).toBeUndefined();
    expect(await third.take("unfinished", "p3")).toEqual(resource("p2"));
    expect(await second.take("written", "p2")).toEqual(resource("p1"));
    expect(await second.elsewhere("written")).toEqual([resource("p1")]);
  });

  test("see what others noted, and not what they noted themselves", async () => {
    const [first, second, third] = [await start(), await start(), await start()];
    await first.note("job 1", "p1");
    expect(await second.elsewhere("job 1")).toEqual([resource("p1")]);
    await second.note("job 2", "p2");
    await first.note("job 3", "p1");
    expect(await first.elsewhere("job 1")).toEqual([]);
    const seen = ["job 1", "job 2", "job 3", "job 4"].map((job) => third.elsewhere(job));
    expect(await Promise.all(seen)).toEqual([[resource("p1")], [resource("p2")], [resource("p1")], []]);
  });

  test("wait for the end of a note before they read it", async () => {
    const [first, second] = await startTwo();
    await first.note("job 1", "p1");
    const note = readFileSync(log(), "utf8");
    writeFileSync(log(), note.slice(0, 60));
    expect(await second.elsewhere("job 1")).toEqual([]);
    writeFileSync(log(), note);
    expect(await second.elsewhere("job 1")).toEqual([resource("p1")]);
  });

  test("do not stand in their own way, and give back what they took, and nothing that another one has", async () => {
    const [first, second] = await startTwo();
    for (let call = 0; call < 2; call += 1) expect(await first.take("job", "p1")).toBeUndefined();
    expect(await first.elsewhere("job")).toEqual([]);
    await second.giveBack("job");
    expect(await second.elsewhere("job")).toEqual([resource("p1")]);
    await first.giveBack("job");
    expect(await second.elsewhere("job")).toEqual([]);
    expect(await second.take("job", "p2")).toBeUndefined();
    expect(await first.take("job", "p1")).toEqual(resource("p2"));
  });

  test("write nothing of what they claim", async () => {
    const process = await start();
    await process.take("https://planted.example.com/job", "orders");
    await process.note("https://planted.example.com/job", "orders");
    expect([...written(), readFileSync(log(), "utf8")].join()).not.toContain("planted");
  });

  test.each([
    ["is a file", __filename],
    ["lets nobody make a folder", "/proc"],
  ])("whose folder for temporary files %s say so once, and go on alone", async (_what, path) => {
    const process = await start({ temporary: path });
    expect(await process.take("job", "p1")).toBeUndefined();
    await process.note("other", "p1");
    expect(await process.elsewhere("other")).toEqual([]);
    expect(await process.problems()).toEqual([
      expect.stringMatching(/(ENOTDIR|ENOENT).*\), so two of them may change the same job\. Set TMPDIR/),
    ]);
  });
});

describe("The next run", () => {
  test("is stopped by nothing that two dead processes left, and removes it", async () => {
    const [first, second] = await startTwo();
    await first.take("job", "p1");
    await second.take("other", "p2");
    await Promise.all([first.stop(), second.stop()]);
    engine.kill();

    engine = await startFakeEngine();
    const next = await start();
    expect(await next.take("job", "p3")).toBeUndefined();
    // Old logs are removed in the background.
    while (logs().length > 1) await next.elsewhere("job");
    expect(await next.take("other", "p3")).toBeUndefined();
  });

  test("is none of the engine's that had its port before", async () => {
    const first = await start({ logEndpoint: "localhost:1" });
    await first.take("job", "p1");
    const next = await start({ logEndpoint: "localhost:2" });
    expect(await next.take("job", "p2")).toBeUndefined();
  });

  test("leaves alone the run of a container with the same name and another network", async () => {
    const other = await startFakeEngine();
    const beside = { engine: other.address, network: "net:[1]" };
    const first = await start(beside);
    await first.take("job", "p1");
    // As in the network of the process that starts next: nobody listens at this address.
    other.kill();
    const old = writeOldLog();

    const next = await start();
    await next.take("job", "p2");
    while (logs().includes(old)) await next.elsewhere("job");
    expect(logs()).toHaveLength(2);
    const second = await start(beside);
    expect(await second.take("job", "p3")).toEqual(resource("p1"));
  });

  test("leaves alone the runs of living engines and of other machines, until they are a week old", async () => {
    const other = await startFakeEngine();
    const living = await start({ engine: other.address });
    await living.take("job", "p1");
    writeLog("00000000-1-0123456789abcdef");
    const old = writeOldLog();

    const next = await start();
    await next.take("job", "p2");
    while (logs().includes(old)) await next.elsewhere("job");
    expect(logs()).toHaveLength(3);
    const beside = await start({ engine: other.address });
    expect(await beside.take("job", "p3")).toEqual(resource("p1"));
  });
});

test("A process that no engine started is alone, and writes nothing", async () => {
  const process = await start({ engine: undefined });
  expect(await process.take("job", "p1")).toBeUndefined();
  await process.note("other", "p1");
  expect(await process.elsewhere("other")).toEqual([]);
  expect(written()).toEqual([]);
});
