import { readFileSync } from "node:fs";
import { InputError, parseArguments, reasonOf, UsageError, type Command } from "./command.js";
import { jobsToLookFor, pendingTable, stepsAfterKilledRun } from "./interruptedRun.js";
import { scheduleOf, tableOrQueryOf } from "./jobColumns.js";
import { readExport, type DeclaredJob, type KnownJob, type StackExport } from "./stackExport.js";
import { bold, columns, counted, dim, print, printable, red } from "./text.js";
import { adviceFor } from "./unconfirmedJobs.js";

export const jobs: Command = {
  usage: `Usage: pulumi stack export | pulumi-data-connectivity jobs [--json] [--check]
       pulumi-data-connectivity jobs FILE [--json] [--check]

Lists the jobs of a stack, and says what to do about unconfirmed jobs and after a killed run. Save the list before a
destroy: the service documents no way to list jobs. Sends nothing. Of params only the table or the name of the query is
shown, and a secret as "(secret)".

  FILE     the output of pulumi stack export; default: standard input
  --json   { "jobs": [...], "pendingOperations": [...], "steps": [...] } instead of tables
  --check  exit code 1 if a job is unconfirmed or a killed run left an operation on a job open
`,

  async run(args) {
    const { values, positionals } = parseArguments({
      args: [...args],
      options: { json: { type: "boolean", default: false }, check: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`Expected one file at most, and ${positionals.length} were given.`);
    const stack = readExport(...(await read(file)));
    if (values.json) print(JSON.stringify(asJson(stack), undefined, 2));
    else printTables(stack);
    const allClear = stack.pending.length === 0 && needingAttention(stack).length === 0;
    return values.check && !allClear ? 1 : 0;
  },
};

async function read(file: string | undefined): Promise<[text: string, from: string]> {
  if (file === undefined) {
    const text = process.stdin.isTTY ? "" : await readStdin();
    if (text.trim() !== "") return [text, "Standard input"];
    throw new UsageError(
      process.stdin.isTTY
        ? "No input: pipe the output of pulumi stack export into this command, or name a file."
        : "Standard input is empty: did pulumi stack export fail? If no stack is selected, name it: pulumi stack export --stack NAME",
    );
  }
  try {
    return [readFileSync(file, "utf8"), file];
  } catch (error) {
    throw new InputError(`The export could not be read: ${reasonOf(error)}`);
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function asJson(stack: StackExport) {
  return {
    jobs: stack.jobs.map((job) => ({
      ...asJsonJob(job),
      jobId: job.jobId ?? null,
      service: job.origin?.baseUrl ?? null,
      account: job.origin?.account ?? null,
      outcome: job.origin?.outcome ?? null,
      since: job.origin?.at ?? null,
      advice: adviceFor(job) ?? [],
    })),
    pendingOperations: stack.pending.map((pending) => ({
      ...asJsonJob(pending),
      operation: pending.operation,
      jobsToLookFor: jobsToLookFor(pending, stack),
    })),
    steps: stack.pending.length > 0 ? stepsAfterKilledRun(stack) : [],
  };
}

const asJsonJob = (job: DeclaredJob) => ({
  resource: job.resource,
  urn: job.urn,
  type: job.kind.resource,
  tableOrQuery: tableOrQueryOf(job) ?? null,
  schedule: scheduleOf(job),
});

/** Jobs that are unconfirmed or whose state is damaged. */
const needingAttention = ({ jobs }: StackExport): KnownJob[] => jobs.filter((job) => adviceFor(job) !== undefined);

function printTables(stack: StackExport): void {
  if (stack.jobs.length === 0) print("This stack has no jobs of pulumi-data-connectivity.");
  else printJobs(stack.jobs);

  const unconfirmed = needingAttention(stack);
  if (unconfirmed.length > 0) {
    print("", red(`${counted(unconfirmed.length, "job needs", "jobs need")} your attention:`));
    for (const job of unconfirmed) printAdvice(job);
  }
  if (stack.pending.length > 0) printPending(stack);
}

function printAdvice(job: KnownJob): void {
  const lines = (adviceFor(job) ?? []).map((line) => `    ${printable(line)}`);
  print("", bold(`  ${job.kind.resource} ${JSON.stringify(job.resource)}`), ...lines);
}

function printPending(stack: StackExport): void {
  const [header = "", ...rows] = pendingTable(stack).map((line) => `  ${line}`);
  const title = `A run was killed and left ${counted(stack.pending.length, "operation")} on jobs open:`;
  print("", red(title), "", bold(header), ...rows, "", "  What to do, once for all of them:");
  print(...stepsAfterKilledRun(stack).map((step) => `    ${printable(step)}`));
}

function printJobs(known: readonly KnownJob[]): void {
  const withAccounts = known.some(({ origin }) => origin?.account !== undefined);
  const row = (job: KnownJob) => [
    job.resource,
    job.jobId ?? "-",
    job.kind.resource,
    tableOrQueryOf(job) ?? "-",
    scheduleOf(job),
    job.origin?.baseUrl ?? "-",
    ...(withAccounts ? [job.origin?.account ?? "-"] : []),
    job.origin?.outcome ?? "-",
    job.origin?.at ?? "-",
  ];
  const account = withAccounts ? ["ACCOUNT"] : [];
  const titles = [
    "RESOURCE",
    "JOB ID",
    "TYPE",
    "TABLE OR QUERY",
    "SCHEDULE",
    "SERVICE",
    ...account,
    "OUTCOME",
    "SINCE",
  ];
  const [header = "", ...lines] = columns([titles, ...known.map(row)]);
  print(bold(header), ...lines, dim(counted(known.length, "job")));
}
