import { deleteJob } from "../../client/jobCalls.js";
import type { Holder, Service } from "../../client/service.js";
import type { Context } from "../context.js";
import { inventoryOf, recordOf } from "../inventory/inventory.js";
import { unconfirmedForgotten } from "../messages.js";
import type { Mode } from "../mode.js";
import { secretsOf, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import { aroundCreate, preflight } from "./aroundCreate.js";
import { isSettled, listFor, search } from "./find.js";
import * as allMessages from "./messages.js";
import { isThere, readBack, readNamed, readToAdopt, serviceOfSaved } from "./read.js";
import * as unconfirmed from "./unconfirmedMessages.js";
import { update } from "./update.js";

/**
 * Deletes a saved job, identified only by its id.
 * @throws Refusal if the job may still exist: the job then stays in the state.
 */
async function deleteSaved(context: Context, saved: SavedResource): Promise<void> {
  const service = await serviceOfSaved(context, saved);
  if (saved.origin.outcome === "unconfirmed") {
    await forgetUnconfirmed(context, service, saved);
    return;
  }
  const inventory = inventoryOf(service);
  const { jobs } = inventory;
  const { jobId } = saved;
  const holder = inventory.of(jobId);
  if (holder !== undefined && isOthers(holder, saved)) {
    context.say(allMessages.leftToOther(saved.label, jobId, holder.label));
    return;
  }
  const named = inventory.namedBy(jobId);
  if (named !== undefined) {
    const isItself = named.declaration === (holder?.declaration ?? saved.key);
    throw new Refusal(
      saved,
      isItself ? allMessages.wantedByItself(jobId) : allMessages.wantedByOther(jobId, named.label),
    );
  }
  const result = (await isThere(service, saved, allMessages.notDeleted))
    ? await deleteJob(service, jobId, secretsOf(saved, saved.job))
    : ({ kind: "missing" } as const);
  if (result.kind === "failed" && result.cause !== "ambiguous")
    throw new Refusal(saved, allMessages.notDeleted(jobId, result));
  if (result.kind !== "deleted") {
    const explanation = result.kind === "failed" ? result : allMessages.onlyItsAddress;
    if (!(await jobs.isAbsent(jobId))) throw new Refusal(saved, allMessages.perhapsDeleted(jobId, explanation));
  }
  jobs.noteDeleted(jobId);
}

/**
 * Whether another resource has the job. Comparing records is not enough: in a state that was copied by hand, two
 * resources have the same record.
 */
const isOthers = ({ record, since, declaration }: Holder, saved: SavedResource): boolean =>
  record !== recordOf(saved) || since === "adopted" || (since === "declared" && declaration !== saved.key);

async function forgetUnconfirmed(context: Context, service: Service, saved: SavedResource): Promise<void> {
  if (!isSettled(saved.origin, service)) throw new Refusal(saved, unconfirmed.forgottenTooEarly(saved));
  const list = await listFor(saved.origin, service);
  if (list.kind === "failed") throw new Refusal(saved, unconfirmed.notForgottenByList(saved, list));
  const result = search(service, saved, list.entries);
  if (result.kind !== "none") throw new Refusal(saved, unconfirmed.perhapsThere(saved, result));
  context.say(unconfirmedForgotten(saved));
}

/** Mode `all`: reads jobs, deletes jobs, and changes jobs to match their declarations. */
export const all: Mode = {
  adopt: readToAdopt,
  readNamed,
  preflight,
  aroundCreate,
  update,
  read: readBack,
  delete: deleteSaved,
  says: {
    staysUnconfirmed: unconfirmed.staysUnconfirmed,
    waysToResolve: unconfirmed.waysToResolve,
    willAdopt: allMessages.willCompareAndAdopt,
    willDecideDuringUp: () => undefined,
    cannotChange: allMessages.cannotMove,
  },
};
