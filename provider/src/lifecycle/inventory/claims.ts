import type { AccountClient } from "../../client/accountClient.js";
import type { Declarer } from "./holders.js";

/**
 * How far a resource has come that is to get a job: it has `taken` a source, or `mayLeave` its own in a preview; a create
 * is `sent`, has become `unconfirmed`, or was so `before` this run.
 */
export type Stage = "taken" | "mayLeave" | "sent" | "unconfirmed" | "before";

interface Claim {
  readonly client: AccountClient;
  readonly by: Declarer;
  readonly stage: Stage;
}

/** Which resources of a run are to get a job: by its source, or by its normalized declaration. */
export class Claims {
  private readonly known = new Map<string, readonly Claim[]>();

  /** The claims of a stage in an account, under whichever of its names. */
  of(what: string, { shared }: AccountClient, stage: Stage): readonly Declarer[] {
    const claims = this.known.get(what) ?? [];
    return claims.flatMap((claim) => (claim.stage === stage && claim.client.shared === shared ? claim.by : []));
  }

  add(what: string, claim: Claim): void {
    this.end(what, claim.by, claim.stage);
    this.known.set(what, [...(this.known.get(what) ?? []), claim]);
  }

  end(what: string, { key }: Declarer, stage: Stage): void {
    const claims = this.known.get(what);
    if (claims?.some(({ by }) => by.key === key) !== true) return;
    const others = claims.filter((claim) => claim.by.key !== key || claim.stage !== stage);
    if (others.length > 0) this.known.set(what, others);
    else this.known.delete(what);
  }

  /** Ends the claims of a resource to sources, except to one. */
  endOthers(by: Declarer, except?: string): void {
    for (const what of this.known.keys()) if (what !== except) this.end(what, by, "taken");
  }
}
