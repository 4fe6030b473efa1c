import { holdJob } from "../hold.js";
import { heldByOther } from "../messages.js";
import type { Operations } from "../operations.js";
import { Refusal } from "../result.js";
import { readToAdopt } from "./adopt.js";
import { change } from "./change.js";
import { aroundCreate, preflight } from "./checkedCreate.js";
import { readNamed } from "./readNamed.js";
import * as allMessages from "./messages.js";
import { readBack } from "./read.js";
import { removeJob } from "./remove.js";
import { resolve } from "./resolve.js";
import { confirmedBy, refuseOtherSubject, seenBy } from "./subject.js";
import { staysUnconfirmed, waysToResolve } from "./unconfirmedMessages.js";

/** All operations of the service: what is recorded was read, and what is declared is made so. */
export const all: Operations = {
  adopt: readToAdopt,
  preflight,
  aroundCreate,
  seenBy,
  confirmedBy,
  refuseOtherSubject,

  hold(service, saved, resource, since) {
    const other = holdJob(service, saved, resource, since);
    if (other !== undefined) throw new Refusal(resource, heldByOther(saved.jobId, other.label, resource.label));
  },

  change,
  resolve,
  declarationOf: readNamed,
  read: readBack,
  remove: removeJob,
  staysUnconfirmed,
  waysToResolve,
  willAdopt: allMessages.willCompareAndAdopt,
  willResolve: allMessages.willResolve,
  willDecideDuringUp: () => undefined,
  cannotChange: allMessages.cannotMove,
};
