import { SettingsError, type Account } from "../config/index.js";
import { checkDeclaration } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { inventoryOf } from "./inventory/inventory.js";
import { accountOf, type Context } from "./context.js";
import { modeOf } from "./modeOf.js";
import type { Resource } from "./resource.js";

export interface Checked {
  readonly problems: readonly string[];
  /** Undefined where there are problems, and where it is unknown in a preview. */
  readonly account: Account | undefined;
}

/**
 * Checks a declaration and the settings that it needs: all problems, before anything is sent. Neither the network nor a
 * token is needed for it.
 */
export function check(context: Context, resource: Resource, isNew: boolean): Checked {
  const { kind, label, key, declared, isPlain } = resource;
  context.declared.add(key);
  const problems = checkDeclaration(kind, declared, isPlain).map(({ text }) => `${label}: ${text}`);
  if (problems.length > 0) return { problems, account: undefined };
  try {
    context.settings.resendUnconfirmedBefore();
    const account = accountOf(context, declared);
    if (account !== undefined) nameExisting(context, account, resource, isNew);
    return { problems, account };
  } catch (error) {
    if (error instanceof SettingsError) return { problems: [`${label}: ${error.message}`], account: undefined };
    throw error;
  }
}

function nameExisting(context: Context, account: Account, resource: Resource, isNew: boolean): void {
  const { existingJobId } = resource.declared;
  if (typeof existingJobId !== "string" || existingJobId === unknownValue) return;
  inventoryOf(context.services.of(account)).holders.name(existingJobId, resource);
  // The engine shows an adoption as a create.
  if (isNew) context.sayOnce(modeOf(account).says.willAdopt(resource.label, existingJobId));
}
