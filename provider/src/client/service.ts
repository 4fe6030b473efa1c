import type { Account } from "../config/index.js";
import { Hold } from "./hold.js";
import { Tokens } from "./token.js";
import { Turns } from "./turns.js";

/** What the process around the client gives it. */
export interface Surroundings {
  /** Whether the engine that asked for all this still lives; asked before a request that has waited. */
  isEngineAlive(): Promise<boolean>;
  /** Shows one line to the user. */
  say(line: string): void;
  readonly debug: boolean;
}

/** One account at one address, for one run: its tokens, its turns and what it has asked for. */
export class Service {
  readonly tokens: Tokens;
  readonly hold: Hold;
  readonly turns = new Turns();

  constructor(
    readonly account: Account,
    readonly surroundings: Surroundings,
  ) {
    this.tokens = new Tokens(account);
    this.hold = new Hold((line) => {
      surroundings.say(line);
    });
  }
}

/** All services of one process. What is learned about one account never reaches another. */
export class Services {
  private readonly known = new Map<string, Service>();

  constructor(private readonly surroundings: Surroundings) {}

  of(account: Account): Service {
    const key = JSON.stringify([account.baseUrl, account.name]);
    let service = this.known.get(key);
    if (service === undefined) {
      service = new Service(account, this.surroundings);
      this.known.set(key, service);
    }
    return service;
  }
}
