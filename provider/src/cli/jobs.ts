import { commandOptions, stackConfigurationOf } from "../config/index.js";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { requestOf } from "../client/calls.js";
import type { MachineTime } from "../client/clock.js";
import type { Declaration, IsPlain } from "../jobs/index.js";
import { instantOf } from "../dateTime.js";
import { membersOf } from "../json.js";
import {
  adoptIt,
  descriptionOf,
  lookFor,
  seeWhetherItRuns,
  stillUnconfirmed,
  upWill,
} from "../lifecycle/texts/shared.js";
import { sentText } from "../lifecycle/texts/unconfirmed.js";
import { sourcesIfLacking } from "./accounts.js";
import { command, type Input, InputError, readInput, standardInput, UsageError, type Values } from "./command.js";
import type { Context } from "./context.js";
import { table, type TableFormat } from "./document.js";
import { doubledSources, ofSecretSource, type DoubledSource, doubledText } from "./duplicates.js";
import { problemNames } from "./problems.js";
import { type Failing, goodStatuses, wordOf } from "./runStatus.js";
import { serviceMembers } from "./serviceJobs.js";
import {
  isHidden,
  type KnownJob,
  asOne,
  refuseDoubled,
  readExport,
  sharedJobs,
  sharedText,
  stackNames,
  type StackExport,
} from "./stackExport.js";
import { stackOptions } from "./stackSettings.js";
import { bold, counted, dim, printable, red } from "./text.js";

const jobMembers = {
  stack: "STACK",
  project: "",
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
const members = {
  jobs: [jobMembers],
  sharedJobs: [{ jobId: "", urns: "" }],
  sharedSources: [{ jobIds: "", urns: "" }],
} as const;

const options = {
  json: stackOptions.json,
  check: {
    type: "boolean",
    default: false,
    help: "exit code 1 if a job is unconfirmed, two resources have one job, or two jobs have one source; with --at-service: only the jobs with a problem of any kind; exit code 1 if there are any",
  },
  "at-service": {
    type: "boolean",
    default: false,
    help: "list the jobs at the service for every configured account, with one request each; also for the providers that the program declares, if the export was made with --show-secrets",
  },
  failed: {
    type: "boolean",
    default: false,
    help: "with --at-service: only the jobs whose last run failed, that should have run and did not, or that the stack has and the service does not; exit code 1 if there are any",
  },
  since: {
    type: "string",
    value: "TIME",
    help: "with --at-service: only failures of runs since then: 24h, 7d, a date (from 00:00 UTC) or a date-time with its zone",
  },
  good: {
    type: "string",
    value: "STATUS",
    multiple: true,
    help: `with --at-service: the statuses that are not failures, in any spelling; default: ${goodStatuses.join(", ")}`,
  },
  ignore: {
    type: "string",
    value: "PROBLEM",
    multiple: true,
    help: `with --at-service and --check: what counts as no problem: ${problemNames.join(", ")}`,
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
    help: "export all stacks of the project with the pulumi CLI; FILE is then a project's folder, or a folder of projects. With --at-service, ask the accounts of each stack with its own settings",
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
    'Lists the jobs of a stack, and says what to do about unconfirmed jobs. Sends nothing. Save the list before you destroy a stack whose jobs stay at the service. Of params it shows only the table or the name of the query, and a secret as "(secret)".',
    "With several stacks, it says which stack has each job. It warns of a job in two stacks.",
    "With --at-service, it lists the jobs that the service has, with their connections and last runs as the service reports them. This needs jobOperations: all. With an export, in FILE or on standard input (-), it also shows which resource of the stack has each job, and which jobs of the stack the service does not have.",
    `A job's problem is one of: ${problemNames.join(", ")}. A finished run counts as failed unless its status is known to be good. A job did not run (overdue) if it is enabled and its next run is more than one interval in the past, by the service's clock. An orphan is in no stack; it is known only with --all. Use --failed as the alert of a night, and --check for all problems.`,
  ],
  operand: {
    name: "FILE",
    many: true,
    help: "the output of pulumi stack export, once for each stack, or a folder of such files, named *.json; - is standard input, the default without --at-service",
  },
  options,
  forms: {
    "": {
      answers: "Which jobs does a stack have, and which creates are unconfirmed? Reads `pulumi stack export`",
      requests: [],
      json: members,
    },
    "--at-service": {
      answers:
        "Which jobs does the service have, how did their last runs end, and what is wrong with them? Needs [mode `all`](all-operations.md)",
      requests: [requestOf("list"), sourcesIfLacking],
      json: serviceMembers,
    },
  },
  fails: "if a list is missing, an input cannot be used, or --check or --failed finds something",
  example: [
    "pulumi stack export --stack dev | pulumi-data-connectivity jobs --check",
    "pulumi-data-connectivity jobs --at-service --failed --since 24h",
    "pulumi-data-connectivity jobs --at-service --all --check --since 24h",
  ],

  async run(context, values, files) {
    refuseCombinations(values, files);
    const format = formatOf(values.format);
    const failing = failingOf(values, context.host.clock.wall());
    const folders = files.length > 0 ? files : [values.cwd ?? "."];
    if (values["at-service"]) {
      const { jobsAtService } = await import("./jobsAtService.js");
      const { allParts, onePart } = await import("./parts.js");
      const exports = values.all || files.length === 0 ? [] : await readAll(context, files);
      const asked = values.all ? await allParts(context, folders) : await onePart(context, exports, values);
      return jobsAtService(context, asked, { ...values, format, failing });
    }
    const first = asOne(values.all ? await exportAll(context, folders) : await readAll(context, files));
    // One stack may be read before `pulumi state move`, and the other one after it.
    const isDoubtful = values.all && sharedJobs(first).length + doubledSources(first).length > 0;
    const stack = isDoubtful ? asOne(await exportAll(context, folders)) : first;
    const jobs = stack.jobs.map((job) => ({ ...job, advice: adviceFor(job) }));
    const shared = sharedJobs(stack);
    const doubled = doubledSources(stack);
    if (values.json) {
      const urnsOf = ({ resources }: DoubledSource) => resources.map(({ urn }) => urn);
      context.printJson(members, {
        jobs,
        sharedJobs: shared.map((one) => ({ jobId: one.jobId, urns: urnsOf(one) })),
        sharedSources: doubled.map((one) => ({ jobIds: one.resources.map(({ jobId }) => jobId), urns: urnsOf(one) })),
      });
    } else context.print(...tablesOf(jobs, [...shared.map(sharedText), ...doubled.map(doubledText)], format));
    const hidden = values.check ? ofSecretSource(stack) : [];
    if (hidden.length > 0)
      context.complain(
        `Whether another job has the same source is not known of ${counted(hidden.length, "job")}, whose params are secrets of the program: ${hidden.map(({ label }) => label).join(", ")}. Pipe the export instead: pulumi stack export --show-secrets`,
      );
    const isFound = shared.length + doubled.length > 0 || jobs.some(({ advice }) => advice.length > 0);
    return values.check && isFound ? 1 : 0;
  },
});

