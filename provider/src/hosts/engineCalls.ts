import type { Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import * as lifecycle from "../lifecycle/index.js";
import { notOurState } from "../lifecycle/messages.js";

/** What identifies a saved resource, even after a rename. */
type SavedRecord = Pick<lifecycle.SavedResource, "jobId" | "origin">;

/**
 * The engine's calls about resources, for one run. Each host decodes the engine's requests and encodes the replies.
 * What both hosts must know about the engine is here.
 */
export class EngineCalls {
  /** The keys of the `diff` calls still to come: after each `read` of a refresh, the engine calls `diff` to display it. */
  private readonly refreshDiffs = new Set<string>();
  /** By key, the current record of each resource that the program declares, as far as this process knows. */
  private readonly current = new Map<string, string>();
  /** Whether a create or an adoption has succeeded in this run. */
  hasCreated = false;

  /** `failure` creates the error with which the host reports a refusal to the engine. */
  constructor(
    readonly context: lifecycle.Context,
    private readonly failure: (message: string, label: string) => Error,
  ) {}

  /** @throws the host's failure for a state that is not from this package. */
  refuseState(label: string): never {
    throw this.failure(`${label}: ${notOurState}`, label);
  }

  /** `unreadable`: problems found while decoding. If there are any, the rest of the declaration is not checked. */
  async check(resource: lifecycle.Resource, isNew: boolean, unreadable: readonly string[]): Promise<lifecycle.Checked> {
    if (unreadable.length > 0) return { problems: unreadable, account: undefined };
    const checked = lifecycle.check(this.context, resource, isNew);
    if (!isNew || checked.problems.length > 0) return checked;
    const interrupted = await lifecycle.whyInterrupted(this.context, resource);
    return interrupted === undefined ? checked : { ...checked, problems: [interrupted] };
  }

  /**
   * `refreshed`: the engine calls this only to display what a refresh found, with old and new swapped. A difference must
   * not be refused here: the next `diff` decides that. If a `read` had no such `diff`, the next one is checked as usual.
   */
  async diff(
    saved: lifecycle.SavedResource,
    resource: lifecycle.Resource,
  ): Promise<lifecycle.Difference | "refreshed"> {
    // Computing the key takes time: skip it if nothing was read, as in a preview or an `up`.
    if (this.refreshDiffs.size > 0 && this.refreshDiffs.delete(refreshKey(saved, resource.declared)))
      return "refreshed";
    if (!lifecycle.rulesFor(this.context, saved).canChange) this.noteCurrent(resource, saved);
    return this.reporting(resource, () => lifecycle.diff(this.context, saved, resource));
  }

  async create(resource: lifecycle.Resource): Promise<lifecycle.Done | lifecycle.Recorded> {
    const result = await this.reporting(resource, () => lifecycle.create(this.context, resource));
    const { id, state } = result;
    if (result.kind === "done") {
      this.hasCreated = true;
      this.noteCurrent(resource, { jobId: state.job.id ?? id, origin: state.origin });
    }
    return result;
  }

  async update(
    saved: lifecycle.SavedResource,
    resource: lifecycle.Resource,
  ): Promise<lifecycle.Done | lifecycle.Recorded> {
    return this.reporting(resource, () => lifecycle.update(this.context, saved, resource));
  }

  /** What a refresh finds; undefined if the job is gone. */
  async read(saved: lifecycle.SavedResource): Promise<lifecycle.ReadBack | undefined> {
    const found = await this.reporting(saved, () => lifecycle.read(this.context, saved));
    if (found !== undefined)
      this.refreshDiffs.add(refreshKey({ id: found.id, origin: found.state.origin }, saved.declared));
    return found;
  }

  /** `advice`: lines to add to a refusal. */
  async delete(saved: lifecycle.SavedResource, advice: readonly string[] = []): Promise<void> {
    await this.reporting(saved, () => lifecycle.remove(this.context, saved), advice);
  }

  /** Makes a lifecycle call for a resource. @throws the host's failure if the call is refused. */
  async reporting<Result>(
    resource: Pick<lifecycle.Resource, "label">,
    call: () => Promise<Result>,
    advice: readonly string[] = [],
  ): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      const text = lifecycle.refusalText(error, resource);
      if (text === undefined) throw error;
      throw this.failure([text, ...advice].join("\n"), resource.label);
    }
  }

  /**
   * What became of a saved job that the engine deletes, if its resource now has a different record, as far as this process
   * knows: the job was `replaced`, or the resource `adopted` it again. That happened in this run, or in an earlier run
   * that did not finish.
   */
  afterReplacement({ key, jobId, origin }: lifecycle.SavedResource): "replaced" | "adopted" | undefined {
    const record = this.current.get(key);
    if (record === undefined || record === recordOf({ jobId, origin })) return undefined;
    return idIn(record) === jobId ? "adopted" : "replaced";
  }

  private noteCurrent({ key }: lifecycle.Resource, saved: SavedRecord): void {
    this.current.set(key, recordOf(saved));
  }
}

const recordOf = ({ jobId, origin }: SavedRecord): string => `${origin.at} ${jobId}`;

/** The job's id in a {@link recordOf}. The time before it contains no space. */
const idIn = (record: string): string => record.slice(record.indexOf(" ") + 1);

/**
 * The same for a `read` and for the `diff` that displays it (seen on engine 3.248): the record that the `read` returned,
 * and the declaration that was saved before it. Two resources may have adopted one job, but not at the same time.
 */
const refreshKey = ({ id, origin }: Pick<lifecycle.SavedResource, "id" | "origin">, declared: Declaration): string =>
  canonicalJson([id, origin.at, declared]);
