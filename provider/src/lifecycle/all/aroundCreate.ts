import { declaredSource } from "../../client/jobMatch.js";
import { nothingSent, preflightFailed, type Explanation, type Unconfirmed } from "../../client/operation.js";
import { sentences } from "../../sentences.js";
import { isEqual } from "../compare.js";
import { notNew, type Inventory } from "../inventory/inventory.js";
import { idsOf } from "../messages.js";
import type { Mode } from "../mode.js";
import type { Wanted } from "../resource.js";
import * as allMessages from "./messages.js";
import { takeSource } from "./source.js";

const firstLookMs = 500;
const longestWaitMs = 5000;
const maxLookMs = 15_000;

/** Lists the jobs before the first create: a job in this list cannot be the job that a create makes. */
export async function preflight({ jobs, service }: Inventory): Promise<Explanation | undefined> {
  const list = await jobs.listSince(service.clock.now());
  return list.kind === "listed" ? undefined : preflightFailed(list);
}

/**
 * Checks the list of jobs, then sends a create. If a job already has the source, the create is not sent. If the create
 * is unconfirmed, the list is searched for the new job. The request itself is never repeated.
 */
export const aroundCreate: Mode["aroundCreate"] = async (inventory, wanted, send) => {
  const { resource, began } = wanted;
  const { jobs } = inventory;
  const source = declaredSource(resource);
  const why = await takeSource(inventory, resource, source, began);
  if (why !== undefined) return nothingSent("kind" in why ? "notSent" : "declined", why);
  const ended = inventory.begin(wanted);
  try {
    const { listNumber } = jobs;
    let outcome = await send();
    if (outcome.outcome === "created")
      outcome = jobs.isNewSince(listNumber, outcome.job.id)
        ? inventory.takeCreated(resource, outcome)
        : notNew(outcome, allMessages.wasListedBefore);
    if (outcome.outcome === "unconfirmed") outcome = await look(inventory, wanted, outcome, listNumber);
    if (outcome.outcome === "created") inventory.noteWritten(resource, outcome.job, source);
    // If the create is unconfirmed, its job may exist, so the source stays taken.
    if (outcome.outcome === "notCreated") inventory.releaseSource(source);
    return outcome;
  } finally {
    ended();
  }
};

/** Looks for the job of an unconfirmed create: it must be new, match the declaration, and belong to no resource. */
async function look(inventory: Inventory, wanted: Wanted, sent: Unconfirmed, listNumber: number) {
  const { jobs, service } = inventory;
  const { clock, account } = service;
  const { resource } = wanted;
  const end = clock.now() + Math.min(maxLookMs, Math.max(2000, account.timeoutSeconds * 1000));
  const answered = clock.now();
  for (let waitMs = firstLookMs; clock.now() + waitMs < end; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    await clock.sleep(waitMs);
    if (inventory.isSentTwice(wanted)) break;
    // Accept a list from after the create's answer, up to half a wait old: parallel searches then share one list.
    const list = await jobs.listSince(Math.max(answered, clock.now() - waitMs / 2));
    if (list.kind === "failed") continue;
    if (inventory.isSentTwice(wanted)) break;
    const candidates = [...new Map(list.entries.map((record) => [record.job.id, record])).values()].filter(
      (record) =>
        jobs.isNewSince(listNumber, record.job.id) &&
        inventory.of(record.job.id) === undefined &&
        isEqual(resource, record),
    );
    const [found, ...more] = candidates;
    if (more.length > 0) return { ...sent, what: sentences(sent.what, allMessages.severalFound(idsOf(candidates))) };
    if (found === undefined) continue;
    const { at, what: answer } = sent;
    const notes = [allMessages.foundByLooking(answer, found.job.id)];
    const own = inventory.takeCreated(resource, { outcome: "created", at, job: found.job, answer, notes });
    if (own.outcome === "created") return own;
  }
  return { ...sent, what: sentences(sent.what, allMessages.notFoundByLooking) };
}
