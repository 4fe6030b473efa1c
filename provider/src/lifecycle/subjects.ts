import { canonicalJson } from "../json.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Origin, Place, Resource } from "./resource.js";
import { Refusal } from "./result.js";
import { isOfOtherAccount } from "./texts/shared.js";

/** The subjects that the saved jobs of each account have, as far as this run has seen the jobs. */
export class Subjects {
  private readonly seen = new Map<string, Set<string>>();

  note(origin: Origin): void {
    const { subject } = origin;
    if (subject !== undefined) this.seen.set(keyOf(origin), this.of(origin).add(subject));
  }

  /**
   * Called before a job enters the stack. If the settings name the account's subject, each token is compared with that
   * instead.
   * @throws Refusal if the token has another subject than all jobs that the stack has in the account.
   */
  async refuseOther({ service: { account, tokens }, ownState }: Inventory, resource: Resource): Promise<void> {
    if (account.subject !== undefined) return;
    for (const { isOfProvider, origin } of (await ownState())?.jobs ?? []) if (isOfProvider) this.note(origin);
    const place = { baseUrl: account.baseUrl, account: account.name };
    const known = this.of(place);
    if (known.size === 0) return;
    await tokens.learnSubject();
    const { subject } = tokens;
    if (subject !== undefined && !known.has(subject))
      throw new Refusal(resource, isOfOtherAccount(resource, place, "otherJobs"));
  }

  private of(place: Place): Set<string> {
    return this.seen.get(keyOf(place)) ?? new Set();
  }
}

const keyOf = ({ baseUrl, account }: Place): string => canonicalJson([baseUrl, account ?? null]);
