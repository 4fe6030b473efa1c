import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sourcesIfLacking } from "./accounts.js";
import { adviceFor, isResend, jobsToLookFor, stepsAfterKilledRun } from "./advice.js";
import { command, type Input, InputError, readInput, standardInput, UsageError, type Values } from "./command.js";
import type { Context } from "./context.js";
import { table, type TableFormat } from "./document.js";
import { serviceMembers } from "./serviceJobs.js";
import {
  type DeclaredJob,
  isOfOneStack,
  readExports,
  sharedJobs,
  sharedText,
  type StackExport,
} from "./stackExport.js";
import { exportAllStacks, stackOptions } from "./stackSettings.js";
import { bold, counted, dim, printable, red } from "./text.js";

const jobMembers = {
  stack: "STACK",
  resource: "RESOURCE",
  urn: "",
  jobId: "JOB ID",
  type: "TYPE",
  tableOrQuery: "TABLE OR QUERY",
  schedule: "SCHEDULE",
  service: "SERVICE",
  account: "ACCOUNT",
  outcome: "OUTCOME",
  since: "SINCE",
  advice: "",
} as const;
const pendingMembers = {
  stack: "STACK",
  resource: "RESOURCE",
  urn: "",
  type: "TYPE",
  tableOrQuery: "TABLE OR QUERY",
  schedule: "SCHEDULE",
  account: "ACCOUNT",
  operation: "KILLED WHILE",
  jobsToLookFor: "LOOK FOR",
} as const;
const members = {
  jobs: [jobMembers],
  pendingOperations: [pendingMembers],
  sharedJobs: [{ jobId: "", urns: "" }],
  steps: "",
} as const;

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
      json: members,
    },
    "--at-service": {
      answers:
        "Which jobs does the service have, and how did the last run of each end? Needs [mode `all`](all-operations.md)",
      requests: ["GET /api/job/list", sourcesIfLacking],
      json: serviceMembers,
    },
  },
  fails: "if a list is missing, an input cannot be used or --check finds something",
  example: ["pulumi stack export --stack dev | pulumi-data-connectivity jobs --check"],

  async run(context, values, files) {
    refuseCombinations(values, files);
    const format = formatOf(values.format);
    if (values["at-service"]) {
      const { jobsAtService } = await import("./jobsAtService.js");
      const inputs = values.all || files.length > 0 ? await readAll(context, files, values) : [];
      return jobsAtService(context, inputs, { ...values, format });
    }
    const stack = readExports(await readAll(context, files, values));
    if (values.json)
      context.printJson(members, {
        jobs: jobsOf(stack),
        pendingOperations: pendingOf(stack),
        sharedJobs: sharedJobs(stack).map(({ jobId, resources }) => ({ jobId, urns: resources.map(({ urn }) => urn) })),
        steps: stepsAfterKilledRun(stack),
      });
    else context.print(...tablesOf(stack, format));
    const isFound =
      stack.pending.length > 0 || jobsOf(stack).some(({ advice }) => advice.length > 0) || sharedJobs(stack).length > 0;
    return values.check && isFound ? 1 : 0;
  },
});

/** The exports: of all stacks, of the files, or on standard input. */
async function readAll(
  context: Context,
  files: readonly string[],
  values: Values<typeof options>,
): Promise<readonly Input[]> {
  if (values.all) return exportAllStacks(context, values.cwd);
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

const jobsOf = ({ jobs }: StackExport) => jobs.map((job) => ({ ...job, advice: adviceFor(job) }));

const pendingOf = ({ pending }: StackExport) => pending.map((one) => ({ ...one, jobsToLookFor: jobsToLookFor(one) }));

function tablesOf(stack: StackExport, format: TableFormat): string[] {
  const lines = (texts: readonly string[]) => texts.map((line) => `    ${printable(line)}`);
  const jobs = jobsOf(stack);
  const attention = jobs.filter(({ advice }) => advice.length > 0);
  return [
    ...(jobs.length === 0
      ? ["This stack has no jobs of pulumi-data-connectivity."]
      : [...table(jobMembers, withoutOneStack(jobs), format), dim(counted(jobs.length, "job"))]),
    ...sharedJobs(stack).flatMap((shared) => ["", red(printable(sharedText(shared)))]),
    ...(attention.length === 0
      ? []
      : ["", red(`${counted(attention.length, "job needs", "jobs need")} your attention:`)]),
    ...attention.flatMap(({ label, advice }) => ["", bold(`  ${label}`), ...lines(advice)]),
    ...(stack.pending.length === 0 ? [] : pendingTable(stack, format)),
    ...lines(stepsAfterKilledRun(stack)),
  ];
}

function pendingTable(stack: StackExport, format: TableFormat): string[] {
  const rows = withoutOneStack(pendingOf(stack)).map((one) => ({
    ...one,
    operation: isResend(one) ? "resending it" : one.operation,
    jobsToLookFor: ["nothing", "1 job", "up to 2 jobs"][one.jobsToLookFor],
  }));
  const title = `A run was killed and left ${counted(rows.length, "operation")} on jobs open:`;
  const lines = table(pendingMembers, rows, format).map((line) => (format === "table" ? `  ${line}` : line));
  return ["", red(title), "", ...lines, "", "  What to do, once for all of them:"];
}

/** The name of a stack is shown only beside that of another. */
const withoutOneStack = <Job extends DeclaredJob>(jobs: readonly Job[]) =>
  isOfOneStack(jobs) ? jobs.map((job) => ({ ...job, stack: undefined })) : jobs;
