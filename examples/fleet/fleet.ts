import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Budget } from "./budget";
import { readFleet, runAll, select, table, wholeNumber, type Customer, type Fleet } from "./customers";
import { projectOf, tablesOf } from "./program";

const usage = `Usage: npx tsx fleet.ts [--preview | --destroy] [--init] [--only NAMES] [--shard N/OF] [--parallel N] [--per-minute N]
       npx tsx fleet.ts --jobs [-- OPTIONS]

Runs pulumi up for each customer of customers.json, in a stack of their own. All together send at most --per-minute
requests (default 100). Exit code 0; 1 where a customer failed, when all others are finished.

With --init, makes the stacks that do not exist. Only for new customers: at another backend or in another organization, every
stack would be new, and each job would be created again.

With --jobs, shows the jobs of all customers: which the stacks, the service or both have, and how they ran. Takes the options of
pulumi-data-connectivity jobs --at-service, such as --failed --since 24h.

Example: npx tsx fleet.ts --preview --only acme,globex`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "boolean", default: false },
    preview: { type: "boolean", default: false },
    destroy: { type: "boolean", default: false },
    init: { type: "boolean", default: false },
    only: { type: "string" },
    shard: { type: "string" },
    parallel: { type: "string", default: "4" },
    "per-minute": { type: "string", default: "100" },
    help: { type: "boolean", default: false },
  },
});

const logs = join(__dirname, "logs");
const stacks = join(__dirname, "stacks");
const commands = join(
  dirname(require.resolve("pulumi-data-connectivity/package.json")),
  "bin/pulumi-data-connectivity.js",
);

let isStopped = false;
const stopped = "not run: the fleet was stopped";
const running = new Set<ChildProcess>();

/** Writes the customer's project, and returns its folder. */
function write({ issuer, key }: Fleet, customer: Customer): string {
  const { name, subject } = customer;
  const folder = join(stacks, name);
  const sign = [process.execPath, commands, "token", "--key", resolve(__dirname, key)];
  const credentialsCommand = [...sign, "--issuer", issuer, "--subject", subject].map(quoted).join(" ");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Pulumi.yaml"), projectOf(customer, credentialsCommand));
  return folder;
}

/** Runs one command in the customer's project, and returns what it changed. */
async function run(fleet: Fleet, customer: Customer, budget: Budget): Promise<string> {
  if (isStopped) throw new Error(stopped);
  const folder = write(fleet, customer);
  // One list of jobs, one of connections and one of tables, beside a request for each job.
  const most = tablesOf(customer).length + 3;
  const settle = await budget.reserve(most);
  let sent = most;
  try {
    const changes = await command(customer.name, folder);
    const count = [...changes.matchAll(/(\d+) (?!unchanged)/g)].reduce((sum, [, changed]) => sum + Number(changed), 0);
    sent = count === 0 ? 0 : Math.min(most, count + 3);
    return changes;
  } finally {
    settle(sent);
  }
}

async function command(name: string, folder: string): Promise<string> {
  const up = values.preview ? ["preview"] : [values.destroy ? "destroy" : "up", "--yes", "--skip-preview"];
  const pulumi = (args: readonly string[]) => outputOf(name, [...args, "--suppress-progress", "--stack", name], folder);
  let { ok, output } = await pulumi(up);
  if (!ok && output.includes("no stack named")) {
    if (!values.init)
      throw new Error(
        `no stack ${name} in this backend and organization (pulumi whoami -v). If it is new: --init --only ${name}`,
      );
    const made = await outputOf(name, ["stack", "init", name], folder);
    ({ ok, output } = made.ok ? await pulumi(up) : made);
  }
  if (!ok) throw new Error(`${reasonIn(output)} (logs/${name}.log)`);
  const [, changes = "nothing"] = /\nResources:\n((?: {4}.*\n)+)/.exec(output) ?? [];
  const warned = /^ *warning: /m.test(output);
  if (values.destroy) {
    // It may name a job that was not deleted, and only the stack knows of its create.
    if (warned) throw new Error(`destroyed with warnings, so the stack stays (logs/${name}.log)`);
    const removed = await outputOf(name, ["stack", "rm", "--yes", "--stack", name], folder);
    if (!removed.ok) throw new Error(`${reasonIn(removed.output)} (logs/${name}.log)`);
  }
  return oneLine(changes, ", ") + (warned ? `, with warnings (logs/${name}.log)` : "");
}

