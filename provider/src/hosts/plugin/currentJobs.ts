import type { Claims } from "../../client/service.js";
import type { Resource } from "../../lifecycle/index.js";

/** What tells one resource of a state from all others, whatever it is called. */
interface SavedRecord {
  readonly id: string;
  readonly at: string;
}

/**
 * What the program's resources have, as the processes of this run know it. Another record that is deleted of such a resource
 * was replaced: in this run, in which the resource may have moved to another provider, or in one that did not end.
 */
export class CurrentJobs {
  private readonly own = new Map<string, SavedRecord>();
  /** Whether this run created one. */
  hasCreated = false;

  constructor(private readonly claims: Claims) {}

  note({ key, label }: Resource, { id, at }: SavedRecord): void {
    this.own.set(key, { id, at });
    this.claims.note(jobOf(key), { label, declaration: key, record: `${at} ${id}`, since: "declared" });
  }

  noteCreated(resource: Resource, record: SavedRecord): void {
    this.hasCreated = true;
    this.note(resource, record);
  }

  /** By the resource's URN; undefined where this run did not come to it. */
  of(urn: string): SavedRecord | undefined {
    const own = this.own.get(urn);
    if (own !== undefined) return own;
    const [at, ...id] = this.claims.elsewhere(jobOf(urn))[0]?.record.split(" ") ?? [];
    return at === undefined ? undefined : { id: id.join(" "), at };
  }
}

const jobOf = (urn: string): string => `job of ${urn}`;