/** The exports in files, or on standard input. */
async function readAll(context: Context, files: readonly string[]): Promise<readonly StackExport[]> {
  const inputs: Input[] = [];
  for (const file of files.length === 0 ? [standardInput] : files.flatMap((name) => filesIn(context, name)))
    inputs.push(await readInput(context, file));
  return refuseDoubled(inputs.map(readExport));
}

/** @throws InputError if a stack cannot be exported. */
async function exportAll(context: Context, folders: readonly string[]): Promise<readonly StackExport[]> {
  const { stacksIn, exportStacks } = await import("./allStacks.js");
  const found = await stacksIn(context, folders);
  return exportStacks(context, found);
}

/** A file, or the files of a folder. */
function filesIn({ pathOf }: Context, file: string): string[] {
  if (file === standardInput || !statSync(pathOf(file), { throwIfNoEntry: false })?.isDirectory()) return [file];
  const found = readdirSync(pathOf(file)).filter((name) => name.endsWith(".json"));
  if (found.length > 0) return found.sort().map((name) => join(file, name));
  throw new InputError(`The folder ${file} has no file *.json.`);
}

function failingOf({ since, good = [...goodStatuses] }: Values<typeof options>, now: MachineTime): Failing {
  const empty = good.find((status) => wordOf(status) === "");
  if (empty !== undefined)
    throw new UsageError(`--good is ${JSON.stringify(empty)}. Accepted: a status, such as SUCCESS.`);
  return { good, since: since === undefined ? undefined : sinceOf(since, now) };
}

const hoursOf: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };

