import { canonicalJson } from "../../json.js";

/** What tells one resource of a state from all others, whatever it is called. */
export interface SavedRecord {
  readonly id: string;
  readonly at: string;
}

/** The calls that come with what a state has. */
export type CallOfSaved = "diff" | "update" | "read" | "delete";

const recordOf = ({ id, at }: SavedRecord): string => canonicalJson([id, at]);

/**
 * One key for one resource of the state in one run. A run that renames a resource calls it by two URNs: a refresh, and the
 * delete of a replacement, come with the old one. Two resources that have one job are two all the same.
 */
export class SavedKeys {
  /** By what the state has, the URNs under which it was read. */
  private readonly read = new Map<string, Set<string>>();
  /** By the same, the URN of a change that the engine asked about and has not made: if it deletes now, it replaces. */
  private readonly changing = new Map<string, string>();

  noteRead(urn: string, record: SavedRecord): void {
    const urns = this.read.get(recordOf(record)) ?? new Set();
    this.read.set(recordOf(record), urns.add(urn));
  }

  noteChange(urn: string, record: SavedRecord): void {
    this.changing.set(recordOf(record), urn);
  }

  noteUpdate(record: SavedRecord): void {
    this.changing.delete(recordOf(record));
  }

  of(call: CallOfSaved, urn: string, record: SavedRecord): string {
    if (call === "read") return urn;
    const named = call === "delete" ? (this.changing.get(recordOf(record)) ?? urn) : urn;
    const [first = named, ...others] = this.read.get(recordOf(record)) ?? [];
    return others.length === 0 ? first : named;
  }
}
