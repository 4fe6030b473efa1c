import type { ModeRules } from "../config/index.js";
import { all } from "./all/mode.js";
import { create } from "./create/mode.js";
import type { Mode } from "./mode.js";

const modes: Readonly<Record<ModeRules["name"], Mode>> = { create, all };

/** The mode with these rules. */
export const modeOf = ({ name }: ModeRules): Mode => modes[name];
