import type { CompleteRecord } from "../client/jobRecord.js";
import type { CreateOutcome, Explanation } from "../client/operation.js";
import type { Service } from "../client/service.js";
import type { PropertyChange } from "./changes.js";
import type { Context, Wanted } from "./context.js";
import type { Described } from "./messages.js";
import type { JobState, Origin, Resource, SavedResource, Undeclared } from "./resource.js";
import type { Done, Gone, Recorded } from "./result.js";
import type { Transition } from "./transitions.js";

/** What a refresh finds. */
export interface ReadBack extends Done {
  /** Whether the saved declaration changes too. */
  readonly hasDrifted: boolean;
}

/** A job that the user names by its id. */
export interface NamedJob {
  readonly id: string;
  /** Undefined if none was named. */
  readonly account: string | undefined;
  /** What is to be done with it. */
  readonly done: "imported" | "read";
}

/** What each mode does with a job; its rules are in the settings. Each throws a {@link Refusal} where nothing more may be done. */
export interface Mode {
  /** Reads the job that a resource adopts, as far as it can be read. */
  adopt(service: Service, resource: Resource, id: string): Promise<CompleteRecord>;
  /** Reads a job, with a declaration that matches it; undefined if the service has no job with this id. */
  readNamed(
    service: Service,
    resource: Undeclared,
    named: NamedJob,
  ): Promise<Pick<JobState, "declared" | "job"> | undefined>;
  /** The safe request before the first create of a run: why nothing may be sent, or undefined. */
  preflight(service: Service): Promise<Explanation | undefined>;
  /** Runs around the request of a create. The job that it creates belongs to the resource from then on. */
  aroundCreate(service: Service, wanted: Wanted, send: () => Promise<CreateOutcome>): Promise<CreateOutcome>;
  /** Changes a saved job, or looks for that of an unconfirmed create. Undefined if the create may be resent. */
  update(
    context: Context,
    service: Service,
    saved: SavedResource,
    resource: Resource,
    next: Extract<Transition, { kind: "change" | "resolve" | "resend" }>,
  ): Promise<JobState | Recorded | undefined>;
  /** What a refresh finds. */
  read(context: Context, saved: SavedResource): Promise<ReadBack | Gone>;
  /** Lets a job leave the state. */
  delete(context: Context, saved: SavedResource): Promise<void>;
  readonly says: Says;
}

/** The texts that differ by the mode. */
export interface Says {
  /** Why nothing is sent for an unconfirmed create. `placeChanges`: it would go to another place than before. */
  staysUnconfirmed(saved: SavedResource, placeChanges: readonly PropertyChange[]): string;
  /** The ways out of an unconfirmed create. */
  waysToResolve(resource: Described, origin: Origin): readonly string[];
  /** The preview's line for an adoption. */
  willAdopt(label: string, id: string): string;
  /** The preview's line for values that it does not know; undefined if that is ordinary. */
  willDecideDuringUp(label: string, unknown: readonly string[]): string | undefined;
  /** Why a declaration cannot become true. */
  cannotChange(saved: SavedResource, changes: readonly PropertyChange[]): string;
}