/** The start of the time that counts, by the service's clock. `now`: this machine's time, to refuse one in the future. */
function sinceOf(text: string, now: MachineTime): NonNullable<Failing["since"]> {
  const [, count, unit = ""] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return (serviceNow) => serviceNow.ms - Number(count) * (hoursOf[unit] ?? 0) * 3_600_000;
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : (instantOf(text) ?? NaN);
  if (Number.isNaN(instant))
    throw new UsageError(
      `--since is ${JSON.stringify(text)}. Accepted: a number of hours, days or weeks (24h, 7d, 2w), a date (2026-11-25) or a date-time with its zone (2026-11-25T22:00:00Z).`,
    );
  if (instant > now.ms) throw new UsageError(`--since is ${JSON.stringify(text)}, which is in the future.`);
  return () => instant;
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
  const { failed, since, good, ignore } = values;
  if (!atService && failed) throw new UsageError("--failed needs --at-service.");
  if (!atService && (since !== undefined || good !== undefined))
    throw new UsageError("--since and --good need --at-service.");
  if (ignore !== undefined && !(atService && check)) throw new UsageError("--ignore needs --at-service and --check.");
  const unknown = ignore?.find((name) => !problemNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`--ignore is ${JSON.stringify(unknown)}. Accepted: ${problemNames.join(", ")}.`);
  if (failed && check) throw new UsageError("--failed cannot be used with --check, which finds more.");
  if ((failed || check || since !== undefined || good !== undefined) && (asProgram || asImport))
    throw new UsageError("--failed, --check, --since and --good cannot be used with --as-program or --as-import.");
  if (!atService && !all && values.cwd !== undefined) throw new UsageError("--cwd needs --at-service or --all.");
  if (all && values.stack !== undefined) throw new UsageError("--all cannot be used with --stack.");
  if (all && files.length > 0 && values.cwd !== undefined)
    throw new UsageError("--cwd cannot be used with --all and a folder: it is the folder.");
  const forms = [json, asProgram, asImport, values.format !== "table"].filter(Boolean).length;
  if (forms > 1) throw new UsageError("--json, --format, --as-program and --as-import cannot be used together.");
}

type ListedJob = KnownJob & { readonly advice: readonly string[] };

function tablesOf(
  jobs: readonly ListedJob[],
  duplicates: readonly (readonly string[])[],
  format: TableFormat,
): string[] {
  // Show a stack's name only if there are several stacks.
  const nameOf = stackNames(jobs);
  const rows = jobs.map((job) => ({ ...job, stack: nameOf(job) }));
  const attention = jobs.filter(({ advice }) => advice.length > 0);
  return [
    ...(jobs.length === 0
      ? ["This stack has no jobs of pulumi-data-connectivity."]
      : [...table(jobMembers, rows, format), dim(counted(jobs.length, "job"))]),
    ...duplicates.flatMap((lines) => ["", ...lines.map((line) => red(printable(line)))]),
    ...(attention.length === 0
      ? []
      : ["", red(`${counted(attention.length, "job needs", "jobs need")} your attention:`)]),
    ...attention.flatMap(({ label, advice }) => [
      "",
      bold(`  ${label}`),
      ...advice.map((line) => `    ${printable(line)}`),
    ]),
  ];
}

const isPlainIn =
  (declared: Declaration): IsPlain =>
  (member, inner) =>
    !isHidden((inner === undefined ? declared[member] : membersOf(declared[member])[inner]) ?? null);

/** What to do about a job that is unconfirmed or whose state is damaged; empty for any other job. */
function adviceFor({
  kind,
  declared,
  id,
  origin,
  isOriginHidden,
  canRead,
  killed,
  stackForCli,
  urn,
}: KnownJob): readonly string[] {
  const words = stackConfigurationOf(commandOptions({ stack: stackForCli }));
  const job = { kind, declared, isPlain: isPlainIn(declared), words };
  if (killed !== undefined)
    return [
      `Its create is unconfirmed: ${sentText(killed, true)}, so the job may exist.`,
      seeWhetherItRuns(),
      `If no run is going, look in the service for ${descriptionOf(job)}. pulumi up says how to go on, and in mode all it looks for the job itself.`,
    ];
  if (isOriginHidden)
    return [
      'Its property "origin" is a secret of the program, so its outcome cannot be read. Make the export with: pulumi stack export --show-secrets',
    ];
  if (origin === undefined)
    return ['Its state lacks the property "origin", which this package keeps in it: restore the state from a backup.'];
  if (origin.outcome !== "unconfirmed") return [];
  return [
    stillUnconfirmed({ id, origin }),
    seeWhetherItRuns(),
    upWill(canRead),
    lookFor("Look", job, origin),
    adoptIt({ urn, words }),
  ];
}
