import type { Since } from "../client/claims.js";
import type { CompleteRecord, KnownRecord } from "../client/jobRecord.js";
import type { CreateOutcome, Explanation } from "../client/operation.js";
import type { Service } from "../client/service.js";
import type { PropertyChange } from "./changes.js";
import type { Context, Wanted } from "./context.js";
import type { JobState, Origin, Resource, SavedResource, Undeclared } from "./resource.js";
import type { Done, Gone, Recorded } from "./result.js";

/** What a refresh finds. */
export interface ReadBack extends Done {
  /** Whether the declaration that the state keeps changes too. */
  readonly hasDrifted: boolean;
}

/** A job that the user names by its id. */
export interface NamedJob {
  readonly id: string;
  /** Undefined where none was named. */
  readonly account: string | undefined;
  /** What is to be done with it. */
  readonly done: "imported" | "read";
}

/**
 * What is done to a job, by which operations of the service may be used: `documented` and `all`. Each throws a
 * {@link Refusal} where nothing more may be done.
 */
export interface Operations {
  /** Reads the job that a resource adopts, as far as it can be read. */
  adopt(service: Service, resource: Resource, id: string): Promise<CompleteRecord>;
  /** Reads a job, with the declaration that fits it; undefined where the service has none of this id. */
  declarationOf(
    service: Service,
    resource: Undeclared,
    named: NamedJob,
  ): Promise<Pick<JobState, "declared" | "job"> | undefined>;
  /** The safe request before the first create of a run: why nothing may be sent, or undefined. */
  preflight(service: Service): Promise<Explanation | undefined>;
  /** What is done before and after the request of a create. What it created is the resource's own from then on. */
  aroundCreate(service: Service, wanted: Wanted, send: () => Promise<CreateOutcome>): Promise<CreateOutcome>;
  /** An origin as it is saved after a request that succeeded. It waits for nothing: what was created must be recorded. */
  seenBy(service: Service, origin: Origin): Origin;
  /** An origin that the user confirms in this run, though nothing is sent. */
  confirmedBy(service: Service, origin: Origin): Promise<Origin>;
  /** Refuses what the service would answer to somebody else, before a request about a saved job. */
  refuseOtherSubject(service: Service, resource: Resource, origin: Origin): Promise<void>;
  /** Notes that the program declares a saved job. @throws Refusal where another resource has it, and jobs can be changed. */
  hold(service: Service, saved: SavedResource, resource: Resource, since: Since): void;
  /** Changes a saved job as it is declared now, and resolves to its record. */
  change(context: Context, service: Service, saved: SavedResource, resource: Resource): Promise<KnownRecord>;
  /** Looks for the job of an unconfirmed create. Undefined where it is surely not there and may be resent. */
  resolve(
    context: Context,
    service: Service,
    saved: SavedResource,
    resource: Resource,
  ): Promise<JobState | Recorded | undefined>;
  /** What a refresh finds. */
  read(context: Context, saved: SavedResource): Promise<ReadBack | Gone>;
  /** Lets a job leave the state. */
  remove(context: Context, saved: SavedResource): Promise<void>;
  /** Why nothing is sent about an unconfirmed create. `placeChanges`: it would be sent to another place than before. */
  staysUnconfirmed(saved: SavedResource, placeChanges: readonly PropertyChange[]): string;
  /** The ways out of an unconfirmed create. */
  waysToResolve(resource: Resource, origin: Origin): readonly string[];
  /** What the preview says of an adoption. */
  willAdopt(label: string, id: string): string;
  /** What the preview says of an unconfirmed create whose job is looked for. */
  willResolve(label: string, origin: Origin): string;
  /** What the preview says of values that it does not know; undefined where that is ordinary. */
  willDecideDuringUp(label: string, unknown: readonly string[]): string | undefined;
  /** Why a declaration cannot become true. */
  cannotChange(saved: SavedResource, changes: readonly PropertyChange[]): string;
}
