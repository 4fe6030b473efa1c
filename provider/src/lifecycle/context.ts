import type { Explanation } from "../client/operation.js";
import type { Service, Services } from "../client/service.js";
import type { Settings } from "../config/index.js";
import type { Declaration } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { Inventories } from "./inventory/inventory.js";
import type { KeptJobs } from "./inventory/holders.js";
import type { ReadOwnState } from "./ownState.js";
import type { Done, Recorded } from "./result.js";

/**
 * What the lifecycle needs from its host and remembers between calls. What is known about an account's jobs is in the
 * account's `Inventory`.
 */
export interface Context {
  readonly settings: Settings;
  readonly services: Services;
  readonly inventories: Inventories;
  /** What was recorded for the creates and resends that became unconfirmed in this process, by the request. */
  readonly recorded: Map<string, RecordedRequest>;
  /**
   * The keys of the resources that the program declares. The engine calls `check` only for these resources, but calls
   * `diff` for other resources too.
   */
  readonly declared: Set<string>;
  /** Why the update of a resource was first refused in this process, by the resource's id. */
  readonly refused: Map<string, string>;
  /**
   * Why the engine might not record an unconfirmed create: then no create may be sent. Undefined if the engine will
   * record it.
   */
  readonly unrecordable: Explanation | undefined;
  /** What the stack's state had before this run. */
  readonly ownState: ReadOwnState;
  /** How many times the host may report the same recorded failure. After too many, the engine drops the record. */
  readonly mayRepeat: number;
  say(line: string): void;
  /** Shows a line, but only the first time in this process. */
  sayOnce(line: string): void;
}

interface RecordedRequest {
  readonly result: Recorded;
  /** How many times the engine repeated the request. */
  repeats: number;
}

type ContextOptions = Pick<Context, "services" | "unrecordable" | "mayRepeat" | "say"> &
  Partial<Pick<Context, "ownState">> & {
    /** The jobs that no process of the run may delete. Default: this process is the only one. */
    readonly keptJobs?: KeptJobs | undefined;
  };

export function newContext({ keptJobs, ...options }: ContextOptions): Context {
  const said = new Set<string>();
  return {
    ownState: () => Promise.resolve(undefined),
    ...options,
    settings: options.services.settings,
    inventories: new Inventories(keptJobs),
    recorded: new Map(),
    declared: new Set(),
    refused: new Map(),
    sayOnce(line) {
      if (!said.has(line)) options.say(line);
      said.add(line);
    },
  };
}

/**
 * The result for a request whose create already became unconfirmed: it is not sent again. An `onError` hook makes the
 * engine repeat such requests.
 */
export function askedAgain(context: Context, known: RecordedRequest): Done | Recorded {
  const { result } = known;
  known.repeats += 1;
  if (known.repeats <= context.mayRepeat) return result;
  // Report success, so that the engine keeps the record. The engine has not shown the message yet, so say it.
  context.sayOnce(result.message);
  return { ...result, kind: "done" };
}

/**
 * The service of the account that a declaration names today; undefined if the account is unknown in a preview.
 * @throws SettingsError if the account's settings cannot be used.
 */
export const serviceOf = ({ services }: Context, declared: Declaration): Service | undefined =>
  declared["account"] === unknownValue ? undefined : services.declaredBy(declared);

/** The settings of this run that decide what a difference means. */
export type CurrentSettings = ReturnType<typeof currentSettings>;

/** `service`: what {@link serviceOf} returned for the declaration. */
export function currentSettings(context: Context, service: Service | undefined) {
  const account = service?.account;
  return {
    /** Undefined if the account is unknown in a preview. */
    place: account && { baseUrl: account.baseUrl, account: account.name },
    /** In milliseconds. */
    resendBefore: context.settings.resendUnconfirmedBefore(),
    mode: account?.mode ?? context.settings.mode(),
  };
}
