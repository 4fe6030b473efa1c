import type { Service } from "../../client/service.js";
import { SettingsError, type Account } from "../../config/index.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import type { Origin } from "../record.js";
import * as messages from "./messages.js";

/**
 * The service that a saved job belongs to. A job is never asked for, changed or deleted anywhere else: another address, or
 * a token that speaks for somebody else, would answer that it is gone.
 * @throws Refusal where today's settings name another address, the token another subject, or the settings cannot be read.
 */
export async function serviceOfSaved(context: Context, label: string, origin: Origin): Promise<Service> {
  const account = accountOfSaved(context, label, origin);
  if (account.baseUrl !== origin.baseUrl) throw new Refusal(label, messages.isElsewhere(origin, account.baseUrl));
  const service = context.services.of(account);
  await refuseOtherSubject(service, label, origin);
  return service;
}

/** @throws Refusal where the token speaks for another account or sub-account than the one that the job was last seen with. */
export async function refuseOtherSubject(service: Service, label: string, origin: Origin): Promise<void> {
  if (origin.subject === undefined) return;
  const subject = await subjectToday(service);
  if (subject !== undefined && subject !== origin.subject) throw new Refusal(label, messages.isOfOther(origin));
}

/** Whom today's token speaks for; undefined where that cannot be told. A token that cannot be had fails the request itself. */
async function subjectToday({ tokens }: Service): Promise<string | undefined> {
  try {
    await tokens.get();
    return tokens.subject;
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

/**
 * An origin with whom the tokens of this run speak for, where all job operations may be used. It waits for nothing: what
 * was created must be recorded.
 */
export function seenBy({ account, tokens: { subject } }: Service, origin: Origin): Origin {
  return account.jobOperations === "all" && subject !== undefined ? { ...origin, subject } : origin;
}

/** An origin that the user confirms in this run: with whom today's token speaks for, though nothing is sent. */
export async function confirmedToday(service: Service, origin: Origin): Promise<Origin> {
  if (service.account.jobOperations === "all") await subjectToday(service);
  return seenBy(service, origin);
}

function accountOfSaved({ settings }: Context, label: string, origin: Origin): Account {
  try {
    return settings.account(origin.account);
  } catch (error) {
    if (error instanceof SettingsError) throw new Refusal(label, messages.settingsUnusable(error));
    throw error;
  }
}
