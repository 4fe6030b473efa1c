import { SettingsError } from "../config/index.js";
import { checkDeclaration, declaredMembers, type Declaration, type JobKind } from "../jobs/index.js";
import { todayFor, type Context } from "./context.js";

/**
 * All that is wrong with a declaration and with the settings that it needs, before anything is sent. No network and no
 * token is needed for it.
 */
export function check(context: Context, kind: JobKind, inputs: Declaration): string[] {
  const faults = checkDeclaration(kind, inputs).map(({ text }) => text);
  return faults.length > 0 ? faults : settingsFaults(context, inputs);
}

function settingsFaults(context: Context, inputs: Declaration): string[] {
  try {
    todayFor(context, declaredMembers(inputs));
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return [error.message];
    throw error;
  }
}
