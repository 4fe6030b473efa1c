import type { Account } from "../config/index.js";
import { CreateGate } from "./gate.js";
import { Tokens } from "./token.js";
import { Cancellation, RateLimitPause, systemClock, type Clock } from "./waits.js";

/** What the process around the client provides. */
export interface ClientOptions {
  /** Whether the engine that asked for all this is still alive. */
  isEngineAlive(): Promise<boolean>;
  /** Shows one line to the user. */
  say(line: string): void;
  /** Takes one line of the debug log for each request, where the user asked for it. */
  readonly log: ((line: string) => void) | undefined;
  /** Default: a run that nobody can cancel. */
  readonly cancellation?: Cancellation;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Who has what in the other processes of the run. Default: there are none. */
  readonly claims?: Claims;
}

/** One account at one address, for one run: its tokens, its create gate and its rate limit. */
export class Service {
  readonly tokens: Tokens;
  readonly pause: RateLimitPause;
  readonly gate: CreateGate;
  readonly cancellation: Cancellation;
  readonly clock: Clock;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.tokens = new Tokens(account);
    this.clock = options.clock ?? systemClock;
    this.cancellation = options.cancellation ?? new Cancellation();
    this.gate = new CreateGate(this.cancellation);
    this.pause = new RateLimitPause(this.clock, (line) => {
      options.say(line);
    });
  }
}

/** All services of one process. What is learned about one account never reaches another. */
export class Services {
  private readonly known = new Map<string, Service>();

  constructor(private readonly options: ClientOptions) {}

  of(account: Account): Service {
    const key = JSON.stringify([account.baseUrl, account.name]);
    let service = this.known.get(key);
    if (service === undefined) {
      service = new Service(account, this.options);
      this.known.set(key, service);
    }
    return service;
  }
}

/** A resource of the program. */
export interface Declarer {
  readonly label: string;
  /** The resource's key as the program declares it: all that is known of a new resource. */
  readonly declaration: string;
}

/** A resource that has what only one resource of a run may have. */
export interface Holder extends Declarer {
  /** `recordKey` of what the state holds. */
  readonly record: string;
  readonly since: Since;
}

/**
 * Since when in a run a resource has its job. From the state: `read`, a refresh read it, and the program may not declare it
 * any more; `changing`, it is declared otherwise than it was saved, and a delete that comes now replaces it; `declared`. The
 * others came to it in this run.
 */
export const allSince = ["read", "changing", "declared", "found", "created", "adopted"] as const;
export type Since = (typeof allSince)[number];

/**
 * What the provider processes of one run tell each other: an engine starts one for each provider resource. It is about
 * other processes alone, and each answer comes at once: what was asked must not wait between the look and the request.
 */
export interface Claims {
  /** Takes it for a resource. Where another process took it before, that one's holder is the answer. */
  take(what: string, holder: Holder): Holder | undefined;
  /** Gives back what this process took. */
  giveBack(what: string): void;
  /** Lets others know, before the next request is sent or a call is answered, that a resource has it, or may have it. */
  note(what: string, holder: Holder): void;
  /** Who took it in another process, then who was noted in one. */
  elsewhere(what: string): readonly Holder[];
}

/** Of a process that has no others beside it. */
export const alone: Claims = {
  take: () => undefined,
  giveBack: () => undefined,
  note: () => undefined,
  elsewhere: () => [],
};
