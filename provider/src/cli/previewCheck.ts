import type { ReadRecord } from "../client/jobRecord.js";
import type { Service } from "../client/service.js";
import { SettingsError } from "../config/index.js";
import { normalizedText } from "../jobs/index.js";
import { sourceIsBeingTaken, sourceIsTaken } from "../lifecycle/all/messages.js";
import { declaredSource, differingMembers, hasSameSource, isOfKind } from "../lifecycle/compare.js";
import { type Inventory, inventoryOf } from "../lifecycle/inventory/inventory.js";
import { heldByOther, option, textOf } from "../lifecycle/messages.js";
import { sentences } from "../sentences.js";
import { hasUnknown } from "../unknown.js";
import { type Input, InputError } from "./command.js";
import type { Place } from "./places.js";
import {
  arrayOf,
  type DeclaredJob,
  isHidden,
  type KnownJob,
  labelOf,
  memberOf,
  parseMarked,
  type Providers,
  readDeclared,
  readJob,
  readProviders,
  textIn,
} from "./stackExport.js";

/** `refused`: `pulumi up` would refuse the job. `missing`: the service does not list the source of the job. */
export interface Finding {
  readonly kind: "refused" | "missing" | "unchecked";
  readonly text: string;
}

/** The accounts, and the jobs of each account that was listed. */
export interface AtService {
  readonly places: readonly Place[];
  readonly lists: ReadonlyMap<Service, readonly ReadRecord[]>;
}

export const finding = (kind: Finding["kind"], job: DeclaredJob, text: string): Finding => ({
  kind,
  text: `${labelOf(job)}: ${text}`,
});

/** The parts of a preview that `pulumi up` would refuse, as far as the preview and the listed jobs show. */
export function findingsOf(preview: Preview, atService: AtService): Finding[] {
  const accounts = new Map<Service, CheckedAccount>();
  return preview.created.flatMap((job) => {
    if (isIncomplete(job))
      return [finding("unchecked", job, "not compared, because a value is secret or not known in a preview.")];
    const service = serviceOf(job, atService);
    if ("text" in service) return [service];
    const isHere = (other: StackJob) => serviceOf(other, atService) === service;
    const [kept, leaving] = [preview.kept.filter(isHere), preview.leaving.filter(isHere)];
    const account = accounts.get(service) ?? new CheckedAccount(service, kept, leaving, atService.lists.get(service));
    accounts.set(service, account);
    const why = account.whyRefused(job);
    return why === undefined ? [] : [finding("refused", job, why)];
  });
}

/** The service of a job's account, or why the job cannot be compared with the account's jobs. */
export function serviceOf(job: DeclaredJob, { places }: AtService): Service | Finding {
  const { provider } = job;
  const place = places.find((one) => one.provider === provider);
  if (place === undefined) {
    const name = JSON.stringify(provider ?? "default");
    return finding("unchecked", job, `not compared, because its provider ${name} could not be asked.`);
  }
  try {
    return place.services.declaredBy(job.declared);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return finding("refused", job, error.message);
  }
}

/** Whether the preview does not show the whole declaration: a value of it is unknown or secret. */
export const isIncomplete = ({ declared }: DeclaredJob): boolean => hasUnknown(declared) || isHidden(declared);

/** An account as the previewed run would see it: the run's own rules decide which resource gets a job or a source. */
class CheckedAccount {
  private readonly inventory: Inventory;

  constructor(
    service: Service,
    private readonly kept: readonly StackJob[],
    private readonly leaving: readonly StackJob[],
    /** Undefined if the account gave no list. */
    private readonly jobs: readonly ReadRecord[] | undefined,
  ) {
    this.inventory = inventoryOf(service);
    const { holders } = this.inventory;
    for (const job of kept) {
      if (job.jobId !== undefined) holders.take(job.jobId, namedOf(job), job.jobId, "declared");
      const source = job.leaves || job.jobId === undefined ? declaredSource(job) : undefined;
      if (source !== undefined) holders.takeSource(source, namedOf(job));
    }
  }

  whyRefused(job: CreatedJob): string | undefined {
    const { existingJobId: id } = job.declared;
    return typeof id === "string" ? this.whyNotAdopted(job, id) : this.whyNotCreated(job);
  }

  private whyNotCreated(job: CreatedJob): string | undefined {
    const named = namedOf(job);
    const isFree = ({ job: { id } }: ReadRecord) =>
      this.kept.some(({ leaves, jobId, urn }) => leaves && jobId === id && job.dependencies.includes(urn));
    const taken = this.jobs?.find((record) => hasSameSource(job, record) && !isFree(record));
    const old = this.leaving.find((one) => (taken !== undefined && one.jobId === taken.job.id) || isSameJob(one, job));
    if (old !== undefined) return renamed(old, taken);
    if (this.jobs === undefined) return undefined;
    if (taken !== undefined) {
      const holder = this.inventory.holders.of(taken.job.id);
      return holder === undefined
        ? `job ${taken.job.id} has its source already. If no other resource has that job, adopt it with existingJobId, or name the renamed resource in aliases.`
        : textOf(sourceIsTaken(taken, holder.label, named.label));
    }
    const source = declaredSource(job);
    const other = source === undefined ? undefined : this.inventory.holders.takeSource(source, named);
    return other && textOf(sourceIsBeingTaken(other.label, named.label));
  }

