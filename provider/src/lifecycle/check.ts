import { SettingsError, type JobOperations } from "../config/index.js";
import {
  checkDeclaration,
  declarationKey,
  declaredMembers,
  labelOf,
  unsupportedIn,
  type Declaration,
  type JobKind,
} from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { accountOf, todayFor, type Context } from "./context.js";
import { inventoryOf } from "./all/inventory.js";
import { willCompareAndAdopt } from "./all/messages.js";
import * as messages from "./messages.js";

export interface Checked {
  readonly problems: readonly string[];
  /** Which operations may be used for this job. */
  readonly jobOperations: JobOperations;
}

/**
 * Checks a declaration and the settings that it needs: all problems, before anything is sent. Neither the network nor a
 * token is needed for it.
 */
export function check(context: Context, kind: JobKind, olds: Declaration, inputs: Declaration): Checked {
  const label = labelOf(kind, inputs);
  const unsupported = unsupportedIn(inputs);
  const found = unsupported.length > 0 ? unsupported : checkDeclaration(kind, inputs).map(({ text }) => text);
  const problems = found.map((text) => `${label}: ${text}`);
  if (problems.length > 0) return { problems, jobOperations: "create" };
  try {
    const declared = declaredMembers(inputs);
    const { jobOperations } = todayFor(context, declared);
    const { existingJobId } = declared;
    if (typeof existingJobId === "string" && existingJobId !== unknownValue) {
      const account = accountOf(context, declared);
      const declarer = { label, declaration: declarationKey(kind, inputs) };
      if (account !== undefined) inventoryOf(context.services.of(account)).holders.name(existingJobId, declarer);
      // The engine shows an adoption as a create.
      if (Object.keys(olds).length === 0)
        context.sayOnce((jobOperations === "all" ? willCompareAndAdopt : messages.willAdopt)(label, existingJobId));
    }
    return { problems, jobOperations };
  } catch (error) {
    if (error instanceof SettingsError) return { problems: [`${label}: ${error.message}`], jobOperations: "create" };
    throw error;
  }
}
