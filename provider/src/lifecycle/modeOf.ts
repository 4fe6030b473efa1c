import { modes as rules, SettingsError, type Account, type ModeRules } from "../config/index.js";
import { all } from "./all/mode.js";
import type { Context } from "./context.js";
import { create } from "./create/mode.js";
import type { Mode } from "./mode.js";
import type { Origin } from "./resource.js";

const modes: Readonly<Record<ModeRules["name"], Mode>> = { create, all };

export const modeOf = ({ mode: { name } }: Pick<Account, "mode">): Mode => modes[name];

/**
 * The mode rules for a saved job. If the settings for the job are malformed, the rules are those of mode `create`,
 * because a refresh or delete that sends nothing must not fail because of a setting.
 */
export function rulesFor({ settings }: Context, { origin }: { readonly origin: Pick<Origin, "account"> }): ModeRules {
  try {
    return settings.mode(origin.account);
  } catch (error) {
    if (error instanceof SettingsError) return rules.create;
    throw error;
  }
}
