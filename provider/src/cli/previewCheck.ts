import type { ReadRecord } from "../client/jobRecord.js";
import { oncePerService, type Service } from "../client/service.js";
import { orSettingsError, SettingsError } from "../config/index.js";
import { normalizedText } from "../jobs/index.js";
import { sourceIsBeingTaken, sourceIsTaken } from "../lifecycle/texts/allMode.js";
import { declaredSource, hasSameSource, kindTold } from "../client/jobMatch.js";
import { differingMembers } from "../lifecycle/compare.js";
import { Inventory } from "../lifecycle/inventory/inventory.js";
import { heldByOther, textOf } from "../lifecycle/texts/shared.js";
import { membersOf, parseJson } from "../json.js";
import { sentences } from "../sentences.js";
import { hasUnknown } from "../unknown.js";
import { type Input, InputError } from "./command.js";
import type { Asked } from "./accounts.js";
import {
  arrayOf,
  type DeclaredJob,
  isHidden,
  type KnownJob,
  type Providers,
  readDeclared,
  readJob,
  readProviders,
} from "./stackExport.js";

export const inventoryOf = oncePerService((service) => new Inventory(service));

/** `refused`: `pulumi up` would refuse the job. `missing`: the service does not list the source of the job. */
export interface Finding {
  readonly kind: "refused" | "missing" | "unchecked";
  readonly text: string;
}

export const finding = (kind: Finding["kind"], job: DeclaredJob, text: string): Finding => ({
  kind,
  text: `${job.label}: ${text}`,
});

/** The parts of a preview that `pulumi up` would refuse, as far as the preview and the listed jobs show. */
export async function findingsOf(preview: Preview, accounts: readonly Asked[]): Promise<Finding[]> {
  for (const job of preview.kept) hold(job, serviceOf(job, accounts));
  const findings: Finding[] = [];
  for (const job of preview.created) {
    const found = await findingOf(job, preview, accounts);
    if (found !== undefined) findings.push(found);
  }
  return findings;
}

async function findingOf(job: CreatedJob, { kept, leaving }: Preview, accounts: readonly Asked[]) {
  if (isIncomplete(job))
    return finding("unchecked", job, "not compared, because a value is secret or not known in a preview.");
  const service = serviceOf(job, accounts);
  if ("text" in service) return service;
  const isHere = (other: StackJob) => serviceOf(other, accounts) === service;
  const why = await whyRefused(job, service, { kept: kept.filter(isHere), leaving: leaving.filter(isHere) });
  return why === undefined ? undefined : finding("refused", job, why);
}

/** The service of a job's account, or why the job cannot be compared with the account's jobs. */
export function serviceOf(job: DeclaredJob, accounts: readonly Asked[]): Service | Finding {
  const { provider, declared } = job;
  const services = accounts.find((one) => one.provider === provider)?.services;
  if (services === undefined) {
    const name = JSON.stringify(provider ?? "default");
    return finding("unchecked", job, `not compared, because its provider ${name} could not be asked.`);
  }
  const service = orSettingsError(() => services.declaredBy(declared));
  return service instanceof SettingsError ? finding("refused", job, service.message) : service;
}

/** Whether the preview does not show the whole declaration: a value of it is unknown or secret. */
export const isIncomplete = ({ declared }: DeclaredJob): boolean => hasUnknown(declared) || isHidden(declared);

/** Gives a job of the stack, and the source that it takes, to its resource: the run's own rules decide what is free. */
function hold(job: StackJob, service: Service | Finding): void {
  if ("text" in service) return;
  const inventory = inventoryOf(service);
  if (job.jobId !== undefined) inventory.take(job.jobId, namedOf(job), job.jobId, "declared");
  const source = job.leaves || job.jobId === undefined ? declaredSource(job) : undefined;
  if (source !== undefined) inventory.takeSource(source, namedOf(job));
}

/** `kept` and `leaving`: only those of the same service. */
async function whyRefused(job: CreatedJob, service: Service, { kept, leaving }: Pick<Preview, "kept" | "leaving">) {
  const inventory = inventoryOf(service);
  const list = service.account.mode.canRead ? await inventory.jobs.listSince() : undefined;
  const listed = list?.kind === "listed" ? list.entries : undefined;
  const named = namedOf(job);
  const { existingJobId: id } = job.declared;
  if (typeof id === "string") {
    const holder = inventory.take(id, named, job.urn, "adopted");
    return holder === undefined ? listed && whyNotAdopted(job, id, listed) : heldByOther(id, holder.label, named.label);
  }
  const isFree = ({ job: { id } }: ReadRecord) =>
    kept.some(({ leaves, jobId, urn }) => leaves && jobId === id && job.dependencies.includes(urn));
  const taken = listed?.find((record) => hasSameSource(job, record) && !isFree(record));
  const old = leaving.find((one) => (taken !== undefined && one.jobId === taken.job.id) || isSameJob(one, job));
  if (old !== undefined) return renamed(old, taken);
  if (listed === undefined) return undefined;
  if (taken !== undefined) {
    const holder = inventory.of(taken.job.id);
    return holder === undefined
      ? `job ${taken.job.id} has its source already. If no other resource has that job, adopt it with existingJobId, or name the renamed resource in aliases.`
      : textOf(sourceIsTaken(taken, holder.label, named.label));
  }
  const source = declaredSource(job);
  const other = source === undefined ? undefined : inventory.takeSource(source, named);
  return other && textOf(sourceIsBeingTaken(other.label, named.label));
}

