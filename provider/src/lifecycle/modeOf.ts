import type { ModeRules } from "../config/index.js";
import { all } from "./all/mode.js";
import { create } from "./create/mode.js";
import type { Mode } from "./mode.js";

/** The modes, by the name in their rules. */
export const modes: Readonly<Record<ModeRules["name"], Mode>> = { create, all };
