import type { Explanation } from "../client/operation.js";
import type { Service, Services } from "../client/service.js";
import { SettingsError, type Account, type JobOperations, type Settings } from "../config/index.js";
import { normalizedText, type Declaration, type JobKind } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import { unknownValue } from "../unknown.js";
import type { Origin, Outputs } from "./record.js";
import type { Place, Today } from "./transitions.js";

/** Creates of this process that got no clear answer: none of them is retried, whoever asks. */
export interface Ledger {
  /** By what would be created, and where. */
  readonly creates: Map<string, UnconfirmedCreate>;
  /** Unconfirmed creates of earlier runs that were resent and are unconfirmed again: their new outputs, by id. */
  readonly resends: Map<string, { readonly outputs: Outputs; readonly message: string }>;
}

export interface UnconfirmedCreate {
  /** Of the request that was sent last. */
  readonly origin: Origin;
  /** The record of each resource that declares it, by `declarationKey`. */
  readonly records: Map<string, { readonly id: string; readonly message: string; readonly outputs: Outputs }>;
}

/** What the lifecycle needs of its process. */
export interface Context {
  readonly settings: Settings;
  readonly services: Services;
  readonly ledger: Ledger;
  /** Unconfirmed creates of earlier runs that this program still declares: the label of each, by what would be created. */
  readonly unconfirmed: Map<string, string>;
  /** Resources whose update was refused in this process, by id. */
  readonly refused: Set<string>;
  /** Why an unconfirmed create might not be recorded, so that no create may be sent; undefined where it is recorded. */
  readonly unrecordable: Explanation | undefined;
  /** Shows one line to the user, under the stack. */
  say(line: string): void;
  /** The same, but only the first time in this process. */
  sayOnce(line: string): void;
}

/** The account of a declaration; undefined where it is unknown in a preview. */
export function accountOf(context: Context, declared: Declaration): Account | undefined {
  const { account } = declared;
  if (account === unknownValue) return undefined;
  return context.settings.account(typeof account === "string" ? account : undefined);
}

/** Where the jobs of an account are. */
export const placeOf = ({ baseUrl, name }: Account): Place => ({ baseUrl, account: name });

/** Today's settings for one declaration. */
export function todayFor(context: Context, declared: Declaration): Today {
  const account = accountOf(context, declared);
  return {
    place: account === undefined ? undefined : placeOf(account),
    resendBefore: context.settings.resendUnconfirmedBefore(),
    jobOperations: account?.jobOperations ?? context.settings.jobOperations(),
  };
}

/**
 * Which operations may be used for a saved job. A refresh or a delete must not fail for a malformed setting where nothing
 * is to be sent: then only the documented operations count.
 */
export function operationsFor({ settings }: Context, origin: Origin): JobOperations {
  try {
    return settings.jobOperations(origin.account);
  } catch (error) {
    if (error instanceof SettingsError) return "create";
    throw error;
  }
}

/** One string for one create: what would be created, and where. */
export const creationKey = (kind: JobKind, inputs: Declaration, { baseUrl, account }: Place): string =>
  canonicalJson([baseUrl, account, normalizedText(kind, inputs)]);

/** The service that a declaration is sent to. */
export function serviceOf(context: Context, declared: Declaration): Service {
  const { account } = declared;
  return context.services.of(context.settings.account(typeof account === "string" ? account : undefined));
}
