import { SettingsError } from "../config/index.js";
import { checkDeclaration, declaredMembers, labelOf, type Declaration, type JobKind } from "../jobs/index.js";
import { todayFor, type Context } from "./context.js";
import * as messages from "./messages.js";

/**
 * All problems of a declaration and of the settings that it needs, before anything is sent. Neither the network nor a
 * token is needed for it.
 */
export function check(context: Context, kind: JobKind, olds: Declaration, inputs: Declaration): string[] {
  const label = labelOf(kind, inputs);
  const problems = checkDeclaration(kind, inputs).map(({ text }) => text);
  const all = problems.length > 0 ? problems : settingsProblems(context, inputs);
  const { existingJobId } = inputs;
  // The engine shows an adoption as a create.
  if (all.length === 0 && Object.keys(olds).length === 0 && typeof existingJobId === "string")
    context.sayOnce(messages.willAdopt(label, existingJobId));
  return all.map((text) => `${label}: ${text}`);
}

function settingsProblems(context: Context, inputs: Declaration): string[] {
  try {
    todayFor(context, declaredMembers(inputs));
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return [error.message];
    throw error;
  }
}
