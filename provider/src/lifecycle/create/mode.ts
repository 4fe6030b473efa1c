import { preflight } from "../../client/lists.js";
import { changesOf } from "../compare.js";
import { unconfirmedForgotten } from "../messages.js";
import type { Mode } from "../mode.js";
import { Refusal } from "../result.js";
import * as messages from "./messages.js";

/**
 * Mode `create` uses only the two documented requests. It creates jobs, but cannot read, change or delete them. It
 * relies on what the user declares about a job, and refuses what it cannot do.
 */
export const create: Mode = {
  adopt: (_inventory, _resource, id) => Promise.resolve({ id }),

  readNamed: (_service, resource, named) =>
    Promise.reject(new Refusal(resource, messages.cannotRead(resource.words, named))),

  preflight: ({ service }) => preflight(service),

  async aroundCreate(inventory, { resource }, send) {
    const sent = await send();
    return sent.outcome === "created" ? inventory.takeCreated(resource, sent) : sent;
  },

  update: ({ saved, resource }, { kind }) =>
    kind === "resend"
      ? Promise.resolve(undefined)
      : Promise.reject(new Refusal(resource, messages.cannotChange(saved, changesOf(saved, resource)))),

  /**
   * Sends nothing and keeps the state. If an unconfirmed create was resolved, replaces the resource's stand-in with the
   * job's id. The update that resolved the create could not do this: an update cannot change a resource's id.
   */
  read(context, saved) {
    context.sayOnce(messages.nothingToRead);
    return Promise.resolve({ kind: "done", id: saved.jobId, state: saved, hasDrifted: false });
  },

  /**
   * Not called if `retainOnDelete` is true. Refuses a known job, because this mode cannot delete the job. An
   * unconfirmed create may leave the state, because this mode can do nothing more about the create.
   */
  delete(context, saved) {
    if (saved.origin.outcome !== "unconfirmed") return Promise.reject(new Refusal(saved, messages.cannotDelete(saved)));
    context.say(unconfirmedForgotten(saved));
    return Promise.resolve();
  },

  says: messages,
};
