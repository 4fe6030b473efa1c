import { debugLog } from "../hosts/engine.js";
import { listJobs } from "../client/lists.js";
import type { ReadRecord } from "../client/jobRecord.js";
import { Services } from "../client/service.js";
import { Settings, SettingsError, type Account } from "../config/index.js";
import { sentences } from "../sentences.js";
import { importFileFor, programFor, type NewResourceOptions } from "./newResources.js";
import { findingsOf, readPreview } from "./previewCheck.js";
import { type NotListed, ownerIn, type ServiceJob, serviceJobsAsJson, serviceJobTable } from "./serviceJobs.js";
import type { StackExport } from "./stackExport.js";
import { namesOf, readStackSettings, type StackOptions } from "./stackSettings.js";
import { accountTitle, complain, counted, print, printable, shellWord } from "./text.js";

interface Options extends StackOptions, NewResourceOptions {
  readonly json: boolean;
  readonly asProgram: boolean;
  readonly asImport: boolean;
}

/** Prints the jobs that the service has, of every account. Resolves to the exit code: 1 where a list is missing. */
export async function jobsAtService(stack: StackExport | undefined, options: Options): Promise<number> {
  const { jobs, notListed, isAnyListed, exitCode } = await listAll(stack, options);
  if (options.json) print(JSON.stringify(serviceJobsAsJson(jobs, notListed), undefined, 2));
  else if (isAnyListed && options.asImport) printImport(importFileFor(jobs, stack, options));
  else if (isAnyListed) print(...(options.asProgram ? programFor(jobs, stack, options) : serviceJobTable(jobs, stack)));
  return exitCode;
}

/** Prints what `pulumi up` would refuse of a preview. Resolves to the exit code: 1 where there is any, or a list is missing. */
export async function checkPreview(text: string, from: string, options: StackOptions): Promise<number> {
  const preview = readPreview(text, from);
  const atService = await listAll(undefined, options);
  const findings = findingsOf(preview, atService);
  const refused = findings.filter(({ isRefused }) => isRefused);
  print(...findings.map((finding) => printable(finding.text)));
  // Without any list the rules of the service's jobs were not applied.
  if (!atService.isAnyListed) return 1;
  print(
    `The preview creates or adopts ${counted(preview.created.length, "job")}. pulumi up would refuse ${refused.length}.`,
  );
  return refused.length > 0 ? 1 : atService.exitCode;
}

interface All {
  readonly settings: Settings;
  readonly services: Services;
  readonly jobs: readonly ServiceJob[];
  readonly notListed: readonly NotListed[];
  readonly isAnyListed: boolean;
  /** 1 where a list is missing. */
  readonly exitCode: number;
}

async function listAll(stack: StackExport | undefined, options: StackOptions): Promise<All> {
  const source = await readStackSettings(options);
  const settings = new Settings(source.config);
  const services = new Services({
    isEngineAlive: () => Promise.resolve(true),
    say: complain,
    log: debugLog(settings),
  });
  const jobs: ServiceJob[] = [];
  const notListed: NotListed[] = [];
  const names = namesOf(settings);
  for (const name of names) {
    const listed = await listAccount(settings, services, name, (key) => setCommand(key, source.hasStack, options));
    if ("what" in listed) notListed.push(listed);
    else jobs.push(...listed.records.map((record) => withOwner(stack, record, listed.account)));
  }
  for (const { account, what, fix } of notListed) complain(`${accountTitle(account)}: ${sentences(what, fix)}`);
  const isAnyListed = notListed.length < names.length;
  const exitCode = isAnyListed && notListed.every(({ isDeclined }) => isDeclined) ? 0 : 1;
  return { settings, services, jobs: unique(jobs), notListed, isAnyListed, exitCode };
}

function printImport({ text, notes }: ReturnType<typeof importFileFor>): void {
  notes.forEach(complain);
  print(text);
}

interface Listed {
  readonly records: readonly ReadRecord[];
  readonly account: Account;
}

async function listAccount(
  settings: Settings,
  services: Services,
  name: string | undefined,
  howToAllow: (key: string) => string,
): Promise<Listed | NotListed> {
  try {
    const account = settings.account(name);
    if (!account.mode.canRead) {
      const key = name === undefined ? "jobOperations" : `accounts.${name}.jobOperations`;
      const what = "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.";
      return { account: name, isDeclined: true, what, fix: howToAllow(key) };
    }
    const list = await listJobs(services.of(account));
    if (list.kind === "listed") return { account, records: list.jobs };
    return { account: name, isDeclined: false, what: list.what, fix: list.fix };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { account: name, isDeclined: false, what: error.what, fix: error.fix };
  }
}

/** The setting is read from stack configuration alone. */
function setCommand(key: string, hasStack: boolean, { stack, cwd }: StackOptions): string {
  if (!hasStack) return "No stack's configuration was read: name one with --stack, and its project with --cwd.";
  const option = (name: string, value: string | undefined) =>
    value === undefined ? "" : ` --${name} ${shellWord(value)}`;
  const place = `${option("cwd", cwd)}${option("stack", stack)}`;
  return `To allow it: pulumi config set${place}${key.includes(".") ? " --path" : ""} data-connectivity:${key} all`;
}

const withOwner = (stack: StackExport | undefined, record: ReadRecord, account: Account): ServiceJob => ({
  record,
  account,
  owner: stack && ownerIn(stack, record, account),
});

/** Two accounts at one address can have the same jobs: the first one has them here. */
function unique(jobs: readonly ServiceJob[]): ServiceJob[] {
  const known = new Map<string, ServiceJob>();
  for (const job of jobs) {
    const key = JSON.stringify([job.account.baseUrl, job.record.job.id]);
    known.set(key, known.get(key) ?? job);
  }
  return [...known.values()];
}
