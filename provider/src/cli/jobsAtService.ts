import { listJobs } from "../client/lists.js";
import type { Account } from "../config/index.js";
import { sentences } from "../sentences.js";
import { importFileFor, programFor, type NewResourceOptions } from "./newResources.js";
import { askEach, type Place, placesOf, type Unanswered } from "./places.js";
import { type AtService, type Finding, findingsOf, readPreview } from "./previewCheck.js";
import { ownerIn, type ServiceJob, serviceJobsAsJson, serviceJobTable } from "./serviceJobs.js";
import { sourceFindingsOf } from "./sourceCheck.js";
import type { Providers, StackExport } from "./stackExport.js";
import { readStackSettings, type StackOptions } from "./stackSettings.js";
import { complain, counted, print, printable, shellWord, type Wording } from "./text.js";

export interface CheckOptions extends StackOptions {
  readonly words: Wording;
}

interface Options extends CheckOptions, NewResourceOptions {
  readonly json: boolean;
  readonly asProgram: boolean;
  readonly asImport: boolean;
}

/** Prints every account's jobs at the service. Resolves to the exit code: 1 if a list failed or there is no list. */
export async function jobsAtService(stack: StackExport | undefined, options: Options): Promise<number> {
  const toShow = "pulumi stack export --show-secrets";
  const { jobs: listed, notListed, isAnyListed, exitCode } = await listAll(stack?.providers, options, toShow);
  const jobs = stack === undefined ? listed : listed.map((job) => ({ ...job, owner: ownerIn(stack, job) }));
  if (options.json) print(JSON.stringify(serviceJobsAsJson(jobs, notListed), undefined, 2));
  else if (isAnyListed && options.asImport) printImport(importFileFor(jobs, stack, options), options);
  else if (isAnyListed) print(...(options.asProgram ? programFor(jobs, stack, options) : serviceJobTable(jobs, stack)));
  return exitCode;
}

/**
 * Prints the parts of a preview that `pulumi up` would refuse, and the sources that the service does not list. Resolves
 * to the exit code: 1 if any part or source was printed, or if a list failed or there is no list.
 */
export async function checkPreview(text: string, from: string, options: CheckOptions): Promise<number> {
  const preview = readPreview(text, from);
  const atService = await listAll(preview.providers, options, undefined);
  const findings = findingsOf(preview, atService);
  const show = ({ text: found }: Finding) => printable(options.words(found));
  print(...findings.map(show));
  // Without any list, the rules about the service's jobs were not applied: the check is incomplete.
  if (!atService.isAnyListed) return 1;
  const sources = await sourceFindingsOf(preview, atService);
  print(...sources.map(show));
  const count = (of: Finding["kind"]) => [...findings, ...sources].filter(({ kind }) => kind === of).length;
  const [refused, missing, unchecked] = [count("refused"), count("missing"), count("unchecked")];
  print(
    sentences(
      `The preview creates or adopts ${counted(preview.created.length, "job")}. pulumi up would refuse ${refused}.`,
      missing > 0 ? `Sources that the service does not list: ${missing}.` : "",
      unchecked > 0 ? `Not or not wholly checked: ${unchecked}.` : "",
    ),
  );
  return refused + missing > 0 ? 1 : atService.exitCode;
}

interface All extends AtService {
  readonly isAnyListed: boolean;
  /** 1 if a list failed or there is no list. */
  readonly exitCode: number;
}

/** `toShow`: the command that prints the stack with the providers' secrets. */
async function listAll(
  providers: Providers | undefined,
  options: StackOptions,
  toShow: string | undefined,
): Promise<All> {
  const source = await readStackSettings(options);
  const places = placesOf(source, providers, toShow);
  const { answers, notListed } = await askEach<ServiceJob[]>(places, async (account, place) => {
    if (!account.mode.canRead) return declined(account, place, source.hasStack, options);
    const list = await listJobs(place.services.of(account));
    if (list.kind === "failed") return list;
    return list.jobs.map((record) => ({ record, account, provider: place.provider, owner: undefined }));
  });
  const isAnyListed = answers.length > 0;
  return {
    places: places.filter((place) => "settings" in place),
    jobs: unique(answers.flat()),
    notListed,
    isAnyListed,
    exitCode: isAnyListed && notListed.every(({ isDeclined }) => isDeclined) ? 0 : 1,
  };
}

function printImport({ text, notes }: ReturnType<typeof importFileFor>, { words }: Options): void {
  for (const note of notes) complain(words(note));
  print(text);
}

function declined(
  { name }: Account,
  { provider, settings }: Place,
  hasStack: boolean,
  options: StackOptions,
): Unanswered {
  const path = name === undefined ? ["jobOperations"] : ["accounts", name, "jobOperations"];
  return {
    isDeclined: true,
    what: "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.",
    fix:
      provider === undefined
        ? setCommand(path.join("."), hasStack, options)
        : `${toAllow}${settings.words.set(path, "all")}`,
  };
}

const toAllow = "To allow it (pulumi up may then change and delete jobs, too): ";

/** The command that allows a request: only stack configuration can set jobOperations. */
function setCommand(key: string, hasStack: boolean, { stack, cwd }: StackOptions): string {
  if (!hasStack) return "No stack's configuration was read: name one with --stack, and its project with --cwd.";
  const option = (name: string, value: string | undefined) =>
    value === undefined ? "" : ` --${name} ${shellWord(value)}`;
  const place = `${option("cwd", cwd)}${option("stack", stack)}`;
  return `${toAllow}pulumi config set${place}${key.includes(".") ? " --path" : ""} data-connectivity:${key} all`;
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
