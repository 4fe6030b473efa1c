import type { Claims, Declarer, Holder, Since } from "../../client/service.js";
import { canonicalJson } from "../../json.js";
import type { Resource, SavedResource } from "../resource.js";

/** What identifies a resource to other resources and processes. */
export type Named = Pick<Resource, "label" | "key">;

/** Which resource has which job of an account in one run, across all its processes. A job never has two resources. */
export class Holders {
  private readonly own = new Map<string, Holder>();
  private readonly named = new Map<string, Declarer>();

  constructor(
    private readonly claims: Claims,
    private readonly baseUrl: string,
  ) {}

  /** Who has a job. What came to it in this run comes before what the state has, and that before what a refresh only read. */
  of(id: string): Holder | undefined {
    const own = this.own.get(id);
    const all = [...(own === undefined ? [] : [own]), ...this.claims.elsewhere(this.job(id))];
    return all.find(isOfThisRun) ?? all.find(isDeclared) ?? all[0];
  }

  /** Who has a job, unless it is this record. */
  otherThan(record: string, id: string): Holder | undefined {
    const holder = this.of(id);
    return holder?.record === record ? undefined : holder;
  }

  /** Gives a job to a resource. @returns who has it, where it cannot have it. */
  take(id: string, resource: Named, record: string, since: Since): Holder | undefined {
    const holder = { ...declarerOf(resource), record, since };
    const own = this.own.get(id);
    const isInTheWay = (other: Holder) => excludes(other, holder);
    if (own !== undefined && isInTheWay(own)) return own;
    const job = this.job(id);
    if (isOfThisRun(holder)) {
      const first = this.claims.take(job, holder);
      if (first !== undefined) return first;
    } else if (own?.since !== holder.since) {
      this.claims.note(job, holder);
    }
    // After it was told: of two processes that do so at one moment at least one sees the other.
    const other = this.claims.elsewhere(job).find(isInTheWay);
    if (other !== undefined) {
      this.claims.giveBack(job);
      return other;
    }
    if (own === undefined || holder.since !== "read") this.own.set(id, holder);
    return undefined;
  }

  /** The same for an adoption, which may fail. @returns who has it, or how to give it back. */
  takeToAdopt(
    id: string,
    resource: Named,
    record: string,
  ): { readonly other: Holder } | { readonly other: undefined; giveBack(): void } {
    const before = this.own.get(id);
    const other = this.take(id, resource, record, "adopted");
    if (other !== undefined) return { other };
    const giveBack = (): void => {
      this.claims.giveBack(this.job(id));
      if (before === undefined) this.own.delete(id);
      else this.own.set(id, before);
    };
    return { other, giveBack };
  }

  /** Notes that the program names a job in `existingJobId`: it is not deleted in this run. */
  name(id: string, resource: Named): void {
    this.named.set(id, declarerOf(resource));
    this.claims.note(this.naming(id), noted(resource));
  }

  namedBy(id: string): Declarer | undefined {
    return this.named.get(id) ?? this.claims.elsewhere(this.naming(id))[0];
  }

  private readonly job = (id: string): string => canonicalJson(["job", this.baseUrl, id]);

  private readonly naming = (id: string): string => canonicalJson(["named", this.baseUrl, id]);
}

const isDeclared = ({ since }: Holder): boolean => since === "declared" || since === "changing";

const isOfThisRun = ({ since }: Holder): boolean => since === "found" || since === "created" || since === "adopted";

/** Whether a job of `other` cannot be the holder's. */
function excludes(other: Holder, holder: Holder): boolean {
  const isBothDeclared = isDeclared(other) && isDeclared(holder);
  // A state that was copied by hand has one record twice.
  if (other.record === holder.record) return isBothDeclared && other.declaration !== holder.declaration;
  // Of two resources of a state that have one job, the one that the program declares comes first.
  if (holder.since === "read") return other.since === "found";
  if (holder.since === "found") return true;
  if (other.since === "read") return false;
  // A replacement may hold the same job as the resource that it replaces.
  return !(isOfThisRun(holder) && isDeclared(other) && other.declaration === holder.declaration);
}

/** A resource in a note about what no state holds. */
export const noted = (resource: Named): Holder => ({
  ...declarerOf(resource),
  record: resource.key,
  since: "declared",
});

export const declarerOf = ({ label, key }: Named): Declarer => ({ label, declaration: key });

/**
 * One value for one resource in a state, whatever it is called today and whichever process is asked: its job, or the
 * stand-in of its unconfirmed create, and since when it has it.
 */
export const recordKey = (id: string, at: string): string => canonicalJson([id, at]);

/** The same of a resource that is saved. */
export const recordOf = ({ jobId, origin }: Pick<SavedResource, "jobId" | "origin">): string =>
  recordKey(jobId, origin.at);
