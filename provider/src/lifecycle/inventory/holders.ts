import type { AccountClient } from "../../client/accountClient.js";
import { idKey, mayHaveSourceOf } from "../../client/jobMatch.js";
import type { DeclaredJob } from "../../jobs/index.js";
import type { UnconfirmedCreate } from "../ownState.js";

// Who has which job, and who is to get one.

/**
 * How a resource came to have its job. The first three values mean that the job is in the state:
 * - `read`: a refresh read the job. The program may no longer declare the resource.
 * - `declared`: the program declares the resource.
 * - `changing`: the program declares the resource, and the declaration has changed. If the engine deletes the job now,
 *   the delete is part of a replacement.
 *
 * The values `found`, `created` and `adopted` mean that the resource got the job in this run.
 */
export type Since = "read" | "changing" | "declared" | "found" | "created" | "adopted";

/** A resource, as other resources refer to it. */
export interface Declarer {
  readonly label: string;
  /** The resource's key in the program. A new resource has no saved record, so only its key identifies it. */
  readonly key: string;
  /** Its URN, if the host knows it. */
  readonly urn?: string | undefined;
}

/** The resource that has a job. */
export interface Holder extends Declarer {
  /** The record of the resource in the state. */
  readonly record: string;
  readonly since: Since;
  /** Whether the resource got the job in this run, even if it was declared since. */
  readonly isNew?: boolean;
  /** What the resource declares, if it adopted the job in this run. */
  readonly adoptedFor?: DeclaredJob | undefined;
}

/** How a run uses a job that it must not delete: it is going to adopt it, has adopted it, or reads it by its id. */
export interface KeptJob {
  readonly use: "named" | "adopted" | "read";
  /** The resource that uses the job. */
  readonly label: string;
  readonly key: string;
}

/**
 * The jobs that no provider process of this run may delete. Both methods throw if the run's notes cannot be read or
 * written.
 */
export interface KeptJobs {
  get(job: string): KeptJob | undefined;
  /** If another process notes an adoption of the job first, that note stays. */
  set(job: string, kept: KeptJob): unknown;
}

/** The jobs at one address, in one process: a job's id is unique there, whichever account has the job. */
export class JobHolders {
  private readonly byId = new Map<string, Holder>();
  private readonly named = new Map<string, Declarer>();

  constructor(
    private readonly baseUrl: string,
    private readonly kept: KeptJobs,
  ) {}

  /** The resource that has a job. */
  of(id: string): Holder | undefined {
    return this.byId.get(idKey(id));
  }

  /** Whether a resource got a job in this run. */
  gotJob({ key, urn }: Partial<Declarer>): boolean {
    const isOwn = (one: Holder) => one.key === key || (urn !== undefined && one.urn === urn);
    return [...this.byId.values()].some((one) => one.isNew === true && isOwn(one));
  }

  /**
   * Whether the job that a resource got in this run resolves its unconfirmed create. A job that it adopted may have another
   * source than a create that the state has not recorded.
   */
  resolves(create: UnconfirmedCreate): boolean {
    const isResolved = ({ isNew, urn, adoptedFor }: Holder) =>
      isNew === true &&
      urn === create.urn &&
      (create.id !== undefined || adoptedFor === undefined || mayHaveSourceOf(adoptedFor, create));
    return [...this.byId.values()].some(isResolved);
  }

  /** The other resource that has a job, so that this one cannot have it. */
  whyNot(id: string, holder: Holder): Holder | undefined {
    const own = this.of(id);
    return own !== undefined && excludes(own, holder) ? own : undefined;
  }

  /** Gives a job to a resource. If the resource cannot have the job, returns its holder. */
  take(id: string, holder: Holder): Holder | undefined {
    const other = this.whyNot(id, holder);
    const own = this.of(id);
    if (other !== undefined || (own !== undefined && holder.since === "read")) return other;
    const before = own?.key === holder.key ? own : undefined;
    const isNew = ["found", "created", "adopted"].includes(holder.since) || before?.isNew === true;
    const { adoptedFor = before?.adoptedFor } = holder;
    this.byId.set(idKey(id), { ...holder, adoptedFor, ...(isNew && { isNew }) });
    return undefined;
  }

