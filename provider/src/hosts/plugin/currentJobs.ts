import type { Claims, Holder } from "../../client/claims.js";
import type { Resource } from "../../lifecycle/index.js";

/**
 * The jobs of the program's resources, as the processes of this run know them. Another job that is deleted of such a resource
 * was replaced: in this run, in which the resource may have moved to another provider, or in one that did not end.
 */
export class CurrentJobs {
  private readonly own = new Map<string, CurrentJob>();

  constructor(private readonly claims: Claims) {}

  /** `since`: `state` where the resource had it before this run. */
  note({ key, label }: Resource, id: string, since: CurrentJob["since"]): void {
    this.own.set(key, { id, since });
    this.claims.note(jobOf(key), { label, declaration: key, record: id, since });
  }

  /** By the resource's URN; undefined where this run did not come to it. */
  of(urn: string): CurrentJob | undefined {
    const other = this.claims.elsewhere(jobOf(urn));
    return this.own.get(urn) ?? (other && { id: other.record, since: other.since });
  }
}

interface CurrentJob {
  readonly id: string;
  readonly since: Holder["since"];
}

const jobOf = (urn: string): string => `job of ${urn}`;
