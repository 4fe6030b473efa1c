import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { readFleet, runAll, select, table, type Customer, type Fleet } from "./customers";

const usage = `Usage: npx tsx fleet.ts [--preview | --destroy] [--only NAMES] [--shard N/OF] [--parallel N]

Runs pulumi up for each customer of customers.json, in a stack of their own.
Exit code 0; 1 where a customer failed, when all others are finished.

Example: npx tsx fleet.ts --preview --only acme,globex`;

const { values } = parseArgs({
  options: {
    preview: { type: "boolean", default: false },
    destroy: { type: "boolean", default: false },
    only: { type: "string" },
    shard: { type: "string" },
    parallel: { type: "string", default: "4" },
    help: { type: "boolean", default: false },
  },
});

const logs = join(__dirname, "logs");

/** Sets the stack's configuration, runs one command, and returns what it changed. */
async function run({ issuer, key }: Fleet, { name, subject, config }: Customer): Promise<string> {
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: name, workDir: __dirname },
    { envVars: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" } }, // types are checked once, by the pipeline
  );
  const sign = ["npx", "pulumi-data-connectivity", "token", "--key", resolve(__dirname, key)];
  const settings = {
    ...config,
    "data-connectivity:credentialsCommand": [...sign, "--issuer", issuer, "--subject", subject].map(quoted).join(" "),
  };
  const values = Object.entries(settings).map(([setting, value]) => [setting, { value: text(value) }] as const);
  await stack.setAllConfig(Object.fromEntries(values));
  return await command(stack, join(logs, `${name}.log`));
}

async function command(stack: Stack, log: string): Promise<string> {
  rmSync(log, { force: true });
  const onOutput = (output: string): void => {
    appendFileSync(log, output);
  };
  const options = { color: "never", onOutput } as const;
  try {
    if (values.preview) return summary((await stack.preview(options)).changeSummary);
    if (!values.destroy) return summary((await stack.up(options)).summary.resourceChanges);
    const { resourceChanges } = (await stack.destroy(options)).summary;
    await stack.workspace.removeStack(stack.name);
    return summary(resourceChanges);
  } catch (error) {
    // The error holds all that the CLI printed; jobs that were not sent name the one that failed.
    const [, reason = "The CLI failed."] = /\berror: (?!.*: Not sent:)(.+)/.exec(String(error)) ?? [];
    throw new Error(`${reason} (logs/${stack.name}.log)`, { cause: error });
  }
}

/** For example "create 2, same 1". */
const summary = (changes: Readonly<Record<string, number>> = {}): string =>
  Object.entries(changes)
    .map(([operation, count]) => `${operation} ${count}`)
    .join(", ");

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

async function main(): Promise<void> {
  if (values.help) {
    console.log(usage);
    return;
  }
  if (values.preview && values.destroy) throw new Error("--preview and --destroy exclude each other.");
  const fleet = readFleet(join(__dirname, "customers.json"));
  const customers = select(fleet.customers, values);
  mkdirSync(logs, { recursive: true });
  const outcomes = await runAll(customers, values.parallel, (customer) => run(fleet, customer), console.log);
  console.log(`\n${table(outcomes)}`);
  if (outcomes.some(({ failed }) => failed)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
