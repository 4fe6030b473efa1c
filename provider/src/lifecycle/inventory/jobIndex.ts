import { compareKind, idKey, reportedSource, sourceKeys } from "../../client/jobMatch.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import { jobKinds, wireParams, type DeclaredJob } from "../../jobs/index.js";

export interface Indexed {
  /** For comparisons. */
  readonly id: string;
  readonly record: ReadRecord;
  /** The source that the record may lack: this run has sent it. */
  readonly source: string | undefined;
}

/** Jobs by id, and by the sources that they may have: comparing each one with each declaration would be slow. */
export class JobIndex {
  private readonly byId = new Map<string, Indexed>();
  private readonly byKey = new Map<string, Set<string>>();

  set(record: ReadRecord, source?: string): void {
    const id = idKey(record.job.id);
    const before = this.byId.get(id);
    if (before !== undefined) for (const key of keysOf(before)) this.byKey.get(key)?.delete(id);
    const entry = { id, record, source };
    this.byId.set(id, entry);
    for (const key of keysOf(entry)) this.byKey.set(key, (this.byKey.get(key) ?? new Set()).add(id));
  }

  get(id: string): Indexed | undefined {
    return this.byId.get(idKey(id));
  }

  all(): readonly Indexed[] {
    return [...this.byId.values()];
  }

  /** The jobs that may have the declared source, in any form, and those that do not report theirs. */
  near({ kind, declared }: DeclaredJob): readonly Indexed[] {
    const keys = [...sourceKeys(kind, wireParams({ kind, declared })), kind.jobType];
    const ids = new Set(keys.flatMap((key) => [...(this.byKey.get(key) ?? [])]));
    return [...ids].flatMap((id) => this.byId.get(id) ?? []);
  }
}

/** The keys of a job's sources. Of an incomplete source, also the type of its kind. */
function keysOf({ record, source }: Indexed): readonly string[] {
  const { params = {} } = record.job;
  const keys = jobKinds.flatMap((kind) => {
    if (compareKind(kind, record) === "other") return [];
    const isWhole = source !== undefined || reportedSource(kind, record) !== undefined;
    return [...sourceKeys(kind, params), ...(isWhole ? [] : [kind.jobType])];
  });
  return source === undefined ? keys : [...keys, source];
}

/** The record with this id. */
export const recordIn = (records: readonly ReadRecord[], id: string): ReadRecord | undefined =>
  indexOf(records).get(id)?.record;

const indexes = new WeakMap<readonly ReadRecord[], JobIndex>();

/** The index of a list, made once. */
export function indexOf(records: readonly ReadRecord[]): JobIndex {
  const known = indexes.get(records);
  if (known !== undefined) return known;
  const index = new JobIndex();
  for (const record of records) index.set(record);
  indexes.set(records, index);
  return index;
}
