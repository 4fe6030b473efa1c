import { declaredSource } from "../client/jobMatch.js";
import { isFailure } from "../client/outcomes.js";
import type { ModeRules } from "../config/index.js";
import { info, warning, type Finding } from "../finding.js";
import { likelyMistakes } from "../jobs/index.js";
import { sentences } from "../sentences.js";
import { unknownValue } from "../unknown.js";
import { adoptedRecord } from "./adopt.js";
import { whyRefused, type Moment } from "./guards.js";
import type { Plan } from "./plan.js";
import { refusalOf } from "./refusals.js";
import type { SavedResource, Resource } from "./resource.js";
import { Refusal } from "./result.js";
import { missingFrom, uncompared } from "./sourceLists.js";
import * as texts from "./texts/allMode.js";
import { upMayRefuse } from "./texts/sources.js";
import { idOf, resendVariable, shownPlace, willAdopt } from "./texts/shared.js";
import { whoseCreate, willBeRecorded } from "./texts/unconfirmed.js";
import type { CurrentSettings, Transition } from "./transitions.js";
import { waitedFor } from "./unconfirmed/creates.js";
import { whyPending } from "./unconfirmed/record.js";
import { besideAdoption } from "./unconfirmed/unrecorded.js";
import { foundBy, foundNone, keepFound } from "./update.js";

/**
 * Goes through the steps of `up` for a resource and asks the same guards, but creates and changes nothing. Returns the
 * preview's findings. `findMatching`: returns the id of the job that a new resource adopts by its source.
 * @throws Refusal if `up` would refuse the resource.
 */
export async function foresee(
  plan: Plan,
  findMatching: () => Promise<string | undefined>,
): Promise<readonly Finding[]> {
  const stopped = await stop(plan, "start");
  if (stopped !== undefined) {
    await look(plan);
    return stopped;
  }
  const waited = await foreseeWaited(plan);
  if (waited !== undefined) return waited;
  const id = await findMatching();
  const next = id === undefined ? plan : plan.followedBy({ kind: "adopt", id, saved: undefined });
  return (await look(next)) ?? foreseeRequest(next);
}

/** If nothing refuses an adoption, the job is the resource's from then on, even if the job could not be read. */
async function look(plan: Plan): Promise<readonly Finding[] | undefined> {
  const { step, inventory, resource } = plan;
  const stopped = await stop(plan, "look");
  if (step.kind === "adopt" && step.id !== unknownValue) inventory.adopt(step.id, resource, plan.at());
  return stopped;
}

/**
 * Undefined if the plan passes the guards of these moments. If a guard cannot get what it needs to know, the preview of
 * the resource ends with a warning.
 */
async function stop(plan: Plan, ...moments: readonly Moment[]): Promise<readonly Finding[] | undefined> {
  const why = await whyRefused(plan, ...moments);
  if (why === undefined) return undefined;
  if (!isFailure(why)) throw refusalOf(plan, why);
  return [uncompared(why)];
}

async function foreseeRequest(plan: Plan): Promise<readonly Finding[]> {
  const { step } = plan;
  switch (step.kind) {
    case "new":
      return (await foreseeFound(plan)) ?? [...foundNone(plan), ...(await foreseeCreate(plan))];
    case "resolve":
      return (
        (await foreseeFound(plan)) ??
        foreseeResend(plan.followedBy({ kind: "resend", saved: step.saved, searched: step }))
      );
    case "resend":
      return foreseeResend(plan);
    case "change":
      return foreseeChange(plan, step.saved);
    case "adopt":
      return besideAdoption(plan, plan.resource, step.id, (await adoptedRecord(plan, step.id)).created);
    case "decideDuringUp":
      if (plan.hasUnknownSource) plan.inventory.noteMayMove(plan.resource);
      return [];
    default:
      return [];
  }
}

/** If the unconfirmed create's job is found, `up` records it, and changes it if the declaration has changed. */
async function foreseeFound(plan: Plan): Promise<readonly Finding[] | undefined> {
  const { resource } = plan;
  const found = foundBy(plan, await plan.search());
  if (found === undefined) return undefined;
  const { saved, differs } = found;
  keepFound(plan, saved.jobId);
  const change = plan.followedBy({ kind: "change", saved, origin: saved.origin });
  const recorded = info(resource, texts.willRecord(resource.label, saved.jobId, plan.seen(saved).mayRun));
  return [recorded, ...(differs ? await foreseeChange(change, saved) : [])];
}

/** Undefined if the resource waits for no pending create. Only `up` can record one, and its own preview must let it. */
async function foreseeWaited(plan: Plan): Promise<readonly Finding[] | undefined> {
  const { resource, resends } = plan;
  const waited = await waitedFor(plan);
  if (waited === undefined) return undefined;
  if (resends.isPreview) throw new Refusal(resource, whyPending(plan, waited));
  const recorded = willBeRecorded(resource.label, whoseCreate(waited.create, resource));
  return [warning(resource, sentences(recorded, resends.notUsedFor(resource)))];
}

