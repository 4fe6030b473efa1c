import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, createReadStream, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Budget } from "../../examples/fleet/budget.js";
import { readFleet, runAll, select, table, type Customer } from "../../examples/fleet/customers.js";
import { projectOf } from "../../examples/fleet/program.js";
import { version } from "../../provider/src/version.js";
import { startCommand } from "../support/command.js";
import { declaration } from "../support/declaration.js";
import { exampleFolder } from "../support/example.js";
import * as z from "zod";
import { root } from "../support/pages.js";
import { refusedIn } from "../support/template.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const customers = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name): Customer => ({
  name,
  subject: name,
  sourceConnection: declaration.params.sourceConnection,
  config: {},
}));
const namesOf = (selected: readonly Customer[]) => selected.map(({ name }) => name).join("");

describe("The customers of a run", () => {
  test.each([
    [{}, "abcdefgh"],
    [{ only: "c,a" }, "ac"],
    [{ shard: "1/3" }, "adg"],
    [{ shard: "3/3" }, "cf"],
    [{ shard: "9/9" }, ""],
    [{ only: "a,b,c", shard: "2/2" }, "b"],
  ])("%j are %s", (options, expected) => {
    expect(namesOf(select(customers, options))).toBe(expected);
  });

  test("are each in exactly one shard", () => {
    const shards = [1, 2, 3, 4, 5].flatMap((n) => select(customers, { shard: `${n}/5` }));
    expect(shards.sort((a, b) => a.name.localeCompare(b.name))).toEqual(customers);
  });

  test.each<[{ only?: string; shard?: string }, string]>([
    [{ only: "a,x,y" }, "--only: customers.json has no x, y."],
    [{ shard: "0/5" }, "--shard is 0/5."],
    [{ shard: "6/5" }, "--shard is 6/5."],
    [{ shard: "2" }, "--shard is 2."],
    [{ shard: "a/b" }, "--shard is a/b."],
  ])("%j are refused", (options, message) => {
    expect(() => select(customers, options)).toThrow(message);
  });
});

describe("customers.json", () => {
  const folder = temporaryFolder();

  test("has no misspelt member", () => {
    const file = join(folder(), "customers.json");
    writeFileSync(file, JSON.stringify({ all: {}, customers: { acme: { everyHour: 4 } } }));
    expect(() => readFleet(file)).toThrow(
      "acme has everyHour. Accepted: subject, sourceConnection, everyHours, tables, config.",
    );
  });
});

test("A customer who is down stops no other, and at most so many run at a time", async () => {
  const lines: string[] = [];
  let [running, most] = [0, 0];
  const run = async ({ name }: Customer): Promise<string> => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    if (name === "c") throw new Error("no connection");
    return "create 3";
  };
  const outcomes = await runAll(customers, "4", run, (line) => lines.push(line));
  expect(most).toBe(4);
  expect(lines.filter((line) => line.endsWith(": started"))).toHaveLength(8);
  expect(lines.at(-1)).toMatch(/ s \(8 of 8\)$/);
  const rows = table(outcomes.map((outcome) => ({ ...outcome, seconds: 1.5 }))).split("\n");
  expect(rows).toHaveLength(9);
  expect([rows[0], rows[1], rows.at(-1)]).toEqual([
    "CUSTOMER  RESULT  SECONDS  CHANGES",
    "a         ok          1.5  create 3",
    "c         FAILED      1.5  no connection",
  ]);
});

test("A customer's program declares what the plugin accepts, in jobs that are named by their tables", () => {
  const [customer] = customers;
  if (customer === undefined) throw new Error("There are no customers.");
  const program = (tables: readonly string[]) => projectOf({ ...customer, tables }, "print-token");
  expect(refusedIn(program(["ORDERS", "LINES"]))).toEqual({ ORDERS: false, LINES: false });
  expect(JSON.parse(program([]))).toMatchObject({
    packages: { "data-connectivity": { version } },
    config: { "data-connectivity:credentialsCommand": { value: "print-token" } },
  });
  // A table in front of the others changes nothing for them.
  const ordersOf = (text: string): unknown =>
    z.object({ resources: z.object({ ORDERS: z.json() }) }).parse(JSON.parse(text));
  expect(ordersOf(program(["NEW", "ORDERS"]))).toEqual(ordersOf(program(["ORDERS"])));
});

describe("The requests of all customers together", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** When each reservation was granted, in seconds from the beginning. */
  async function grants(budget: Budget, wanted: readonly number[], sent: (wanted: number) => number) {
    const begin = Date.now();
    const seconds: number[] = [];
    const all = wanted.map(async (requests) => {
      const settle = await budget.reserve(requests);
      seconds.push(Math.round((Date.now() - begin) / 1000));
      settle(sent(requests));
    });
    await jest.advanceTimersByTimeAsync(300_000);
    await Promise.all(all);
    return seconds;
  }

  test("are no more in a minute than --per-minute", async () => {
    expect(await grants(new Budget(100), [40, 40, 40, 40, 250, 1], (all) => all)).toEqual([0, 0, 60, 60, 120, 180]);
  });

  test("are only those that were sent", async () => {
    expect(await grants(new Budget(100), [90, 90, 90, 90], () => 0)).toEqual([0, 0, 0, 0]);
  });
});

