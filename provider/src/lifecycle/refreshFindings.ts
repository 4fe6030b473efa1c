import type { ReadRecord } from "../client/jobRecord.js";
import { warning, type Finding } from "../finding.js";
import type { Inventory } from "./inventory/inventory.js";
import type { SavedResource } from "./resource.js";
import { missingConnection } from "./sourceLists.js";
import * as texts from "./texts/allMode.js";

/**
 * A finding that a refresh may have on a job. `saved`: the resource as the refresh is about to save it. `reported`: the job
 * at the service.
 */
type RefreshFinding = (
  saved: SavedResource,
  reported: ReadRecord,
  inventory: Inventory,
) => Finding | undefined | Promise<Finding | undefined>;

const unreadableMembers: RefreshFinding = (saved, { unreadable }) =>
  unreadable.length === 0 ? undefined : warning(saved, texts.unreadableMembers(saved.label, saved.jobId, unreadable));

/** In the order in which a refresh reports them. */
const refreshFindings: readonly RefreshFinding[] = [
  unreadableMembers,
  (saved, _reported, inventory) => missingConnection(inventory, saved),
];

/** Reports a refresh's findings on a job that the service has. */
export async function reportFindings(saved: SavedResource, reported: ReadRecord, inventory: Inventory): Promise<void> {
  for (const find of refreshFindings) {
    const finding = await find(saved, reported, inventory);
    if (finding !== undefined) inventory.report(finding);
  }
}
