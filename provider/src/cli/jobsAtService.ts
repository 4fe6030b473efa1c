import { sentences } from "../sentences.js";
import type { Input } from "./command.js";
import type { Context } from "./context.js";
import { importFileFor, programFor } from "./newResources.js";
import { accountsOf, askEach, howToAllow } from "./accounts.js";
import { type Finding, findingsOf, inventoryOf, readPreview } from "./previewCheck.js";
import { ownerIn, type ServiceJob, serviceJobAsJson, serviceJobTable } from "./serviceJobs.js";
import { sourceFindingsOf } from "./sourceCheck.js";
import type { Providers, StackExport } from "./stackExport.js";
import { readStackSettings, type StackOptions } from "./stackSettings.js";
import { counted, printable } from "./text.js";

interface Options extends StackOptions {
  readonly json: boolean;
  readonly "as-program": boolean;
  readonly "as-import": boolean;
}

/** Prints every account's jobs at the service. Resolves to the exit code: 1 if a list failed or there is no list. */
export async function jobsAtService(
  context: Context,
  stack: StackExport | undefined,
  options: Options,
): Promise<number> {
  const { entries, notListed, isAnyListed, exitCode } = await listAll(context, stack?.providers, options);
  const jobs = unique(entries).map((job) => ({ ...job, owner: stack && ownerIn(stack, job) }));
  const lacking = { jobs, stack };
  if (options.json) context.printJson({ jobs: exitCode === 0 ? jobs.map(serviceJobAsJson) : undefined, notListed });
  else if (!isAnyListed) return exitCode;
  else if (options["as-import"]) {
    const { text, notes } = importFileFor(lacking);
    for (const note of notes) context.complain(note);
    context.print(text);
  } else context.print(...(options["as-program"] ? programFor(lacking) : serviceJobTable(jobs, stack)));
  return exitCode;
}

/**
 * Prints the parts of a preview that `pulumi up` would refuse, and the sources that the service does not list. Resolves
 * to the exit code: 1 if any part or source was printed, or if a list failed or there is no list.
 */
export async function checkPreview(context: Context, input: Input, options: Options): Promise<number> {
  const preview = readPreview(input);
  const { accounts, isAnyListed, exitCode } = await listAll(context, preview.providers, options);
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

async function listAll(context: Context, providers: Providers | undefined, options: StackOptions) {
  const source = await readStackSettings(context, options);
  const accounts = accountsOf(context, source, providers);
  const lists = await askEach<ServiceJob>(context, accounts, async (service, asked) => {
    const { account } = service;
    if (!account.mode.canRead)
      return {
        isDeclined: true,
        what: "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.",
        fix: howToAllow(asked, source, options),
      };
    // The check of a preview uses the same list.
    const list = await inventoryOf(service).jobs.listSince();
    if (list.kind === "failed") return list;
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
