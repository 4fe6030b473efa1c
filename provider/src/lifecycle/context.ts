import type { Service, Services } from "../client/service.js";
import type { Account, Settings } from "../config/index.js";
import type { Declaration } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import type { Outputs } from "./record.js";
import type { Today } from "./transitions.js";

/** What was sent in this process and got no clear answer: the reason why it is not sent again, by whoever asks. */
export type Ledger = Map<string, { readonly id: string; readonly outputs: Outputs }>;

/** What one process of ours is to the lifecycle. */
export interface Context {
  readonly settings: Settings;
  readonly services: Services;
  readonly ledger: Ledger;
  /** Shows one line to the user, beside no resource. */
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

/** Today's settings for one declaration. */
export function todayFor(context: Context, declared: Declaration): Today {
  const account = accountOf(context, declared);
  return {
    place: account === undefined ? undefined : { baseUrl: account.baseUrl, account: account.name },
    resendBefore: context.settings.resendUnconfirmedBefore(),
  };
}

/** The service that a declaration is sent to. */
export function serviceOf(context: Context, declared: Declaration): Service {
  const { account } = declared;
  return context.services.of(context.settings.account(typeof account === "string" ? account : undefined));
}
