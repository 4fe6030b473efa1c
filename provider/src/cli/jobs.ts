import { notListedMembers } from "./accounts.js";
import { command, readInput, standardInput, UsageError, type Values } from "./command.js";
import type { Context } from "./context.js";
import { serviceJobMembers } from "./serviceJobs.js";
import { adviceFor, jobsToLookFor, lookFor, pendingTable, stepsAfterKilledRun } from "./advice.js";
import {
  type DeclaredJob,
  type KnownJob,
  readExport,
  scheduleOf,
  type StackExport,
  tableOrQueryOf,
} from "./stackExport.js";
import { stackOptions } from "./stackSettings.js";
import { bold, counted, dim, printable, red, table } from "./text.js";

const jobMembers = { resource: "", urn: "", type: "", tableOrQuery: "", schedule: "" };

const options = {
  json: stackOptions.json,
  check: {
    type: "boolean",
    default: false,
    help: "exit code 1 if a job is unconfirmed or a killed run left an operation on a job open; with --at-service: if pulumi up would refuse a new job of the preview, or the service does not list its connection, schema or table",
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
  stack: stackOptions.stack,
  cwd: stackOptions.cwd,
} as const;

export const jobs = command({
  summary:
    "Lists the jobs of a stack: pulumi stack export | pulumi-data-connectivity jobs. With --at-service: lists the jobs at the service, and can generate code that adopts those that a stack does not have",
  calls: [
    "pulumi stack export | pulumi-data-connectivity jobs [FILE] [--json] [--check]",
    "pulumi-data-connectivity jobs --at-service [FILE] [--json\u00a0|\u00a0--as-program\u00a0|\u00a0--as-import] [--stack\u00a0NAME] [--cwd\u00a0DIR]",
    "pulumi stack export | pulumi-data-connectivity jobs --at-service -",
    "pulumi preview --json --show-sames | pulumi-data-connectivity jobs --at-service --check -",
  ],
  about: [
    'Lists the jobs of a stack, and says what to do about unconfirmed jobs and after a killed run. Sends nothing. Save the list before you destroy a stack whose jobs stay at the service. Of params it shows only the table or the name of the query, and a secret as "(secret)".',
    "With --at-service, it lists the jobs that the service has, with their connections and last runs as the service reports them. This needs jobOperations: all. With an export, in FILE or on standard input (-), it also shows which resource of the stack has each job. With a preview and --check, it reports new jobs that pulumi up would refuse: their source already has a job, or the job that they adopt does not match the declaration. It also reports new jobs whose connection, schema or table the service does not list, and what it could not check.",
  ],
  operand: {
    name: "FILE",
    help: "the output of pulumi stack export, or with --at-service --check the output of pulumi preview --json; - is standard input, the default without --at-service",
  },
  options,
  forms: {
    "": {
      answers: "Which creates of a stack are unconfirmed or were interrupted? Reads `pulumi stack export`",
      requests: [],
      json: {
        jobs: [{ ...jobMembers, jobId: "", service: "", account: "", outcome: "", since: "", advice: "" }],
        pendingOperations: [{ ...jobMembers, operation: "", jobsToLookFor: "" }],
        steps: "",
      },
    },
    "--at-service": {
      answers:
        "Which jobs does the service have, and how did the last run of each end? Needs [mode `all`](all-operations.md)",
      requests: ["GET /api/job/list"],
      json: { jobs: [serviceJobMembers], notListed: [notListedMembers] },
    },
  },
  fails: "if a list is missing, an input cannot be used or --check finds something",
  example: ["pulumi stack export --stack dev | pulumi-data-connectivity jobs --check"],

  async run(context, values, given) {
    const file = given ?? standardInput;
    const hasFile = given !== undefined;
    refuseCombinations(values);
    if (values["at-service"]) {
      const { checkPreview, jobsAtService } = await import("./jobsAtService.js");
      // FILE is read before either changes the working directory, because FILE may be a relative path.
      if (values.check) return checkPreview(context, await readInput(context, file, "preview"), values);
      return jobsAtService(context, hasFile ? await readStack(context, file) : undefined, values);
    }
    const stack = await readStack(context, file);
    if (values.json) context.printJson(asJson(stack));
    else context.print(...tablesOf(stack));
    const allClear = stack.pending.length === 0 && needingAttention(stack).length === 0;
    return values.check && !allClear ? 1 : 0;
  },
});

const readStack = async (context: Context, file: string): Promise<StackExport> =>
  readExport(await readInput(context, file, "export"));

/** Refuses options that would have no effect: they must be mistakes. */
function refuseCombinations(values: Values<typeof options>): void {
  const { "as-program": asProgram, "as-import": asImport, stack, cwd } = values;
  const needService = asProgram || asImport || stack !== undefined || cwd !== undefined;
  if (!values["at-service"] && needService)
    throw new UsageError("--as-program, --as-import, --stack and --cwd need --at-service.");
  const forms = [values.json, asProgram, asImport].filter(Boolean).length;
  if (values["at-service"] && values.check && forms > 0)
    throw new UsageError("--at-service --check cannot be used with --json, --as-program or --as-import.");
  if (forms > 1) throw new UsageError("--json, --as-program and --as-import cannot be used together.");
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
  steps: stepsAfterKilledRun(stack),
});

const asJsonJob = (job: DeclaredJob) => ({
  resource: job.resource,
  urn: job.urn,
  type: job.kind.resource,
  tableOrQuery: tableOrQueryOf(job),
  schedule: scheduleOf(job.declared),
});

/** Jobs that are unconfirmed or whose state is damaged. */
const needingAttention = ({ jobs }: StackExport): KnownJob[] => jobs.filter((job) => adviceFor(job).length > 0);

function tablesOf(stack: StackExport): string[] {
  const advice = (line: string) => `    ${printable(line)}`;
  const attention = needingAttention(stack);
  const title = `A run was killed and left ${counted(stack.pending.length, "operation")} on jobs open:`;
  return [
    ...(stack.jobs.length === 0 ? ["This stack has no jobs of pulumi-data-connectivity."] : jobTable(stack.jobs)),
    ...(attention.length === 0
      ? []
      : ["", red(`${counted(attention.length, "job needs", "jobs need")} your attention:`)]),
    ...attention.flatMap((job) => ["", bold(`  ${job.label}`), ...adviceFor(job).map(advice)]),
    ...(stack.pending.length === 0
      ? []
      : ["", red(title), "", ...pendingTable(stack.pending), "", "  What to do, once for all of them:"]),
    ...stepsAfterKilledRun(stack).map(advice),
  ];
}

function jobTable(known: readonly KnownJob[]): string[] {
  const rows = known.map((job) => ({
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
  return [...table(rows, ["ACCOUNT"]), dim(counted(known.length, "job"))];
}
