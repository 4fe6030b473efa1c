import type { Mode } from "../mode.js";
import { aroundCreate, preflight } from "./aroundCreate.js";
import { deleteSaved } from "./delete.js";
import { cannotMove, willCompareAndAdopt } from "./messages.js";
import { readBack } from "./read.js";
import { readNamed, readToAdopt } from "./readJob.js";
import { staysUnconfirmed, waysToResolve } from "./unconfirmedMessages.js";
import { update } from "./update.js";

/** All operations of the service: what is recorded was read, and what is declared is made so. */
export const all: Mode = {
  adopt: readToAdopt,
  readNamed,
  preflight,
  aroundCreate,
  update,
  read: readBack,
  delete: deleteSaved,
  says: {
    staysUnconfirmed,
    waysToResolve,
    willAdopt: willCompareAndAdopt,
    willDecideDuringUp: () => undefined,
    cannotChange: cannotMove,
  },
};
