import type { AccountClient } from "../../client/accountClient.js";
import type { KnownRecord } from "../../client/jobRecord.js";
import type { JobKind } from "../../jobs/index.js";
import { differencesFrom } from "../compare.js";
import { declarersOf } from "../ownState.js";
import { plainInAll, type Described, type PropertyChange } from "../resource.js";
import type { SentJob } from "../sentJob.js";
import type { Inventory } from "./inventory.js";

// The secrets of the stack's other resources, which a job at the service may repeat.

/**
 * What the resources of the stack's state that have a job of this kind declare as secrets, and nothing else of them. Two
 * services may count their jobs alike.
 */
export async function secretsOfOwners({ ownState }: Inventory, id: string, kind: JobKind): Promise<readonly SentJob[]> {
  return declarersOf(await ownState(), id).flatMap(({ sent }) => (sent.kind === kind ? [sent.hidden] : []));
}

/** Whether a text of the service repeats a secret of the run's resources. */
export const repeatsSecret = ({ options: { secrets } }: AccountClient, text: string): boolean =>
  secrets !== undefined && secrets.in(text).length > 0;

/**
 * How a job differs from a declaration. It may be the job of any resource of the stack, or a copy of one: no value is shown
 * that may be a secret of theirs. `sent`: more that the job may have been sent with.
 */
export async function differencesShown(
  { ownState, client }: Inventory,
  resource: Described,
  job: KnownRecord,
  sent: readonly SentJob[] = [],
): Promise<readonly PropertyChange[]> {
  const { jobs = [], unconfirmed = [] } = (await ownState()) ?? {};
  const others = [...jobs, ...unconfirmed].flatMap((one) => (one.kind === resource.kind ? [one.sent] : []));
  return differencesFrom(resource, job, plainInAll(resource, ...sent, ...others)).map(({ was, now, ...change }) =>
    was === undefined || repeatsSecret(client, was) ? change : { ...change, was, ...(now !== undefined && { now }) },
  );
}
