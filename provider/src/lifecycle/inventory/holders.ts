import type { Claims, Declarer, Holder } from "../../client/claims.js";
import { canonicalJson } from "../../json.js";

/** Who has which job of an account in one run, over all its processes: a job never has two resources. */
export class Holders {
  private readonly holders = new Map<string, Holder>();
  private readonly named = new Map<string, Declarer>();
  /** The jobs of which it is not known yet whether the program declares the resource that has them. */
  private readonly onlyRead = new Set<string>();

  constructor(
    private readonly claims: Claims,
    private readonly baseUrl: string,
  ) {}

  of(id: string): Holder | undefined {
    const own = this.holders.get(id);
    const other = this.claims.elsewhere(this.job(id));
    // What another process took in this run it could only take from the state.
    return other !== undefined && (own === undefined || other.since !== "state") ? other : own;
  }

  /** Who has a job, unless it is this record. */
  otherThan(record: string, id: string): Holder | undefined {
    const holder = this.of(id);
    return holder?.record === record ? undefined : holder;
  }

  /** Gives a job to a resource that the state has; false where another one has it. */
  hold(id: string, holder: Holder): boolean {
    const isFirstDeclared = holder.since === "state" && this.onlyRead.delete(id);
    return this.keep(id, holder, isFirstDeclared ? undefined : this.holders.get(id));
  }

  /** The same for a resource that a refresh reads: of two that have one job, the one that the program declares comes first. */
  holdRead(id: string, holder: Holder): boolean {
    const own = this.holders.get(id);
    const isHeld = this.keep(id, holder, own);
    if (isHeld && own === undefined) this.onlyRead.add(id);
    return isHeld;
  }

  private keep(id: string, holder: Holder, own: Holder | undefined): boolean {
    if (own !== undefined && own.record !== holder.record) return false;
    const job = this.job(id);
    if (holder.since !== "state") {
      if (this.claims.take(job, holder) !== undefined) return false;
    } else if (own === undefined) {
      this.claims.note(job, holder);
    }
    // After it was told: of two processes that do so at one moment at least one sees the other.
    const other = this.claims.elsewhere(job);
    if (other !== undefined && other.record !== holder.record) {
      this.claims.giveBack(job);
      return false;
    }
    this.holders.set(id, holder);
    return true;
  }

  /**
   * Gives a job to a resource that is created. Its own predecessor may have it: a replacement leaves it.
   * @returns who else has it, or how to give it back.
   */
  take(id: string, holder: Holder): { readonly other: Holder } | { readonly other: undefined; giveBack(): void } {
    const inTheWay = (before: Holder | undefined) =>
      before?.since === "state" && before.declaration === holder.declaration ? undefined : before;
    const job = this.job(id);
    const before = this.holders.get(id);
    const isOnlyRead = this.onlyRead.has(id);
    const first = (isOnlyRead ? undefined : inTheWay(before)) ?? this.claims.take(job, holder);
    if (first !== undefined) return { other: first };
    this.onlyRead.delete(id);
    const giveBack = (): void => {
      this.claims.giveBack(job);
      if (isOnlyRead) this.onlyRead.add(id);
      if (before === undefined) this.holders.delete(id);
      else this.holders.set(id, before);
    };
    const other = inTheWay(this.claims.elsewhere(job));
    if (other !== undefined) {
      giveBack();
      return { other };
    }
    this.holders.set(id, holder);
    return { other, giveBack };
  }

  /** Notes that the program names a job in `existingJobId`: it is not deleted in this run. */
  name(id: string, declarer: Declarer): void {
    this.named.set(id, declarer);
    this.claims.note(this.naming(id), noted(declarer));
  }

  namedBy(id: string): Declarer | undefined {
    return this.named.get(id) ?? this.claims.elsewhere(this.naming(id));
  }

  private readonly job = (id: string): string => canonicalJson(["job", this.baseUrl, id]);

  private readonly naming = (id: string): string => canonicalJson(["named", this.baseUrl, id]);
}

/** A resource in a note about what no state holds. */
export const noted = (declarer: Declarer): Holder => ({ ...declarer, record: declarer.declaration, since: "state" });
