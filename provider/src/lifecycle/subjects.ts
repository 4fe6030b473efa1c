import { notSent, type CallFailure } from "../client/outcomes.js";
import { canonicalJson } from "../json.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Origin, Place } from "./resource.js";

interface Compared {
  readonly known: ReadonlySet<string>;
  readonly now: string;
}

/** The token subjects of each account's saved jobs, if this run has seen the jobs. */
export class Subjects {
  private readonly seen = new Map<string, Set<string>>();

  note(origin: Origin): void {
    const { subject } = origin;
    if (subject !== undefined) this.seen.set(keyOf(origin), this.of(origin).add(subject));
  }

  /**
   * The subjects of the stack's jobs in an account, and of this run's token. Undefined if either is unknown, or if the
   * settings name the account's subject: each token is then compared with that instead. Fails without a token.
   */
  async compared({ client: { account, tokens }, ownState }: Inventory): Promise<Compared | CallFailure | undefined> {
    if (account.subject !== undefined) return undefined;
    for (const { isOfProvider, origin } of (await ownState())?.jobs ?? []) if (isOfProvider) this.note(origin);
    const known = this.of({ baseUrl: account.baseUrl, account: account.name });
    if (known.size === 0) return undefined;
    const error = await tokens.learnSubject();
    if (error !== undefined) return notSent("creates", error);
    return tokens.subject === undefined ? undefined : { known, now: tokens.subject };
  }

  private of(place: Place): Set<string> {
    return this.seen.get(keyOf(place)) ?? new Set();
  }
}

const keyOf = ({ baseUrl, account }: Place): string => canonicalJson([baseUrl, account ?? null]);
