import type { CompleteRecord } from "../client/jobRecord.js";
import type { CreateOutcome, Explanation } from "../client/operation.js";
import type { Service } from "../client/service.js";
import type { Context } from "./context.js";
import type { Inventory } from "./inventory/inventory.js";
import type {
  DeclaredRecord,
  Described,
  JobState,
  Origin,
  PropertyChange,
  Resource,
  SavedResource,
  Undeclared,
  Wanted,
} from "./resource.js";
import type { ReadBack, Recorded } from "./result.js";
import type { Transition } from "./transitions.js";

/** An update of a saved resource to what the program declares now. */
export interface Update {
  readonly context: Context;
  readonly inventory: Inventory;
  readonly saved: SavedResource;
  readonly resource: Resource;
}

/** A job that the user names by id. */
export interface NamedJob {
  readonly id: string;
  /** Undefined if no account was named. */
  readonly account: string | undefined;
  /** What the user wants to do with the job, for messages. */
  readonly done: "imported" | "read";
}

/** What a mode does with jobs. Its rules are in the settings. Each function throws a {@link Refusal} to refuse. */
export interface Mode {
  /** Reads the job that a resource adopts. If the mode cannot read, the record has only the id. */
  adopt(inventory: Inventory, resource: Resource, id: string): Promise<CompleteRecord>;
  /** Reads a job; undefined if the service has no job with this id. */
  readNamed(service: Service, resource: Undeclared, named: NamedJob): Promise<DeclaredRecord | undefined>;
  /** Checks the service before the first create of a run. Returns why no create may be sent, or undefined. */
  preflight(inventory: Inventory): Promise<Explanation | undefined>;
  /** Wraps the request of a create. Afterwards, the created job belongs to the resource. */
  aroundCreate(inventory: Inventory, wanted: Wanted, send: () => Promise<CreateOutcome>): Promise<CreateOutcome>;
  /** Changes a saved job, or resolves an unconfirmed create. Undefined if the caller is to resend the create. */
  update(
    asked: Update,
    next: Extract<Transition, { kind: "change" | "resolve" | "resend" }>,
  ): Promise<JobState | Recorded | undefined>;
  /** What a refresh finds; undefined if the job is gone. */
  read(context: Context, saved: SavedResource): Promise<ReadBack | undefined>;
  /**
   * Removes a job from the state. Mode `all` first deletes the job at the service. Mode `create` cannot delete, so it
   * refuses, but it does let an unconfirmed create leave the state.
   */
  delete(context: Context, saved: SavedResource): Promise<void>;
  readonly says: Says;
}

/** The texts that differ between the modes. */
export interface Says {
  /** Why nothing is sent for an unconfirmed create. `placeChanges`: how its place differs from this run's. */
  staysUnconfirmed(saved: SavedResource, placeChanges: readonly PropertyChange[]): string;
  /** The ways to resolve an unconfirmed create. */
  waysToResolve(resource: Described, origin: Origin): readonly string[];
  /** The preview's line for an adoption. */
  willAdopt(label: string, id: string): string;
  /** The preview's line if unknown values decide what happens; undefined if no line is needed. */
  willDecideDuringUp(label: string, unknown: readonly string[]): string | undefined;
  /** The error if a job cannot be changed as declared. */
  cannotChange(saved: SavedResource, changes: readonly PropertyChange[]): string;
}
