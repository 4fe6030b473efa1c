import { listJobs } from "../client/lists.js";
import type { Input } from "./command.js";
import type { Context } from "./context.js";
import type { TableFormat } from "./document.js";
import { importFileFor, programFor } from "./newResources.js";
import { accountsOf, type Asked, askEach, declaredProviders, howToAllow, modeCreate, orLacking } from "./asked.js";
import { documentFor, ownersIn, type ServiceJob, serviceJobTable, serviceMembers } from "./serviceJobs.js";
import { readExports, sharedJobs, sharedText, type StackExport } from "./stackExport.js";
import { readStackSettings, type StackOptions } from "./stackSettings.js";

interface Options extends StackOptions {
  readonly all: boolean;
  readonly format: TableFormat;
  readonly json: boolean;
  readonly "as-program": boolean;
  readonly "as-import": boolean;
}

/**
 * Prints every account's jobs at the service, and with exports which stack has each. Resolves to the exit code: 1 if a
 * list failed or there is no list.
 */
export async function jobsAtService(context: Context, inputs: readonly Input[], options: Options): Promise<number> {
  const stack = inputs.length === 0 ? undefined : readExports(inputs);
  const accounts = await accountsToAsk(context, inputs, stack, options);
  const { lists, notListed, exitCode } = await askEach<ServiceJob>(context, accounts, jobsOf);
  const jobs = unique(lists.flat()).map((job) => ({ ...job, owners: stack === undefined ? [] : ownersIn(stack, job) }));
  const lacking = { jobs, stack };
  if (options.json)
    context.printJson(serviceMembers, { jobs: exitCode === 0 ? jobs.map(documentFor) : undefined, notListed });
  else if (lists.length === 0) return exitCode;
  else if (options["as-import"]) {
    const { text, notes } = importFileFor(lacking);
    for (const note of notes) context.complain(note);
    context.print(text);
  } else context.print(...(options["as-program"] ? programFor(lacking) : serviceJobTable(lacking, options.format)));
  for (const shared of stack === undefined ? [] : sharedJobs(stack)) context.complain(sharedText(shared));
  return exitCode;
}

/** With `--all`, the accounts of several stacks, each with the settings and the providers of its own stack. */
async function accountsToAsk(
  context: Context,
  inputs: readonly Input[],
  exported: StackExport | undefined,
  { all, stack, cwd }: Options,
): Promise<Asked[]> {
  const accounts: Asked[] = [];
  for (const name of all ? inputs.map((input) => input.stack) : [stack]) {
    const source = await readStackSettings(context, { stack: name, cwd });
    const providers = all ? await declaredProviders(source, context.complain) : exported?.providers;
    accounts.push(...accountsOf(context, source, providers));
  }
  return accounts;
}

const jobsOf: Parameters<typeof askEach<ServiceJob>>[2] = async (service, asked) => {
  const { account } = service;
  if (!account.mode.canRead)
    return {
      kind: "declined",
      what: "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.",
      fix: howToAllow(asked),
    };
  const list = await listJobs(service);
  if (list.kind === "failed") return orLacking(service, list, modeCreate(asked));
  const { provider } = asked;
  return { ...list, entries: list.entries.map((record) => ({ record, account, provider, owners: [] })) };
};

/** Each job once: two accounts at one address can list the same job, which then belongs to the first account. */
function unique(jobs: readonly ServiceJob[]): ServiceJob[] {
  const known = new Map<string, ServiceJob>();
  for (const job of jobs) {
    const key = JSON.stringify([job.account.baseUrl, job.record.job.id]);
    known.set(key, known.get(key) ?? job);
  }
  return [...known.values()];
}
