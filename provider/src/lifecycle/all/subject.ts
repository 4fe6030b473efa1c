import type { Service } from "../../client/service.js";
import type { Context } from "../context.js";
import type { Origin, Resource, SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import * as allMessages from "./messages.js";

/**
 * The service that a saved job belongs to. A job is never asked for, changed or deleted anywhere else: another address, or
 * a token that speaks for somebody else, would answer that it is gone.
 * @throws Refusal where today's settings name another address, or the token another subject.
 */
export async function serviceOfSaved({ settings, services }: Context, saved: SavedResource): Promise<Service> {
  const { origin } = saved;
  const account = settings.account(origin.account);
  if (account.baseUrl !== origin.baseUrl) throw new Refusal(saved, allMessages.isElsewhere(saved, account.baseUrl));
  const service = services.of(account);
  await refuseOtherSubject(service, saved, origin);
  return service;
}

/** @throws Refusal where the token speaks for another account or sub-account than the one that the job was last seen with. */
export async function refuseOtherSubject(service: Service, resource: Resource, origin: Origin): Promise<void> {
  if (origin.subject === undefined) return;
  const subject = await service.tokens.subjectToday();
  if (subject !== undefined && subject !== origin.subject) throw new Refusal(resource, allMessages.isOfOther(origin));
}