/** The first error of a job: the CLI's own is that the run failed, and jobs that were not sent name the one that failed. */
function reasonIn(output: string): string {
  // Above, the lines of the CLI's progress show the errors too, without their ends.
  const diagnostics = output.split(/^Diagnostics:$/m).at(-1) ?? "";
  const errors = [...diagnostics.matchAll(/^ *error: ((?:.+\n?)+)/gm)].map(([, text = ""]) => oneLine(text, " "));
  return errors.find((text) => !/: Not sent:|^\w+ failed$/.test(text)) ?? errors[0] ?? "The CLI failed.";
}

const oneLine = (text: string, separator: string): string => text.trim().split(/\n */).join(separator);

/** Without the variables of this shell that would choose one service, account or token for all customers. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !name.startsWith("DATA_CONNECTIVITY_") || /_(RESEND_UNCONFIRMED|ADOPT_UNCONFIRMED|ADOPT_MATCHING)$/.test(name),
  ),
);

/**
 * What the CLI prints, and whether it succeeded. It prints to the customer's log and has a process group of its own: if
 * this process is killed, the CLI finishes its run.
 */
function outputOf(name: string, args: readonly string[], cwd: string): Promise<{ ok: boolean; output: string }> {
  return new Promise((done, failed) => {
    // Stopped while it waited for the budget, or between two commands.
    if (isStopped) throw new Error(stopped);
    const file = join(logs, `${name}.log`);
    const log = openSync(file, "w");
    const child = spawn("pulumi", [...args, "--non-interactive", "--color", "never"], {
      cwd,
      env: environment,
      stdio: ["ignore", log, log],
      detached: process.platform !== "win32",
    });
    closeSync(log);
    running.add(child);
    child.once("error", (error) => {
      running.delete(child);
      failed(error);
    });
    child.once("close", (code) => {
      running.delete(child);
      done({ ok: code === 0, output: readFileSync(file, "utf8") });
    });
  });
}

/** Shows the jobs of all customers. Resolves to the exit code of the command. */
async function showJobs(fleet: Fleet, options: readonly string[]): Promise<number> {
  for (const customer of fleet.customers) write(fleet, customer);
  const args = [commands, "jobs", "--at-service", "--all", stacks, ...options];
  const child = spawn(process.execPath, args, { env: environment, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

async function main(): Promise<void> {
  if (values.help) {
    console.log(usage);
    return;
  }
  if (values.preview && values.destroy) throw new Error("--preview and --destroy exclude each other.");
  const fleet = readFleet(join(__dirname, "customers.json"));
  if (values.jobs) {
    if (values.preview || values.destroy || values.only !== undefined || values.shard !== undefined)
      throw new Error("--jobs is for all customers, and changes nothing: give it alone.");
    process.exitCode = await showJobs(fleet, positionals);
    return;
  }
  if (positionals.length > 0) throw new Error(`Only --jobs takes other options: ${positionals.join(" ")}`);
  const perMinute = wholeNumber(values["per-minute"]);
  if (perMinute === undefined) throw new Error("--per-minute takes a whole number from 1 on.");
  const customers = select(fleet.customers, values);
  mkdirSync(logs, { recursive: true });
  const budget = new Budget(perMinute);
  // At the first signal, each CLI finishes what is in flight and saves it; at the second one, it ends at once.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      isStopped = true;
      for (const child of running) child.kill("SIGINT");
    });
  const outcomes = await runAll(customers, values.parallel, (customer) => run(fleet, customer, budget), console.log);
  console.log(`\n${table(outcomes)}`);
  if (outcomes.some(({ failed }) => failed)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
