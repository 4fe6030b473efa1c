import { SettingsError, type Account } from "../config/index.js";
import { instantOf } from "../dateTime.js";
import { checkDeclaration } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { currentSettings, serviceOf, type Context } from "./context.js";
import * as messages from "./messages.js";
import type { Says } from "./mode.js";
import { modes } from "./modeOf.js";
import type { Resource, SavedResource } from "./resource.js";
import { Refusal } from "./result.js";
import { transition, type Transition } from "./transitions.js";

export interface Checked {
  readonly problems: readonly string[];
  /** Undefined if there are problems, or if the account is unknown in a preview. */
  readonly account: Account | undefined;
}

/**
 * Checks a declaration, then the settings that the declaration needs, before anything is sent. The check needs neither
 * the network nor a token.
 */
export function check(context: Context, resource: Resource, isNew: boolean): Checked {
  const { kind, label, key, declared, isPlain } = resource;
  context.declared.add(key);
  const problems = checkDeclaration(kind, declared, isPlain).map(({ text }) => `${label}: ${text}`);
  if (problems.length > 0) return { problems, account: undefined };
  try {
    context.settings.resendUnconfirmedBefore();
    const service = serviceOf(context, declared);
    const { existingJobId } = declared;
    if (service !== undefined && typeof existingJobId === "string" && existingJobId !== unknownValue) {
      context.inventories.of(service).holders.name(existingJobId, resource);
      // The engine shows an adoption as a create, so this line says what really happens.
      if (isNew) context.sayOnce(modes[service.account.mode.name].says.willAdopt(label, existingJobId));
    }
    return { problems, account: service?.account };
  } catch (error) {
    if (error instanceof SettingsError) return { problems: [`${label}: ${error.message}`], account: undefined };
    throw error;
  }
}

/**
 * How a saved job differs from its declaration. `change`: the job itself changes, so the host shows each member that
 * differs. `update`: any other update.
 */
export type Difference = "none" | "update" | "change";

/**
 * Shows a line in the preview if the engine's plain "update" says too little.
 * @throws Refusal if the change cannot be made, so that the preview already fails, before anything happens.
 */
export async function diff(context: Context, saved: SavedResource, resource: Resource): Promise<Difference> {
  const service = serviceOf(context, resource.declared);
  const settings = currentSettings(context, service);
  const { says } = modes[settings.mode.name];
  const next = transition(saved, resource, settings);
  // Only a declared resource holds its job here. Before a replacement, the engine also calls `diff` for dependents as
  // they are saved, under their old names.
  if (service !== undefined && context.declared.has(resource.key)) {
    const isUpdate = next.kind !== "unchanged" && next.kind !== "refuse";
    context.inventories.of(service).hold(saved, resource, isUpdate ? "changing" : "declared");
  }
  if (next.kind === "refuse") throw new Refusal(resource, says.cannotChange(saved, next.changes));
  if (next.kind === "unchanged") return "none";
  if (next.kind === "change") return "change";
  const { resendBefore = Infinity } = settings;
  const isUnresolved = next.kind === "stayUnconfirmed" || next.kind === "resolve";
  if (isUnresolved && (instantOf(saved.origin.at) ?? 0) >= resendBefore)
    context.sayOnce(messages.isNotLater(resource.label, saved.origin, resendBefore));
  const line = whatFollows(next, saved, resource, says);
  if (line !== undefined) context.sayOnce(line);
  return "update";
}

/** The preview's line for an update that does more, or less, than the word "update" says. */
function whatFollows(
  next: Exclude<Transition, { kind: "refuse" | "unchanged" | "change" }>,
  { origin }: SavedResource,
  { label }: Resource,
  says: Says,
): string | undefined {
  switch (next.kind) {
    case "record":
      return next.why === "noEffect" ? messages.willRecordOnly(label) : messages.willRecordAsDeclared(label, next.job);
    case "adopt":
      return origin.outcome === "unconfirmed"
        ? says.willAdopt(label, next.id)
        : messages.willRecordAsDeclared(label, next);
    case "decideDuringUp":
      return says.willDecideDuringUp(label, next.unknown);
    case "resend":
      return messages.willResend(label, origin);
    case "resolve":
      return messages.willResolve(label, origin);
    case "stayUnconfirmed":
      return messages.willStayUnconfirmed(label, origin, next.placeChanges.length === 0);
  }
}
