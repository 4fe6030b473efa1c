import { jobOperations, SettingsError, type Account, type JobOperations } from "../config/index.js";
import { all } from "./all/operations.js";
import type { Context } from "./context.js";
import { documented } from "./documented/operations.js";
import type { Operations } from "./operations.js";
import type { Origin, SavedResource } from "./resource.js";

const operations: Readonly<Record<JobOperations["name"], Operations>> = { create: documented, all };

/** The only place at which the setting `jobOperations` of an account decides what is done. */
export const operationsOf = ({ jobOperations: { name } }: Pick<Account, "jobOperations">): Operations =>
  operations[name];

/**
 * The same for a saved job. A refresh or a delete must not fail for a malformed setting where nothing is to be sent: then
 * only the documented operations count.
 */
export const operationsFor = (context: Context, saved: SavedResource): Operations =>
  operationsOf({ jobOperations: jobOperationsFor(context, saved) });

export function jobOperationsFor(
  { settings }: Context,
  { origin }: { readonly origin: Pick<Origin, "account"> },
): JobOperations {
  try {
    return settings.jobOperations(origin.account);
  } catch (error) {
    if (error instanceof SettingsError) return jobOperations.create;
    throw error;
  }
}