  /** The id of the job that a resource has under another record. */
  successorOf(key: string, record: string): string | undefined {
    const found = [...this.byId].find(
      ([, holder]) => holder.key === key && holder.record !== record && holder.since !== "read",
    );
    return found?.[0];
  }

  /** Notes that the program names a job in `existingJobId`, so that this process does not delete the job. */
  name(id: string, { label, key }: Declarer): void {
    this.named.set(idKey(id), { label, key });
  }

  namedBy(id: string): Declarer | undefined {
    return this.named.get(idKey(id));
  }

  /** How this run uses a job that it must not delete. @throws if the run's notes cannot be read. */
  keptBy(id: string): KeptJob | undefined {
    return this.kept.get(this.jobKey(id));
  }

  /**
   * Notes that no process of this run may delete a job. Returns the note of another resource that has adopted the job.
   * @throws if the note cannot be written.
   */
  keep(id: string, kept: KeptJob): KeptJob | undefined {
    const before = this.keptBy(id);
    // A use that has begun does not end, even if a later adoption fails.
    const stays = before?.use === "adopted" || (before !== undefined && kept.use === "named");
    if (!stays) this.kept.set(this.jobKey(id), kept);
    const now = this.keptBy(id);
    return now?.use === "adopted" && now.key !== kept.key ? now : undefined;
  }

  /**
   * For a job that several resources have: notes that one of them leaves the state. Returns how many have left in this
   * run, in all of its processes.
   * @throws if the note cannot be written.
   */
  leave(id: string, { label, key }: Declarer): number {
    for (let count = 1; ; count += 1) {
      const place = `${this.jobKey(id)} left ${count}`;
      if (this.kept.get(place) === undefined) this.kept.set(place, { use: "named", label, key });
      if (this.kept.get(place)?.key === key) return count;
    }
  }

  private jobKey(id: string): string {
    return `${this.baseUrl} ${idKey(id)}`;
  }
}

const isDeclared = ({ since }: Holder): boolean => since === "declared" || since === "changing";

/** Whether `holder` cannot have a job that `other` has. */
function excludes(other: Holder, holder: Holder): boolean {
  const isBothDeclared = isDeclared(other) && isDeclared(holder);
  // The same record means the same resource, unless the program declares both under different keys: then a state was
  // copied by hand.
  if (other.record === holder.record) return isBothDeclared && other.key !== holder.key;
  // A `read` resource conflicts only with a `found` one. The program may no longer declare the `read` resource, so a
  // declared resource wins over it.
  if (holder.since === "read") return other.since === "found";
  if (holder.since === "found") return true;
  if (other.since === "read") return false;
  // A replacement may hold the job of the resource that it replaces.
  return !(isDeclared(other) && other.key === holder.key);
}

/** A job that a resource may get, from a create that an earlier run left unconfirmed or from a request of this run. */
export interface Claim {
  readonly client: AccountClient;
  readonly by: Declarer;
  /** The source of the job; undefined if it is not known, or if it does not matter who gets it. */
  readonly source: string | undefined;
  /** The normalized declaration; undefined for a change. */
  readonly text?: string | undefined;
  /** Whether nothing shows what became of the request. */
  readonly isUnconfirmed: boolean;
}

/** Which resources of a run may get a job, by their keys. */
export class Claims {
  /** The creates that earlier runs left unconfirmed, with the resources that are to resolve them, the first one first. */
  before: readonly Claim[] = [];
  /** The requests that may have been processed; in a preview, those that `up` will send. */
  readonly requests = new Map<string, Claim>();
  /** In a preview, the resources that may leave their jobs' sources. */
  readonly mayLeave = new Set<string>();
}

/** Those of an account, under whichever of its names, that are meant. */
export const inAccount = (
  { shared }: AccountClient,
  claims: Iterable<Claim>,
  isMeant: (claim: Claim) => boolean,
): readonly Claim[] => [...claims].filter((claim) => isMeant(claim) && claim.client.shared === shared);
