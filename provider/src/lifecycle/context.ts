import type { Service, Services } from "../client/service.js";
import type { Account, Settings } from "../config/index.js";
import { meaningOf, type Declaration, type JobKind } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import { unknownValue } from "../unknown.js";
import type { Outputs } from "./record.js";
import type { Place, Today } from "./transitions.js";

/** What was sent in this process and got no clear answer: the reason why it is not sent again, by whoever asks. */
export type Ledger = Map<string, { readonly id: string; readonly outputs: Outputs }>;

/** What one process of ours is to the lifecycle. */
export interface Context {
  readonly settings: Settings;
  readonly services: Services;
  readonly ledger: Ledger;
  /** The doubts of earlier runs that this program still declares: the id of each by the key of its create. */
  readonly doubts: Map<string, string>;
  /** The doubts whose update was refused in this process, by id. */
  readonly refused: Set<string>;
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

/** One text for one create: what would be made, and where. */
export const creationKey = (kind: JobKind, inputs: Declaration, { baseUrl, account }: Place): string =>
  canonicalJson([baseUrl, account, meaningOf(kind, inputs)]);

/** The service that a declaration is sent to. */
export function serviceOf(context: Context, declared: Declaration): Service {
  const { account } = declared;
  return context.services.of(context.settings.account(typeof account === "string" ? account : undefined));
}
