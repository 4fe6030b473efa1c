import { warning, type Report } from "../finding.js";
import type { Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import type { Resource, SavedResource } from "./resource.js";
import type { Done, Recorded, Refreshed } from "./result.js";

/** How many times the engine may repeat a request that became unconfirmed. */
const maxRepeats = 50;

/**
 * The engine's calls of a run so far, as far as a later call means something else because of them. Resources are known by
 * their keys.
 */
export class EngineCalls {
  /** The engine calls `check` only for resources that the program declares, but calls `diff` for other resources too. */
  private readonly declared = new Map<string, Declaration>();
  /** The declared resources that the engine has in its state. */
  private readonly saved = new Set<string>();
  /** Saved resources that were checked but not yet compared with their declaration. */
  private readonly uncompared = new Set<string>();
  /**
   * The `diff` calls still to come: after each `read` of a refresh, the engine calls `diff` to display it, before any
   * `check` of the resource. With PULUMI_ENABLE_LEGACY_REFRESH_DIFF, it does not.
   */
  private readonly displays = new Set<string>();
  /** Compared before they were declared: the engine may delete them first, with what they depend on, to replace them. */
  private readonly dependents = new Set<string>();
  /** The saved resources whose jobs change. */
  private readonly changing = new Map<string, SavedResource>();
  /** By request: what was recorded for the creates and resends that became unconfirmed in this process. */
  private readonly recorded = new Map<string, { readonly result: Recorded; repeats: number }>();

  record(request: string, result: Recorded): Recorded {
    this.recorded.set(request, { result, repeats: 0 });
    return result;
  }

  /**
   * What was recorded for a request that the engine repeats because of an `onError` hook. The request is not sent again.
   * After some repeats, returns a success, so that the record is saved: after 100 failures, the engine would save the
   * resource without its id and its outputs, and later runs would panic.
   */
  recordedBefore(request: string, resource: Resource, report: Report): Done | Recorded | undefined {
    const known = this.recorded.get(request);
    if (known === undefined) return undefined;
    const { result } = known;
    known.repeats += 1;
    if (known.repeats < maxRepeats) return result;
    // The engine does not show the error of a call that it repeats.
    report(warning(resource, result.message));
    return { ...result, kind: "done" };
  }

  check({ key, declared }: Resource, isNew: boolean): void {
    this.declared.set(key, declared);
    if (isNew) return;
    this.saved.add(key);
    this.uncompared.add(key);
  }

  /** To replace because of a resource option, the engine calls `check` again as for a new resource, and never `diff`. */
  isReplacement({ key }: Resource, isNew: boolean): boolean {
    return isNew && this.uncompared.has(key);
  }

  /** Whether the engine has the resource in its state: it was checked as a saved one, at first. */
  isSaved({ key }: Resource): boolean {
    return this.saved.has(key);
  }

  isDeclared({ key }: Resource): boolean {
    return this.declared.has(key);
  }

  /** What the program declares for the resource in this run; undefined if it does not, or has not yet. */
  declarationOf({ key }: Resource): Declaration | undefined {
    return this.declared.get(key);
  }

  /** Whether the engine deletes the resource only to replace it, because something that it depends on is replaced. */
  isDependent({ key }: Resource): boolean {
    return this.dependents.has(key) && !this.declared.has(key);
  }

  /** Whether the program runs. In a refresh or a destroy without it, nothing is declared. */
  get hasProgram(): boolean {
    return this.declared.size > 0;
  }

  /** `found`: what the read returned; undefined if the job is gone. */
  read(found: Pick<Refreshed, "id" | "state"> | undefined, saved: SavedResource): void {
    if (found !== undefined)
      this.displays.add(refreshKey({ id: found.id, origin: found.state.origin }, saved.declared));
  }

  /** Notes a `diff`. Returns whether it only displays what a refresh has read. */
  diff(saved: SavedResource, resource: Resource): boolean {
    this.uncompared.delete(resource.key);
    // Computing the key is slow: skip it if nothing was read, as in a preview or an `up`.
    if (this.isDeclared(resource)) return false;
    if (this.displays.size > 0 && this.displays.delete(refreshKey(saved, resource.declared))) return true;
    this.dependents.add(resource.key);
    return false;
  }

  change({ key }: Resource, saved: SavedResource): void {
    this.changing.set(key, saved);
  }

  /** The saved resource that a change turned into a replacement: the engine creates it anew after its `diff`. */
  changed({ key }: Resource): SavedResource | undefined {
    return this.changing.get(key);
  }
}

/**
 * A key that a `read` and the `diff` that displays it have in common (seen on engine 3.248): the record that the `read`
 * returned, and the declaration saved before it. Two resources may have adopted one job, but not at the same time.
 */
const refreshKey = ({ id, origin }: Pick<SavedResource, "id" | "origin">, declared: Declaration): string =>
  canonicalJson([id, origin.at, declared]);
