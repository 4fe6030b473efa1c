import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { notListedMembers, sourcesIfLacking } from "./accounts.js";
import { command, type Input, InputError, readInput, standardInput, UsageError, type Values } from "./command.js";
import type { Context } from "./context.js";
import { serviceJobMembers } from "./serviceJobs.js";
import { adviceFor, jobsToLookFor, lookFor, pendingTable, stepsAfterKilledRun } from "./advice.js";
import {
  type DeclaredJob,
  type KnownJob,
  readExports,
  scheduleOf,
  sharedJobs,
  sharedText,
  type StackExport,
  stackOf,
  tableOrQueryOf,
} from "./stackExport.js";
import { exportAllStacks, stackOptions } from "./stackSettings.js";
import { bold, counted, dim, printable, red, table, type TableFormat } from "./text.js";

const jobMembers = { stack: "", resource: "", urn: "", type: "", tableOrQuery: "", schedule: "" };

const options = {
  json: stackOptions.json,
  check: {
    type: "boolean",
    default: false,
    help: "exit code 1 if a job is unconfirmed or a killed run left an operation on a job open, or two resources have one job",
  },
  "at-service": {
    type: "boolean",
    default: false,
    help: "list the jobs at the service for every configured account, with one request each; also for the providers that the program declares, if the export was made with --show-secrets",
  },
  "as-program": {
    type: "boolean",
    default: false,
    help: "print TypeScript that adopts the jobs that the stack does not have; it shows all of params",
  },
  "as-import": {
    type: "boolean",
    default: false,
    help: "print a file for pulumi import --file, which brings those jobs into a stack of the plugin",
  },
  all: {
    type: "boolean",
    default: false,
    help: "export all stacks of the project with the pulumi CLI, in place of FILE; with --at-service, ask the accounts of each",
  },
  format: {
    type: "string",
    value: "FORMAT",
    default: "table",
    help: "print tables as markdown, for a comment or a wiki; default: table",
  },
  stack: stackOptions.stack,
  cwd: stackOptions.cwd,
} as const;

export const jobs = command({
  summary:
    "Lists the jobs of a stack: pulumi stack export | pulumi-data-connectivity jobs. With --at-service: lists the jobs at the service, and can generate code that adopts those that a stack does not have",
  calls: [
    "pulumi stack export | pulumi-data-connectivity jobs [FILE... | --all] [--check] [--json\u00a0|\u00a0--format\u00a0markdown]",
    "pulumi-data-connectivity jobs --at-service [FILE... | --all] [--json\u00a0|\u00a0--format\u00a0markdown\u00a0|\u00a0--as-program\u00a0|\u00a0--as-import] [--stack\u00a0NAME] [--cwd\u00a0DIR]",
    "pulumi stack export | pulumi-data-connectivity jobs --at-service -",
  ],
  about: [
    'Lists the jobs of a stack, and says what to do about unconfirmed jobs and after a killed run. Sends nothing. Save the list before you destroy a stack whose jobs stay at the service. Of params it shows only the table or the name of the query, and a secret as "(secret)".',
    "With several stacks, it says which stack has each job. A job in two stacks is a danger, and named as one.",
    "With --at-service, it lists the jobs that the service has, with their connections and last runs as the service reports them. This needs jobOperations: all. With an export, in FILE or on standard input (-), it also shows which resource of the stack has each job.",
  ],
  operand: {
    name: "FILE",
    many: true,
    help: "the output of pulumi stack export, once for each stack, or a folder of such files, named *.json; - is standard input, the default without --at-service",
  },
  options,
  forms: {
    "": {
      answers: "Which creates of a stack are unconfirmed or were interrupted? Reads `pulumi stack export`",
      requests: [],
      json: {
        jobs: [{ ...jobMembers, jobId: "", service: "", account: "", outcome: "", since: "", advice: "" }],
        pendingOperations: [{ ...jobMembers, operation: "", jobsToLookFor: "" }],
        sharedJobs: [{ jobId: "", urns: "" }],
        steps: "",
      },
    },
    "--at-service": {
      answers:
        "Which jobs does the service have, and how did the last run of each end? Needs [mode `all`](all-operations.md)",
      requests: ["GET /api/job/list", sourcesIfLacking],
      json: { jobs: [serviceJobMembers], notListed: [notListedMembers] },
    },
  },
  fails: "if a list is missing, an input cannot be used or --check finds something",
  example: ["pulumi stack export --stack dev | pulumi-data-connectivity jobs --check"],

  async run(context, values, files) {
    refuseCombinations(values, files);
    const format = formatOf(values.format);
    if (values["at-service"]) {
      const { jobsAtService } = await import("./jobsAtService.js");
      // Files are read before it changes the working directory, because their names may be relative.
      const inputs = values.all || files.length > 0 ? await readAll(context, files, values) : [];
      return jobsAtService(context, inputs, { ...values, format });
    }
    const stack = readExports(await readAll(context, files, values));
    if (values.json) context.printJson(asJson(stack));
    else context.print(...tablesOf(stack, format));
    const allClear =
      stack.pending.length === 0 && needingAttention(stack).length === 0 && sharedJobs(stack).length === 0;
    return values.check && !allClear ? 1 : 0;
  },
});

