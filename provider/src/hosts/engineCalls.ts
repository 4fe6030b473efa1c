import type { Claims } from "../client/service.js";
import type { Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import * as lifecycle from "../lifecycle/index.js";
import { notOurState } from "../lifecycle/messages.js";

/**
 * The engine's calls about resources, for one run. Each host decodes what the engine hands over, and encodes the answer;
 * what both must know of the engine is here.
 */
export class EngineCalls {
  private readonly refreshDiffs = new RefreshDiffs();

  /** `failure`: the error by which the host tells the engine of a refusal. */
  constructor(
    readonly context: lifecycle.Context,
    private readonly failure: (message: string, label: string) => Error,
    private readonly currentJobs?: CurrentJobs,
  ) {}

  /** A resource as the state has it. @throws the host's failure for a state that is not ours. */
  ours(saved: lifecycle.SavedResource | undefined, label: string): lifecycle.SavedResource {
    if (saved === undefined) throw this.failure(`${label}: ${notOurState}`, label);
    return saved;
  }

  /** `unreadable`: what could not be decoded. The rest of such a declaration is not checked. */
  check(resource: lifecycle.Resource, isNew: boolean, unreadable: readonly string[]): lifecycle.Checked {
    return unreadable.length > 0
      ? { problems: unreadable, account: undefined }
      : lifecycle.check(this.context, resource, isNew);
  }

  /** `refreshed`: this call only shows what a refresh found, and must not refuse what a later one will. */
  async diff(
    saved: lifecycle.SavedResource,
    resource: lifecycle.Resource,
  ): Promise<lifecycle.Difference | { readonly kind: "refreshed" }> {
    if (this.refreshDiffs.take(saved.id, resource.declared)) return { kind: "refreshed" };
    if (!lifecycle.rulesFor(this.context, saved).canChange)
      this.currentJobs?.note(resource, { id: saved.jobId, at: saved.origin.at });
    return this.accepted(await lifecycle.diff(this.context, saved, resource), resource);
  }

  async create(resource: lifecycle.Resource): Promise<lifecycle.Done | lifecycle.Recorded> {
    const result = this.accepted(await lifecycle.create(this.context, resource), resource);
    const { id, state } = result;
    if (result.kind === "done")
      this.currentJobs?.noteCreated(resource, { id: state.job.id ?? id, at: state.origin.at });
    return result;
  }

  async update(
    saved: lifecycle.SavedResource,
    resource: lifecycle.Resource,
  ): Promise<lifecycle.Done | lifecycle.Recorded> {
    return this.accepted(await lifecycle.update(this.context, saved, resource), resource);
  }

  /** What a refresh finds; undefined for a job that is gone. */
  async read(saved: lifecycle.SavedResource): Promise<lifecycle.ReadBack | undefined> {
    const found = this.accepted(await lifecycle.read(this.context, saved), saved);
    if (found.kind === "gone") return undefined;
    this.refreshDiffs.expect(found.id, saved.declared);
    return found;
  }

  /** `explained`: the text of a refusal, with what the host has to add to it. */
  async delete(saved: lifecycle.SavedResource, explained = (message: string) => message): Promise<void> {
    const result = await lifecycle.remove(this.context, saved);
    if (result.kind === "refused") throw this.failure(explained(result.message), saved.label);
  }

  private accepted<Result>(result: Result | lifecycle.Refused, { label }: { readonly label: string }): Result {
    if (isRefused(result)) throw this.failure(result.message, label);
    return result;
  }
}

const isRefused = (result: unknown): result is lifecycle.Refused =>
  typeof result === "object" && result !== null && "kind" in result && result.kind === "refused";

/** What identifies a resource of a state, whatever its name. */
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

  note({ key, label }: lifecycle.Resource, { id, at }: SavedRecord): void {
    this.own.set(key, { id, at });
    this.claims.note(jobOf(key), { label, declaration: key, record: `${at} ${id}`, since: "declared" });
  }

  noteCreated(resource: lifecycle.Resource, record: SavedRecord): void {
    this.hasCreated = true;
    this.note(resource, record);
  }

  /** By the resource's URN; undefined if this run did not reach it. */
  of(urn: string): SavedRecord | undefined {
    const own = this.own.get(urn);
    if (own !== undefined) return own;
    const [at, ...id] = this.claims.elsewhere(jobOf(urn))[0]?.record.split(" ") ?? [];
    return at === undefined ? undefined : { id: id.join(" "), at };
  }
}

const jobOf = (urn: string): string => `job of ${urn}`;

/**
 * A refresh calls `read` and then `diff` of the same resource, the wrong way round, only to show it: that `diff` must not
 * refuse what a later one will. Counted by id and declaration, for two resources may have adopted one job.
 */
export class RefreshDiffs {
  private readonly expected = new Map<string, number>();

  /**
   * After a `read`, with the id that it answered and the declaration that was saved before it: the `diff` that follows
   * comes with these (seen on engine 3.248).
   */
  expect(id: string, saved: Declaration): void {
    const key = keyOf(id, saved);
    this.expected.set(key, (this.expected.get(key) ?? 0) + 1);
  }

  /** Whether a `diff` is the one that follows a `read`. A `read` without its `diff` must not let a change of the program pass. */
  take(id: string, declared: Declaration): boolean {
    // Nothing was read in a preview or an `up`, and computing a key takes time.
    if (this.expected.size === 0) return false;
    const key = keyOf(id, declared);
    const count = this.expected.get(key) ?? 0;
    if (count > 0) this.expected.set(key, count - 1);
    return count > 0;
  }
}

const keyOf = (id: string, declared: Declaration): string => canonicalJson([id, declared]);
