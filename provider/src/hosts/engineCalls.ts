import type { Claims } from "../client/service.js";
import type { Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import * as lifecycle from "../lifecycle/index.js";
import { notOurState } from "../lifecycle/messages.js";

/**
 * The engine's calls about resources, for one run. Each host decodes the engine's requests and encodes the replies.
 * What both hosts must know about the engine is here.
 */
export class EngineCalls {
  private readonly refreshDiffs = new RefreshDiffs();

  /** `failure` creates the error with which the host reports a refusal to the engine. */
  constructor(
    readonly context: lifecycle.Context,
    private readonly failure: (message: string, label: string) => Error,
    private readonly currentJobs?: CurrentJobs,
  ) {}

  /** @throws the host's failure for a state that is not from this package. */
  refuseState(label: string): never {
    throw this.failure(`${label}: ${notOurState}`, label);
  }

  /** `unreadable`: problems found while decoding. If there are any, the rest of the declaration is not checked. */
  check(resource: lifecycle.Resource, isNew: boolean, unreadable: readonly string[]): lifecycle.Checked {
    return unreadable.length > 0
      ? { problems: unreadable, account: undefined }
      : lifecycle.check(this.context, resource, isNew);
  }

  /** `refreshed`: the engine only displays what a refresh found. A later `diff` decides whether to refuse it. */
  async diff(
    saved: lifecycle.SavedResource,
    resource: lifecycle.Resource,
  ): Promise<lifecycle.Difference | { readonly kind: "refreshed" }> {
    if (this.refreshDiffs.take(saved.id, resource.declared)) return { kind: "refreshed" };
    if (!lifecycle.rulesFor(this.context, saved).canChange)
      this.currentJobs?.note(resource, { id: saved.jobId, at: saved.origin.at });
    return this.reporting(resource, () => lifecycle.diff(this.context, saved, resource));
  }

  async create(resource: lifecycle.Resource): Promise<lifecycle.Done | lifecycle.Recorded> {
    const result = await this.reporting(resource, () => lifecycle.create(this.context, resource));
    const { id, state } = result;
    if (result.kind === "done")
      this.currentJobs?.noteCreated(resource, { id: state.job.id ?? id, at: state.origin.at });
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
    if (found.kind === "gone") return undefined;
    this.refreshDiffs.expect(found.id, saved.declared);
    return found;
  }

  /** `explained` lets the host add to the text of a refusal. */
  async delete(saved: lifecycle.SavedResource, explained = (message: string) => message): Promise<void> {
    await this.reporting(saved, () => lifecycle.remove(this.context, saved), explained);
  }

  /** Makes a lifecycle call for a resource. @throws the host's failure if the call is refused. */
  async reporting<Result>(
    resource: Pick<lifecycle.Resource, "label">,
    call: () => Promise<Result>,
    explained = (message: string) => message,
  ): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      const text = lifecycle.refusalText(error, resource);
      if (text === undefined) throw error;
      throw this.failure(explained(text), resource.label);
    }
  }
}

/** What identifies a saved resource, even after a rename. */
interface SavedRecord {
  readonly id: string;
  readonly at: string;
}

/**
 * The current record of each resource that the program declares, as far as this run's processes know. If the engine
 * deletes a different record of one of these resources, the deleted record was replaced: in this run (the resource may
 * have moved to another provider), or in an earlier run that did not finish.
 */
export class CurrentJobs {
  private readonly own = new Map<string, SavedRecord>();
  /** Whether a create or an adoption has succeeded in this run. */
  hasCreated = false;

  constructor(private readonly claims: Claims) {}

  note({ key, label }: lifecycle.Resource, { id, at }: SavedRecord): void {
    this.own.set(key, { id, at });
    this.claims.note(jobOf(key), { label, declaration: key, record: `${at} ${id}`, since: "declared" });
  }

  noteCreated(resource: lifecycle.Resource, record: SavedRecord): void {
    this.hasCreated = true;
    this.note(resource, record);
  }

  /** The current record of the resource with this URN; undefined if this run has not reached the resource. */
  of(urn: string): SavedRecord | undefined {
    const own = this.own.get(urn);
    if (own !== undefined) return own;
    const [at, ...id] = this.claims.elsewhere(jobOf(urn))[0]?.record.split(" ") ?? [];
    return at === undefined ? undefined : { id: id.join(" "), at };
  }
}

const jobOf = (urn: string): string => `job of ${urn}`;

/**
 * Recognizes the `diff` that a refresh calls after `read`, with old and new swapped, only to display the result. That
 * `diff` must not refuse a difference; the next `diff` will. Reads are counted by id and declaration, because two
 * resources may have adopted one job.
 */
export class RefreshDiffs {
  private readonly expected = new Map<string, number>();

  /**
   * Call `expect` after a `read`, with the id that the `read` returned and the declaration that was saved before the
   * `read`. The `diff` that follows has the same id and declaration (seen on engine 3.248).
   */
  expect(id: string, saved: Declaration): void {
    const key = keyOf(id, saved);
    this.expected.set(key, (this.expected.get(key) ?? 0) + 1);
  }

  /** Whether this `diff` follows a `read`. If a `read` has no `diff`, the next one must still check a changed declaration. */
  take(id: string, declared: Declaration): boolean {
    // Computing a key takes time: skip it if nothing was read, as in a preview or an `up`.
    if (this.expected.size === 0) return false;
    const key = keyOf(id, declared);
    const count = this.expected.get(key) ?? 0;
    if (count > 0) this.expected.set(key, count - 1);
    return count > 0;
  }
}

const keyOf = (id: string, declared: Declaration): string => canonicalJson([id, declared]);