  private whyNotAdopted(job: DeclaredJob, id: string): string | undefined {
    const named = namedOf(job);
    const holder = this.inventory.holders.take(id, named, job.urn, "adopted");
    if (holder !== undefined) return heldByOther(id, holder.label, named.label);
    if (this.jobs === undefined) return undefined;
    const found = this.jobs.find((record) => record.job.id === id);
    if (found === undefined) return `the service lists no job ${id} to adopt.`;
    if (!isOfKind(job.kind, found)) return `job ${id} is of another type.`;
    const members = differingMembers(job, found.job);
    if (members.length === 0) return undefined;
    return `job ${id} differs from the declaration in ${members.join(", ")}. Declare the job as it is, and change it in the next run.`;
  }
}

/** Whether a new resource declares the same job, in the same account, as a resource that left the program. */
const isSameJob = (old: DeclaredJob, now: DeclaredJob): boolean =>
  typeof now.declared["existingJobId"] !== "string" &&
  !isIncomplete(now) &&
  textIn(old.declared, "account") === textIn(now.declared, "account") &&
  normalizedText(old.kind, old.declared) === normalizedText(now.kind, now.declared);

function renamed(old: StackJob, taken: ReadRecord | undefined): string {
  const without =
    taken === undefined
      ? "the program declares a second job"
      : `pulumi up refuses it, because job ${taken.job.id} has its source`;
  const aliases = option("aliases", `[{ name: ${JSON.stringify(old.resource)} }]`);
  return `looks like a rename of ${labelOf(old)}, which leaves the program. Add ${aliases} to its options: without it, ${without}.`;
}

const namedOf = (job: DeclaredJob) => ({ label: labelOf(job), key: job.urn });

interface CreatedJob extends DeclaredJob {
  /** The URNs of the resources that the new resource depends on. */
  readonly dependencies: readonly unknown[];
}

/** A job of the stack, as the program declares it now or, if its resource left the program, as it did last. */
interface StackJob extends KnownJob {
  /** Whether the previewed run changes the job's source. */
  readonly leaves: boolean;
}

/** What a preview says about jobs and their providers. */
export interface Preview {
  readonly providers: Providers;
  /** The jobs that the previewed run creates or adopts. */
  readonly created: readonly CreatedJob[];
  /** The jobs that the program still declares. */
  readonly kept: readonly StackJob[];
  /** The jobs whose resource left the program. */
  readonly leaving: readonly StackJob[];
}

/**
 * Reads what `pulumi preview --json` prints.
 * @throws InputError if the text is not a preview or is incomplete, or if the preview failed.
 */
export function readPreview({ text, from }: Input): Preview {
  const preview = parseMarked(text);
  const steps = memberOf(preview, "steps");
  if (!Array.isArray(steps))
    throw new InputError(`${from} is not a preview. Expected: what pulumi preview --json prints.`);
  const of = (...operations: string[]) =>
    arrayOf(steps).filter((step) => operations.includes(String(memberOf(step, "op"))));
  const known = (...operations: string[]) => of(...operations).flatMap(knownIn);
  const created = of("create").flatMap((step) => {
    const state = memberOf(step, "newState");
    const job = readDeclared(state);
    return job === undefined ? [] : [{ ...job, dependencies: arrayOf(memberOf(state, "dependencies")) }];
  });
  const leaving = known("delete");
  // Without pipefail, a shell hides a failed preview. A preview fails, for example, if a renamed job is protected.
  if (arrayOf(memberOf(preview, "diagnostics")).some((one) => memberOf(one, "severity") === "error"))
    throw new InputError(
      sentences(
        `${from} is a preview that failed, so it does not show what pulumi up would do. Run pulumi preview, and correct what it reports.`,
        ...created.flatMap((job) => {
          const old = leaving.find((one) => isSameJob(one, job));
          return old === undefined ? [] : [`${labelOf(job)}: ${renamed(old, undefined)}`];
        }),
      ),
    );
  const unchanged = memberOf(memberOf(preview, "changeSummary"), "same");
  // Even without --show-sames, one unchanged step is listed: the stack itself.
  if (typeof unchanged === "number" && of("same").length < unchanged)
    throw new InputError(
      `${from} is a preview without the unchanged resources, which may have the job or the source of a new one. Add --show-sames: pulumi preview --json --show-sames`,
    );
  const staying = arrayOf(steps).filter((step) => memberOf(step, "op") !== "delete");
  const providers = readProviders(staying.map((step) => memberOf(step, "newState") ?? memberOf(step, "oldState")));
  return { providers, created, kept: known("same", "update", "replace"), leaving };
}

function knownIn(step: unknown): StackJob[] {
  const [old, now] = [readJob(memberOf(step, "oldState")), readDeclared(memberOf(step, "newState"))];
  if (old === undefined) return [];
  const leaves = now !== undefined && declaredSource(now) !== declaredSource(old);
  return [{ ...old, ...now, leaves }];
}