function whyNotAdopted(job: DeclaredJob, id: string, listed: readonly ReadRecord[]): string | undefined {
  const found = listed.find((record) => record.job.id === id);
  if (found === undefined) return `the service lists no job ${id} to adopt.`;
  if (kindTold(job.kind, found) === "other") return `job ${id} is of another type.`;
  const members = differingMembers(job, found.job);
  if (members.length === 0) return undefined;
  return `job ${id} differs from the declaration in ${members.join(", ")}. Declare the values that the job has at the service, and change them in the next run.`;
}

/** Whether a new resource declares the same job, in the same account, as a resource that left the program. */
const isSameJob = (old: DeclaredJob, now: DeclaredJob): boolean =>
  typeof now.declared["existingJobId"] !== "string" &&
  !isIncomplete(now) &&
  old.declared["account"] === now.declared["account"] &&
  normalizedText(old.kind, old.declared) === normalizedText(now.kind, now.declared);

function renamed(old: StackJob, taken: ReadRecord | undefined): string {
  const without =
    taken === undefined
      ? "the program declares a second job"
      : `pulumi up refuses it, because job ${taken.job.id} has its source`;
  return `looks like a rename of ${old.label}, which leaves the program. Add aliases: [{ name: ${JSON.stringify(old.resource)} }] to its options: without it, ${without}.`;
}

const namedOf = ({ label, urn }: DeclaredJob) => ({ label, key: urn });

interface CreatedJob extends DeclaredJob {
  /** The URNs of the resources that the new resource depends on. */
  readonly dependencies: readonly unknown[];
}

/** A job of the stack, as the program declares it now or, if its resource left the program, as it did last. */
interface StackJob extends KnownJob {
  /** Whether the previewed run changes the job's source. */
  readonly leaves: boolean;
}

export interface Preview {
  readonly providers: Providers;
  /** The jobs that the previewed run creates or adopts. */
  readonly created: readonly CreatedJob[];
  /** The jobs of the stack that the program still declares. */
  readonly kept: readonly StackJob[];
  /** The jobs of the stack whose resource left the program. */
  readonly leaving: readonly StackJob[];
}

/**
 * Reads what `pulumi preview --json` prints.
 * @throws InputError if the text is not a preview or is incomplete, or if the preview failed.
 */
export function readPreview({ text, from }: Input): Preview {
  const preview = membersOf(parseJson(text));
  if (!Array.isArray(preview["steps"]))
    throw new InputError(`${from} is not a preview. Expected: what pulumi preview --json prints.`);
  const steps = arrayOf(preview["steps"]).map(membersOf);
  const stepsOf = (...operations: string[]) => steps.filter(({ op }) => operations.includes(String(op)));
  const stackJobs = (...operations: string[]) => stepsOf(...operations).flatMap(stackJobIn);
  const created = stepsOf("create").flatMap(({ newState }) => {
    const job = readDeclared(newState);
    return job === undefined ? [] : [{ ...job, dependencies: arrayOf(membersOf(newState)["dependencies"]) }];
  });
  const leaving = stackJobs("delete");
  // Without pipefail, a shell hides a failed preview. A preview fails, for example, if a renamed job is protected.
  if (arrayOf(preview["diagnostics"]).some((one) => membersOf(one)["severity"] === "error"))
    throw new InputError(
      sentences(
        `${from} is a preview that failed, so it does not show what pulumi up would do. Run pulumi preview, and correct what it reports.`,
        ...created.flatMap((job) => {
          const old = leaving.find((one) => isSameJob(one, job));
          return old === undefined ? [] : [`${job.label}: ${renamed(old, undefined)}`];
        }),
      ),
    );
  const { same } = membersOf(preview["changeSummary"]);
  // Even without --show-sames, one unchanged step is listed: the stack itself.
  if (typeof same === "number" && stepsOf("same").length < same)
    throw new InputError(
      `${from} is a preview without the unchanged resources, which may have the job or the source of a new one. Add --show-sames: pulumi preview --json --show-sames`,
    );
  const staying = steps.filter(({ op }) => op !== "delete");
  return {
    providers: readProviders(
      "preview",
      staying.map(({ newState, oldState }) => membersOf(newState ?? oldState)),
    ),
    created,
    kept: stackJobs("same", "update", "replace"),
    leaving,
  };
}

function stackJobIn({ oldState, newState }: Readonly<Record<string, unknown>>): StackJob[] {
  const [old, now] = [readJob(oldState), readDeclared(newState)];
  if (old === undefined) return [];
  return [{ ...old, ...now, leaves: now !== undefined && declaredSource(now) !== declaredSource(old) }];
}
