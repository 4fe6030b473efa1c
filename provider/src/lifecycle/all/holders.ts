/** A resource of the program. */
export interface Declarer {
  readonly label: string;
  /** `declarationKey` of what the program declares: all that is known of a new resource. */
  readonly declaration: string;
}

/** A resource that has a job. */
export interface Holder extends Declarer {
  /** `recordKey` of what the state holds. */
  readonly record: string;
  /** `state`: it had the job when the run began. The others came to it in this run. */
  readonly since: "state" | "created" | "adopted" | "found";
}

/** Who has which job of an account in one run: a job never has two resources. */
export class Holders {
  private readonly holders = new Map<string, Holder>();
  private readonly named = new Map<string, Declarer>();

  of(id: string): Holder | undefined {
    return this.holders.get(id);
  }

  /** Who has a job, unless it is this record. */
  otherThan(record: string, id: string): Holder | undefined {
    const holder = this.holders.get(id);
    return holder?.record === record ? undefined : holder;
  }

  /** Gives a job to a resource that the state has; false where another one has it. */
  hold(id: string, holder: Holder): boolean {
    if (this.otherThan(holder.record, id) !== undefined) return false;
    this.holders.set(id, holder);
    return true;
  }

  /**
   * Gives a job to a resource that is created. Its own predecessor may have it: a replacement leaves it.
   * @returns who else has it, or how to give it back.
   */
  take(id: string, holder: Holder): { readonly other: Holder } | { readonly other: undefined; giveBack(): void } {
    const before = this.holders.get(id);
    const isFree = before === undefined || (before.since === "state" && before.declaration === holder.declaration);
    if (!isFree) return { other: before };
    this.holders.set(id, holder);
    return {
      other: undefined,
      giveBack: () => {
        if (before === undefined) this.holders.delete(id);
        else this.holders.set(id, before);
      },
    };
  }

  /** Notes that the program names a job in `existingJobId`: it is not deleted in this run. */
  name(id: string, declarer: Declarer): void {
    this.named.set(id, declarer);
  }

  namedBy(id: string): Declarer | undefined {
    return this.named.get(id);
  }
}
