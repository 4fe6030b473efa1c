import type { Service } from "../../client/service.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import type { Origin } from "../record.js";
import * as messages from "./messages.js";

/**
 * The service that a saved job belongs to. A job is never asked for, changed or deleted anywhere else: another address, or
 * another account's token, would answer that it is gone.
 * @throws Refusal where today's settings name another address.
 */
export function serviceOfSaved(context: Context, label: string, origin: Origin): Service {
  const account = context.settings.account(origin.account);
  if (account.baseUrl !== origin.baseUrl) throw new Refusal(label, messages.isElsewhere(origin, account.baseUrl));
  return context.services.of(account);
}
