import { type Command, parseArguments, readInput, standardInput, UsageError } from "./command.js";
import { adviceFor, jobsToLookFor, lookFor, pendingTable, stepsAfterKilledRun } from "./advice.js";
import {
  type DeclaredJob,
  type KnownJob,
  readExport,
  scheduleOf,
  type StackExport,
  tableOrQueryOf,
} from "./stackExport.js";
import { type StackOptions, stackOptions } from "./stackSettings.js";
import { bold, counted, dim, print, printable, printJson, red, table } from "./text.js";

const options = {
  ...stackOptions,
  check: { type: "boolean", default: false },
  "at-service": { type: "boolean", default: false },
  "as-program": { type: "boolean", default: false },
  "as-import": { type: "boolean", default: false },
} as const;

export const jobs: Command = {
  usage: `Usage: pulumi stack export | pulumi-data-connectivity jobs [FILE] [--json] [--check]
       pulumi-data-connectivity jobs --at-service [FILE] [--json | --as-program | --as-import]
                                            [--stack NAME] [--cwd DIR]
       pulumi stack export | pulumi-data-connectivity jobs --at-service -
       pulumi preview --json --show-sames | pulumi-data-connectivity jobs --at-service --check -

Lists the jobs of a stack, and says what to do about unconfirmed jobs and after a killed run. Sends
nothing. Save the list before you destroy a stack whose jobs stay at the service. Of params it shows
only the table or the name of the query, and a secret as "(secret)".

With --at-service, it lists the jobs that the service has, with their connections and last runs as
the service reports them. This needs jobOperations: all. With an export, in FILE or on standard
input (-), it also shows which resource of the stack has each job. With a preview and --check, it
reports new jobs that pulumi up would refuse: their source already has a job, or the job that they
adopt does not match the declaration. It also reports new jobs whose connection, schema or table the
service does not list, and what it could not check.

  FILE          the output of pulumi stack export, or with --at-service --check the output of
                pulumi preview --json; - is standard input, the default without --at-service
  --json        print JSON instead of tables
  --check       exit code 1 if a job is unconfirmed or a killed run left an operation on a job open;
                with --at-service: if pulumi up would refuse a new job of the preview, or the
                service does not list its connection, schema or table
  --at-service  list the jobs at the service for every configured account, with one request each;
                also for the providers that the program declares, if the export was made with
                --show-secrets
  --as-program  print TypeScript that adopts the jobs that the stack does not have; it shows all of
                params
  --as-import   print a file for pulumi import --file, which brings those jobs into a stack of the
                plugin
  --stack NAME  read this stack's configuration; default: the selected stack of the project
  --cwd DIR     the project's folder, or a folder inside it; default: the current one

Exit code 0; 1 if a list is missing, an input cannot be used or --check finds something; 2 if the
command was mistyped.

Example: pulumi stack export --stack dev | pulumi-data-connectivity jobs --check
`,

  async run(args) {
    const { values, positionals } = parseArguments({ args, options, allowPositionals: true });
    const [file = standardInput] = positionals;
    const hasFile = positionals.length > 0;
    if (positionals.length > 1)
      throw new UsageError(`Expected one file at most, and ${positionals.length} were given.`);
    refuseCombinations(values);
    if (values["at-service"]) {
      const { checkPreview, jobsAtService } = await import("./jobsAtService.js");
      // FILE is read before either changes the working directory, because FILE may be a relative path.
      if (values.check) return checkPreview(await readInput(file, "preview"), values);
      return jobsAtService(hasFile ? await readStack(file) : undefined, values);
    }
    const stack = await readStack(file);
    if (values.json) printJson(asJson(stack));
    else printTables(stack);
    const allClear = stack.pending.length === 0 && needingAttention(stack).length === 0;
    return values.check && !allClear ? 1 : 0;
  },
};

const readStack = async (file: string): Promise<StackExport> => readExport(await readInput(file, "export"));

type Values = Readonly<Record<Exclude<keyof typeof options, "stack" | "cwd">, boolean>> & StackOptions;

/** Refuses options that would have no effect: they must be mistakes. */
function refuseCombinations(values: Values): void {
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

function printTables(stack: StackExport): void {
  const advice = (line: string) => `    ${printable(line)}`;
  print(...(stack.jobs.length === 0 ? ["This stack has no jobs of pulumi-data-connectivity."] : jobTable(stack.jobs)));
  const attention = needingAttention(stack);
  if (attention.length > 0) print("", red(`${counted(attention.length, "job needs", "jobs need")} your attention:`));
  for (const job of attention) print("", bold(`  ${job.label}`), ...adviceFor(job).map(advice));
  if (stack.pending.length === 0) return;
  const title = `A run was killed and left ${counted(stack.pending.length, "operation")} on jobs open:`;
  print("", red(title), "", ...pendingTable(stack.pending), "", "  What to do, once for all of them:");
  print(...stepsAfterKilledRun(stack).map(advice));
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
