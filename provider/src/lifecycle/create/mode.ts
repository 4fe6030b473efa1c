import { preflight } from "../../client/lists.js";
import { changesOf } from "../changes.js";
import { inventoryOf } from "../inventory/inventory.js";
import { unconfirmedForgotten } from "../messages.js";
import type { Mode } from "../mode.js";
import { Refusal } from "../result.js";
import * as messages from "./messages.js";

/**
 * The two documented operations. A job can be created, and nothing more can be known or done about it: what is recorded is
 * the user's word, and what cannot be done is refused.
 */
export const create: Mode = {
  adopt: (_service, _resource, id) => Promise.resolve({ id }),

  readNamed: (_service, resource, named) =>
    Promise.reject(new Refusal(resource, messages.cannotRead(resource.words, named))),

  preflight,

  async aroundCreate(service, { resource }, send) {
    const sent = await send();
    return sent.outcome === "created" ? inventoryOf(service).own(resource, sent) : sent;
  },

  update: (_context, _service, saved, resource, { kind }) =>
    kind === "resend"
      ? Promise.resolve(undefined)
      : Promise.reject(new Refusal(resource, messages.cannotChange(saved, changesOf(saved, resource)))),

  /** It sends nothing, and what was saved stays. An unconfirmed create that was resolved gets the job's id here, because an update cannot change an id. */
  read(context, saved) {
    context.sayOnce(messages.nothingToRead);
    return Promise.resolve({ kind: "done", id: saved.jobId, state: saved, hasDrifted: false });
  },

  /**
   * Called only where the user set `retainOnDelete` to false: a job that is known cannot be deleted, so nothing claims that
   * it was; an unconfirmed one may leave the state, for nothing more can be done about it here.
   */
  delete(context, saved) {
    if (saved.origin.outcome !== "unconfirmed") return Promise.reject(new Refusal(saved, messages.cannotDelete(saved)));
    context.say(unconfirmedForgotten(saved));
    return Promise.resolve();
  },

  says: messages,
};
