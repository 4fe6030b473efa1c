import { sentences } from "../sentences.js";
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
import { type Finding, findingsOf, inventoryOf, readPreview } from "./previewCheck.js";
import { ownerIn, type ServiceJob, serviceJobAsJson, serviceJobTable } from "./serviceJobs.js";
import { sourceFindingsOf } from "./sourceCheck.js";
import { type Providers, readExports, sharedJobs, sharedText } from "./stackExport.js";
import { readStackSettings, type StackOptions } from "./stackSettings.js";
import { counted, printable, type TableFormat } from "./text.js";

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

/**
 * Prints the parts of a preview that `pulumi up` would refuse, and the sources that the service does not list. Resolves
 * to the exit code: 1 if any part or source was printed, or if a list failed or there is no list.
 */
export async function checkPreview(context: Context, input: Input, options: StackOptions): Promise<number> {
  const preview = readPreview(input);
  const { accounts, isAnyListed, exitCode } = await listAll(
    context,
    await accountsOfStack(context, preview.providers, options),
  );
  const show = ({ text }: Finding) => printable(text);
  const findings = await findingsOf(preview, accounts);
  context.print(...findings.map(show));
  // Without any list, the rules about the service's jobs were not applied: the check is incomplete.
  if (!isAnyListed) return 1;
  const sources = await sourceFindingsOf(preview, accounts);
  context.print(...sources.map(show));
  const count = (of: Finding["kind"]) => [...findings, ...sources].filter(({ kind }) => kind === of).length;
  const [refused, missing, unchecked] = [count("refused"), count("missing"), count("unchecked")];
  context.print(
    sentences(
      `The preview creates or adopts ${counted(preview.created.length, "job")}. pulumi up would refuse ${refused}.`,
      missing > 0 ? `Sources that the service does not list: ${missing}.` : "",
      unchecked > 0 ? `Not or not wholly checked: ${unchecked}.` : "",
    ),
  );
  return refused + missing > 0 ? 1 : exitCode;
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

async function listAll(context: Context, accounts: readonly Account[]) {
  const lists = await askEach<Account, ServiceJob>(context, accounts, async (service, asked) => {
    const { account } = service;
    if (!account.mode.canRead)
      return {
        isDeclined: true,
        what: "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.",
        fix: asked.howToSet("all", toAllow),
      };
    // The check of a preview uses the same list.
    const list = await inventoryOf(service).jobs.listSince();
    if (list.kind === "failed") return orLacking(service, list, modeCreate(asked.howToSet("create")));
    return list.entries.map((record) => ({ record, account, provider: asked.provider, owner: undefined }));
  });
  return { ...lists, accounts };
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
