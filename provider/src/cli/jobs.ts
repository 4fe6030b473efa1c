import { readFileSync } from "node:fs";
import { InputError, parseArguments, reasonOf, UsageError, type Command } from "./command.js";
import { adviceFor, adviceForPending, scheduleOf, subjectOf } from "./jobAdvice.js";
import { readExport, type DeclaredJob, type KnownJob, type StackExport } from "./stackExport.js";
import { bold, columns, counted, dim, print, printable, red } from "./text.js";

export const jobs: Command = {
  usage: `Usage: pulumi stack export | pulumi-data-connectivity jobs [--json]
       pulumi-data-connectivity jobs FILE [--json]

Lists the jobs that a stack knows. Keep the list before a destroy: the service documents no way to list jobs. Nothing is
sent, and secrets stay "(secret)"; of params only the table, or the name of the query, is shown.

  FILE    what pulumi stack export printed; default: standard input
  --json  { "jobs": [...], "pendingOperations": [...] } instead of a table
`,

  async run(args) {
    const { values, positionals } = parseArguments({
      args: [...args],
      options: { json: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`One file is read at a time, and ${positionals.length} were given.`);
    const stack = readExport(...(await read(file)));
    if (values.json) print(JSON.stringify(asJson(stack), undefined, 2));
    else show(stack);
    return 0;
  },
};

async function read(file: string | undefined): Promise<[text: string, from: string]> {
  if (file === undefined) {
    const text = process.stdin.isTTY ? "" : await readStdin();
    if (text.trim() !== "") return [text, "Standard input"];
    throw new UsageError(
      process.stdin.isTTY
        ? "Nothing to read: pipe what pulumi stack export prints into this command, or name a file."
        : "Standard input is empty: did pulumi stack export fail? Name its stack with --stack.",
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
      advice: adviceForPending(pending, stack),
    })),
  };
}

const asJsonJob = (job: DeclaredJob) => ({
  resource: job.resource,
  urn: job.urn,
  type: job.kind.resource,
  tableOrQuery: subjectOf(job) ?? null,
  schedule: scheduleOf(job),
});

function show(stack: StackExport): void {
  const { jobs: known, pending } = stack;
  if (known.length === 0) print("This stack knows no jobs of pulumi-data-connectivity.");
  else showTable(known);

  const doubtful = known.filter((job) => adviceFor(job) !== undefined);
  if (doubtful.length > 0) {
    print("", red(`${counted(doubtful.length, "job needs", "jobs need")} your attention:`));
    for (const job of doubtful) showAdvice(job, adviceFor(job) ?? []);
  }
  if (pending.length > 0) {
    print("", red(`A run was killed and left ${counted(pending.length, "operation")} open:`));
    for (const operation of pending) showAdvice(operation, adviceForPending(operation, stack));
  }
}

function showTable(known: readonly KnownJob[]): void {
  const withAccounts = known.some(({ origin }) => origin?.account !== undefined);
  const row = (job: KnownJob) => [
    job.resource,
    job.jobId ?? "-",
    job.kind.resource,
    subjectOf(job) ?? "-",
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

function showAdvice({ resource, kind }: DeclaredJob, advice: readonly string[]): void {
  print("", bold(`  ${kind.resource} ${JSON.stringify(resource)}`), ...advice.map((line) => `    ${printable(line)}`));
}