async function foreseeResend(plan: Plan): Promise<readonly Finding[]> {
  const findings = (await stop(plan, "start")) ?? (await foreseeWaited(plan)) ?? (await foreseeCreate(plan));
  plan.inventory.noteJob(plan.resource);
  return findings;
}

async function foreseeCreate(plan: Plan): Promise<readonly Finding[]> {
  const { inventory, resource, client } = plan;
  const stopped = await stop(plan, "send");
  if (stopped !== undefined || !client.account.mode.canRead || plan.hasUnknownSource) return stopped ?? [];
  const use = await plan.sourceUse();
  const source = declaredSource(resource);
  if (use === undefined) {
    const other = source === undefined ? undefined : inventory.claimantOf(source, resource);
    // Another resource may have come first since then.
    if (other !== undefined) return foreseeCreate(plan.anew(undefined));
    inventory.noteJob(resource);
    inventory.claim(resource, source);
  }
  if (use?.kind === "own")
    return plan.details.isDeletedFirst === true ? [] : [info(resource, texts.willBeReplaced(resource.label, use.id))];
  if (use?.kind === "taken") return [warning(resource, `${resource.label}: ${upMayRefuse(use.records, resource)}`)];
  return missingFrom(inventory, resource);
}

async function foreseeChange(plan: Plan, saved: SavedResource): Promise<readonly Finding[]> {
  const { inventory, resource } = plan;
  const stopped = await stop(plan, "send");
  const source = declaredSource(resource);
  if (stopped !== undefined || !(await plan.movesJob())) return stopped ?? [];
  if (source === undefined) inventory.noteMayMove(resource);
  else {
    const isFree = (await plan.sourceUse()) === undefined;
    // Another resource may have come first since then.
    if (isFree && inventory.claimantOf(source, resource) !== undefined)
      return foreseeChange(plan.anew(undefined), saved);
    // As in `up`, later resources find the job at its new source, and those that are looking now find that it is taken.
    inventory.noteWritten(resource, { ...saved.job, id: saved.jobId }, source);
    inventory.claim(resource, source);
  }
  return missingFrom(inventory, resource);
}

/**
 * Warnings about values that are accepted but probably a mistake, while they can still be corrected: in a mode that
 * cannot change jobs, only for a new resource. `mode`: undefined if the account is unknown in a preview.
 */
export function mistakesIn(resource: Resource, mode: ModeRules | undefined, isNew: boolean): readonly Finding[] {
  const { kind, label, declared } = resource;
  const isLastChance = mode?.canChange === false && declared["existingJobId"] === undefined;
  if (mode?.canChange === false && !isNew) return [];
  return likelyMistakes(kind, declared).map((text) =>
    warning(
      resource,
      `${label}: ${isLastChance ? sentences(text, "Check it now: once the job is created, Pulumi cannot change or delete it.") : text}`,
    ),
  );
}

type Update = Exclude<Transition, { kind: "unchanged" | "change" }>;

/** The preview's lines for an update that does more or less than the word "update" suggests. */
export function linesFor(
  next: Update,
  { origin }: Pick<SavedResource, "origin">,
  { label }: Pick<Resource, "label">,
  { mode }: Pick<CurrentSettings, "mode">,
): string[] {
  const on = (text: string) => `${label}: ${text}`;
  const since = `unconfirmed since ${origin.at}.`;
  switch (next.kind) {
    case "record":
      return [on(asDeclared(idOf(next.job)))];
    case "adopt":
      return [origin.outcome === "unconfirmed" ? willAdopt(mode, label, next.id) : on(asDeclared(next.id))];
    case "decideDuringUp":
      // Mode `all` can change a job, so it refuses nothing.
      return mode.canChange
        ? []
        : [
            on(
              `${next.unknown.join(", ")} ${next.unknown.length === 1 ? "is" : "are"} known only during pulumi up. If the value then changes an existing job, pulumi up refuses the change and sends nothing.`,
            ),
          ];
    case "resend":
      return [
        on(
          `${since} This update resends it once to ${shownPlace(origin)}, because ${resendVariable} allows it, if its request can no longer be on its way.`,
        ),
      ];
    case "resolve":
      return [
        on(
          `${since} This update looks for its job at the service: it records the job if it is there, and resends the create once if it is not.`,
        ),
      ];
    // A guard refuses it.
    case "refuse":
    case "stayUnconfirmed":
      return [];
  }
}

const asDeclared = (id: string): string =>
  `this update sends nothing. Job ${id} is recorded as declared, without a check at the service.`;