/** The exports: of all stacks, of the files, or on standard input. */
async function readAll(
  context: Context,
  files: readonly string[],
  values: Values<typeof options>,
): Promise<readonly Input[]> {
  if (values.all) return exportAllStacks(context, values);
  const inputs: Input[] = [];
  for (const file of files.length === 0 ? [standardInput] : files.flatMap((name) => filesIn(context, name)))
    inputs.push(await readInput(context, file));
  return inputs;
}

/** A file, or the files of a folder. */
function filesIn({ pathOf }: Context, file: string): string[] {
  if (file === standardInput || !statSync(pathOf(file), { throwIfNoEntry: false })?.isDirectory()) return [file];
  const found = readdirSync(pathOf(file)).filter((name) => name.endsWith(".json"));
  if (found.length > 0) return found.sort().map((name) => join(file, name));
  throw new InputError(`The folder ${file} has no file *.json.`);
}

function formatOf(format: string): TableFormat {
  if (format === "table" || format === "markdown") return format;
  throw new UsageError(`--format is ${JSON.stringify(format)}. Accepted: table or markdown.`);
}

/** Refuses options that would have no effect: they must be mistakes. */
function refuseCombinations(values: Values<typeof options>, files: readonly string[]): void {
  const { all, check, json, "as-program": asProgram, "as-import": asImport, "at-service": atService } = values;
  if (!atService && (asProgram || asImport || values.stack !== undefined))
    throw new UsageError("--as-program, --as-import and --stack need --at-service.");
  if (!atService && !all && values.cwd !== undefined) throw new UsageError("--cwd needs --at-service or --all.");
  if (all && (files.length > 0 || values.stack !== undefined))
    throw new UsageError("--all cannot be used with a file or --stack.");
  const forms = [json, asProgram, asImport, values.format !== "table"].filter(Boolean).length;
  if (atService && check) throw new UsageError("--check reads exports alone: it cannot be used with --at-service.");
  if (forms > 1) throw new UsageError("--json, --format, --as-program and --as-import cannot be used together.");
}

const asJson = (stack: StackExport) => ({
  jobs: stack.jobs.map((job) => ({
    ...asJsonJob(job),
    jobId: job.jobId,
    service: job.origin?.baseUrl,
    account: job.origin?.account,
    outcome: job.origin?.outcome,
    since: job.origin?.at,
    advice: adviceFor(job),
  })),
  pendingOperations: stack.pending.map((pending) => ({
    ...asJsonJob(pending),
    operation: pending.operation,
    jobsToLookFor: jobsToLookFor[lookFor(pending)],
  })),
  sharedJobs: sharedJobs(stack).map(({ jobId, resources }) => ({ jobId, urns: resources.map(({ urn }) => urn) })),
  steps: stepsAfterKilledRun(stack),
});

const asJsonJob = (job: DeclaredJob) => ({
  stack: stackOf(job),
  resource: job.resource,
  urn: job.urn,
  type: job.kind.resource,
  tableOrQuery: tableOrQueryOf(job),
  schedule: scheduleOf(job.declared),
});

/** Jobs that are unconfirmed or whose state is damaged. */
const needingAttention = ({ jobs }: StackExport): KnownJob[] => jobs.filter((job) => adviceFor(job).length > 0);

function tablesOf(stack: StackExport, format: TableFormat): string[] {
  const advice = (line: string) => `    ${printable(line)}`;
  const attention = needingAttention(stack);
  const title = `A run was killed and left ${counted(stack.pending.length, "operation")} on jobs open:`;
  return [
    ...(stack.jobs.length === 0
      ? ["This stack has no jobs of pulumi-data-connectivity."]
      : jobTable(stack.jobs, format)),
    ...sharedJobs(stack).flatMap((shared) => ["", red(printable(sharedText(shared)))]),
    ...(attention.length === 0
      ? []
      : ["", red(`${counted(attention.length, "job needs", "jobs need")} your attention:`)]),
    ...attention.flatMap((job) => ["", bold(`  ${job.label}`), ...adviceFor(job).map(advice)]),
    ...(stack.pending.length === 0
      ? []
      : ["", red(title), "", ...pendingTable(stack.pending, format), "", "  What to do, once for all of them:"]),
    ...stepsAfterKilledRun(stack).map(advice),
  ];
}

function jobTable(known: readonly KnownJob[], format: TableFormat): string[] {
  const isOneStack = new Set(known.map(stackOf)).size === 1;
  const rows = known.map((job) => ({
    STACK: isOneStack ? undefined : stackOf(job),
    RESOURCE: job.resource,
    "JOB ID": job.jobId,
    TYPE: job.kind.resource,
    "TABLE OR QUERY": tableOrQueryOf(job),
    SCHEDULE: scheduleOf(job.declared),
    SERVICE: job.origin?.baseUrl,
    ACCOUNT: job.origin?.account,
    OUTCOME: job.origin?.outcome,
    SINCE: job.origin?.at,
  }));
  return [...table(rows, ["STACK", "ACCOUNT"], format), dim(counted(known.length, "job"))];
}
