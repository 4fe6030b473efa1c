import { listJobs } from "../client/lists.js";
import type { Input } from "./command.js";
import type { Context } from "./context.js";
import { importFileFor, programFor } from "./newResources.js";
import {
  accountsOf,
  type Asked,
  askEach,
  declaredProviders,
  howToSet,
  modeCreate,
  orLacking,
  toAllow,
} from "./accounts.js";
import { ownerIn, type ServiceJob, serviceJobAsJson, serviceJobTable } from "./serviceJobs.js";
import { type Providers, readExports, sharedJobs, sharedText } from "./stackExport.js";
import { readStackSettings, type StackOptions } from "./stackSettings.js";
import type { TableFormat } from "./text.js";

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
  const accounts = options.all
    ? await accountsOfStacks(context, inputs, options)
    : await accountsOfStack(context, stack?.providers, options);
  const { entries, notListed, isAnyListed, exitCode } = await listAll(context, accounts);
  const jobs = unique(entries).map((job) => ({ ...job, owner: stack && ownerIn(stack, job) }));
  const lacking = { jobs, stack };
  if (options.json) context.printJson({ jobs: exitCode === 0 ? jobs.map(serviceJobAsJson) : undefined, notListed });
  else if (!isAnyListed) return exitCode;
  else if (options["as-import"]) {
    const { text, notes } = importFileFor(lacking);
    for (const note of notes) context.complain(note);
    context.print(text);
  } else context.print(...(options["as-program"] ? programFor(lacking) : serviceJobTable(jobs, stack, options.format)));
  for (const shared of stack === undefined ? [] : sharedJobs(stack)) context.complain(sharedText(shared));
  return exitCode;
}

/** An account, and how to set its mode. */
interface Account extends Asked {
  readonly howToSet: (mode: "all" | "create", before?: string) => string;
}

async function accountsOfStack(
  context: Context,
  providers: Providers | undefined,
  options: StackOptions,
): Promise<Account[]> {
  const source = await readStackSettings(context, options);
  return accountsOf(context, source, providers).map((one) => ({
    ...one,
    howToSet: (mode: "all" | "create", before?: string) => howToSet(mode, one, source, options, before),
  }));
}

/** The accounts of several stacks, each with the settings and the providers of its own stack. */
async function accountsOfStacks(context: Context, inputs: readonly Input[], options: Options): Promise<Account[]> {
  // The working directory changes with the first one.
  const cwd = context.pathOf(options.cwd ?? ".");
  const accounts: Account[] = [];
  for (const { stack } of inputs) {
    const of = { stack, cwd };
    const source = await readStackSettings(context, of);
    const providers = await declaredProviders(source, context.complain);
    const asked = accountsOf(context, source, providers);
    accounts.push(
      ...asked.map((one) => ({
        ...one,
        howToSet: (mode: "all" | "create", before?: string) => howToSet(mode, one, source, of, before),
      })),
    );
  }
  return accounts;
}

function listAll(context: Context, accounts: readonly Account[]) {
  return askEach<Account, ServiceJob>(context, accounts, async (service, asked) => {
    const { account } = service;
    if (!account.mode.canRead)
      return {
        isDeclined: true,
        what: "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.",
        fix: asked.howToSet("all", toAllow),
      };
    const list = await listJobs(service);
    if (list.kind === "failed") return orLacking(service, list, modeCreate(asked.howToSet("create")));
    return list.entries.map((record) => ({ record, account, provider: asked.provider, owner: undefined }));
  });
}

/** Each job once: two accounts at one address can list the same job, which then belongs to the first account. */
function unique(jobs: readonly ServiceJob[]): ServiceJob[] {
  const known = new Map<string, ServiceJob>();
  for (const job of jobs) {
    const key = JSON.stringify([job.account.baseUrl, job.record.job.id]);
    known.set(key, known.get(key) ?? job);
  }
  return [...known.values()];
}
