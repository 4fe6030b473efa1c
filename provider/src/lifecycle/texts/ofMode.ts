import type { ModeRules } from "../../config/index.js";
import type { Described, Origin, PropertyChange, SavedResource } from "../resource.js";
import * as all from "./allMode.js";
import * as create from "./createMode.js";
import * as unconfirmed from "./unconfirmed.js";
import type { KnownCreates } from "./unconfirmedCreates.js";

/** The texts that differ between the modes. */
interface ModeTexts {
  /** Why nothing is sent for an unconfirmed create. `placeChanges`: how its place differs from this run's. */
  staysUnconfirmed(saved: SavedResource, placeChanges: readonly PropertyChange[], known: KnownCreates): string;
  /** The ways to resolve an unconfirmed create, which may be in flight until then. */
  waysToResolve(
    resource: Described & Pick<SavedResource, "urn" | "words">,
    origin: Origin,
    until: string | undefined,
  ): readonly string[];
  /** The preview's line for an adoption. */
  willAdopt(label: string, id: string): string;
}

const texts: Readonly<Record<ModeRules["name"], ModeTexts>> = {
  create,
  all: {
    staysUnconfirmed: unconfirmed.staysUnconfirmed,
    waysToResolve: unconfirmed.waysToResolve,
    willAdopt: all.willCompareAndAdopt,
  },
};

export const textsOf = ({ name }: ModeRules): ModeTexts => texts[name];
