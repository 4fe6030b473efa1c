import type { Declaration } from "../../../provider/src/jobs/index.js";
import type { Config } from "../all/runOptions.js";
import type { Machine } from "./machine.js";
import type { Network } from "./network.js";
import type { Noise } from "./noise.js";
import type { Host } from "./providers.js";
import { emptyState, type StateFile } from "./state.js";
import type { Timeline } from "./timeline.js";

/** A stack's state and lock at its backend. */
export class Stack {
  file: StateFile = emptyState;
  /** The run that holds the lock. */
  lock: object | undefined;
}

export type Program = Readonly<Record<string, Declaration>>;
export type Kind = "up" | "preview" | "refresh" | "destroy";

/** A pulumi command as it is typed. */
export interface Command {
  readonly kind: Kind;
  readonly program: Program;
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string>>;
  readonly skipPreview: boolean;
  readonly continueOnError: boolean;
  readonly refresh: boolean;
  /** `--clear-pending-creates` */
  readonly clearPending: boolean;
  /** `--target`: the resources that it names; undefined for all. */
  readonly targets: readonly string[] | undefined;
  /** The resources that are replaced if they change. */
  readonly replaceOnChanges: readonly string[];
  /** `--replace` */
  readonly replaces: readonly string[];
  /** Whether the resources do not set deleteBeforeReplace. */
  readonly deletesLast: boolean;
  /** The provider of each resource that is not on the default provider. */
  readonly providers: Readonly<Partial<Record<string, string>>>;
  /** The old name of each resource that the program renames by an alias. */
  readonly aliases: Readonly<Partial<Record<string, string>>>;
  /** How often an `onError` hook repeats a failed create. */
  readonly hookRepeats: number;
  readonly checkpoints: "each" | "end" | "journal";
  /** How long an export of the state takes. */
  readonly exportMs: number;
}

export type Step = "same" | "created" | "updated" | "deleted" | "read" | "gone" | "failed" | "recorded";

/** What a command did with a resource. */
export interface Taken {
  readonly name: string;
  readonly step: Step;
  readonly message: string | undefined;
  readonly began: number;
  readonly ended: number;
  readonly isPreview: boolean;
}

/** What a user sees of a command, and what became of it. */
export interface Outcome {
  /** The environment in which it was typed. */
  readonly env: Command["env"];
  readonly end: "ended" | "killed" | "locked";
  readonly failed: boolean;
  readonly taken: readonly Taken[];
  readonly lines: readonly string[];
}

export interface EngineWorld {
  readonly timeline: Timeline;
  readonly network: Network;
  readonly noise: Noise;
  /** The host and the settings of a provider, by its name. */
  readonly provider: (name: string) => { readonly host: Host; readonly config: Config };
  nextPort(): number;
}