describe("The command", () => {
  const folder = temporaryFolder();
  /** Starts the command with this CLI on the PATH; without a CLI, no customer's run can succeed. */
  const startFleet = (args: readonly string[], cli?: string) => {
    const copy = join(folder(), "fleet");
    cpSync(exampleFolder("fleet"), copy, { recursive: true });
    mkdirSync(join(folder(), "bin"));
    symlinkSync(process.execPath, join(folder(), "bin/node"));
    symlinkSync(join(root, "node_modules"), join(folder(), "node_modules"));
    if (cli !== undefined) writeFileSync(join(folder(), "bin/pulumi"), cli, { mode: 0o755 });
    const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
    const env = { PATH: join(folder(), "bin"), HOME: folder() };
    return startCommand(process.execPath, [tsx, "fleet.ts", ...args], { cwd: copy, env });
  };
  const fleet = (...args: readonly string[]) => startFleet(args).finished;

  /** A fleet whose first CLI runs until it has got this many signals; `told` has its pid, its parent's and each signal. */
  async function startStubborn(signals: number) {
    const fifo = join(folder(), "told");
    execFileSync("mkfifo", [fifo]);
    const cli = `#!/usr/bin/env node
      const told = require("node:fs").createWriteStream(${JSON.stringify(fifo)});
      told.write(process.pid + " " + process.ppid + "\\n");
      let count = 0;
      const timer = setInterval(() => undefined, 1000);
      const end = () => (console.log("ended by itself"), process.exit());
      process.on("SIGUSR2", end).on("SIGINT", () => {
        count += 1;
        told.write("signal\\n", () => count === ${signals} && end());
      });`;
    const command = startFleet(["--parallel", "1"], cli);
    const told = createReadStream(fifo, "utf8");
    const first: readonly unknown[] = await once(told, "data");
    const [pid = 0, parent = 0] = String(first[0]).split(" ").map(Number);
    return { command, told, pid, parent };
  }

  test("lets a CLI finish at the first Ctrl-C, which it gets once, and begins no other", async () => {
    const { command, told } = await startStubborn(1);
    command.kill("SIGINT");
    expect(await once(told, "data")).toEqual(["signal\n"]);
    const { exitCode, stdout } = await command.finished;
    expect(exitCode).toBe(1);
    expect(stdout.match(/not run: the fleet was stopped/g)?.length).toBeGreaterThan(1);
  });

  test("calls no further command for a customer after a Ctrl-C", async () => {
    const called = join(folder(), "called");
    const fifo = join(folder(), "told");
    execFileSync("mkfifo", [fifo]);
    const cli = `#!/usr/bin/env node
      const { appendFileSync, writeFileSync } = require("node:fs");
      appendFileSync(${JSON.stringify(called)}, process.argv[2] + "\\n");
      setInterval(() => undefined, 1000);
      process.on("SIGINT", () => (console.log("error: no stack named acme found"), process.exit(1)));
      writeFileSync(${JSON.stringify(fifo)}, "ready");`;
    const command = startFleet(["--parallel", "1"], cli);
    await once(createReadStream(fifo), "data");
    command.kill("SIGINT");
    expect((await command.finished).exitCode).toBe(1);
    expect(readFileSync(called, "utf8")).toBe("up\n");
  });

  test("ends its CLIs at the second Ctrl-C", async () => {
    const { command, told } = await startStubborn(2);
    for (let count = 0; count < 2; count += 1) {
      command.kill("SIGINT");
      await once(told, "data");
    }
    expect((await command.finished).exitCode).toBe(1);
  });

  test("lets a CLI finish its run if it is killed itself", async () => {
    const { command, told, pid, parent } = await startStubborn(1);
    process.kill(parent, "SIGKILL");
    command.kill("SIGKILL");
    await command.finished;
    process.kill(pid, "SIGUSR2");
    await once(told.resume(), "end");
    expect(readFileSync(join(folder(), "fleet/logs/acme.log"), "utf8")).toBe("ended by itself\n");
  });

  test("has exit code 1 where customers failed, after it tried all", async () => {
    const { exitCode, stdout } = await fleet();
    expect(exitCode).toBe(1);
    expect(stdout.match(/^(acme|globex|initech) +FAILED/gm)).toHaveLength(3);
  });

  test.each([
    [["--parallel", "many"], "--parallel is many. Accepted: a whole number from 1 on."],
    [["--preview", "--destroy"], "--preview and --destroy exclude each other."],
    [["--per-minute", "0"], "--per-minute takes a whole number from 1 on."],
    [["--only", "nobody"], "--only: customers.json has no nobody."],
  ])("refuses %j before anything runs", async (args, message) => {
    expect(await fleet(...args)).toMatchObject({ exitCode: 1, stdout: "", stderr: `${message}\n` });
  });
});
