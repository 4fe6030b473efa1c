import { declaredSource } from "../client/jobMatch.js";
import { nothingSent } from "../client/operation.js";
import { info, warning } from "../finding.js";
import { bodyOf, normalizedText, wireParams } from "../jobs/index.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { readToAdopt } from "./adopt.js";
import { tooLarge } from "./create.js";
import { search } from "./find.js";
import type { Inventory } from "./inventory/inventory.js";
import type { UnconfirmedCreate } from "./ownState.js";
import { refuseOtherSubject } from "./read.js";
import type { Resource, SavedResource } from "./resource.js";
import { Refusal, type Foreseen } from "./result.js";
import { takeSource } from "./source.js";
import { missingFrom, nothing, uncompared } from "./sourceLists.js";
import * as texts from "./texts/allMode.js";
import * as messages from "./texts/shared.js";
import { unresolved } from "./texts/unconfirmed.js";
import { sentText } from "./texts/unconfirmedCreates.js";
import type { Transition } from "./transitions.js";
import { asSaved } from "./update.js";

/** What `up` will do with a resource. */
interface Planned {
  /** The resource in the state; undefined if it is new. */
  readonly saved: SavedResource | undefined;
  readonly next: Transition | undefined;
  /** The create of a new resource that a killed run left unconfirmed. */
  readonly open: UnconfirmedCreate | undefined;
}

/**
 * Applies the guards of the create, of the adoption or of the change, without sending it. Unknown values are not
 * compared.
 * @throws Refusal if `up` would refuse the resource.
 */
export async function foresee(inventory: Inventory, resource: Resource, planned: Planned): Promise<Foreseen> {
  const { saved, next, open } = planned;
  const { service } = inventory;
  const { existingJobId } = resource.declared;
  if (typeof existingJobId === "string" && (next === undefined || next.kind === "adopt"))
    return existingJobId === unknownValue ? nothing : foreseeAdoption(inventory, resource, existingJobId);
  if (saved !== undefined) {
    if (next?.kind !== "change" && next?.kind !== "resolve" && next?.kind !== "resend") return nothing;
    await refuseOtherSubject(service, resource, saved.origin, "ifThereIsOne");
  }
  if (saved === undefined) refuseUnsendable(inventory, resource);
  if (!service.account.mode.canRead) return nothing;
  const wasSent = next?.kind === "resolve" ? saved : open && asSaved(service, resource, open);
  const looked = wasSent && (await foreseeResolution(inventory, resource, wasSent, open));
  if (looked?.isResolved === true) return looked.foreseen;
  const found = await foreseeSource(inventory, resource, saved);
  return { ...found, findings: [...(looked?.foreseen.findings ?? []), ...found.findings] };
}

/** Applies the guards of a create that need no request. */
function refuseUnsendable(inventory: Inventory, resource: Resource): void {
  if (hasUnknown(resource.declared)) return;
  const duplicate = inventory.unconfirmedBefore({ text: normalizedText(resource) });
  const why =
    duplicate === undefined
      ? tooLarge(bodyOf(resource, inventory.service.account.requestEncoding))
      : messages.duplicate(duplicate);
  if (why !== undefined) throw new Refusal(resource, messages.notCreated(nothingSent("declined", why)));
}

/** Looks for the job of an unconfirmed create. `open`: it is of a killed run, and the state has no record of it. */
async function foreseeResolution(
  inventory: Inventory,
  resource: Resource,
  wasSent: SavedResource,
  open: UnconfirmedCreate | undefined,
): Promise<{ readonly isResolved: boolean; readonly foreseen: Foreseen }> {
  const result = await search(inventory, wasSent);
  const { label } = resource;
  if (result.kind === "failed") return { isResolved: true, foreseen: uncompared(result) };
  if (result.kind === "found")
    return {
      isResolved: true,
      foreseen: { findings: [info(resource, texts.willRecord(label, result.record.job.id))] },
    };
  if (result.kind === "unclear" || !(result.isSettled || open?.isAtOrBefore === true))
    throw new Refusal(resource, unresolved(wasSent, result, "up"));
  return {
    isResolved: false,
    foreseen: { findings: open === undefined ? [] : [info(resource, texts.killedRunMadeNone(label, sentText(open)))] },
  };
}

async function foreseeSource(
  inventory: Inventory,
  resource: Resource,
  saved: SavedResource | undefined,
): Promise<Foreseen> {
  const params = wireParams(resource);
  if (resource.kind.source.some((member) => hasUnknown(params[member]))) return nothing;
  const source = declaredSource(resource);
  const isSent = saved?.origin.outcome === "unconfirmed";
  if (saved !== undefined && !isSent && source === declaredSource(saved)) return nothing;
  const ownId = isSent ? saved.id : saved?.jobId;
  const problem = await takeSource(inventory, resource, source, { began: undefined, ownId });
  if (problem?.kind === "failed") return uncompared(problem);
  if (problem !== undefined) {
    const { taken } = problem;
    // `--replace` or a taint: the engine does not say that the resource exists.
    if (saved === undefined && taken?.by === "itself")
      return { findings: [warning(resource, texts.willBeReplaced(resource.label, taken.id))] };
    if (taken !== undefined && taken.by === undefined && (await inventory.ownState()) === undefined)
      return { findings: [warning(resource, `${resource.label}: ${texts.upMayRefuse(problem)}`)] };
    throw new Refusal(
      resource,
      saved === undefined || isSent
        ? messages.notCreated(nothingSent("declined", problem))
        : texts.notDone("changed", saved.jobId, problem),
    );
  }
  // Later resources of this preview meet the job at its new source, as in `up`.
  if (saved !== undefined && !isSent && source !== undefined)
    inventory.noteWritten(resource, { ...saved.job, id: saved.jobId }, source);
  return missingFrom(inventory, resource);
}

/** As in `up`, nothing stops the adoption of a job whose resource may leave the stack in this run. */
async function foreseeAdoption(inventory: Inventory, resource: Resource, id: string): Promise<Foreseen> {
  const other = inventory.take(id, resource, id, "adopted");
  if (other !== undefined) throw new Refusal(resource, messages.heldByOther(id, other.label, resource.label));
  inventory.keep(id, resource, "adopted");
  if (!inventory.service.account.mode.canRead || hasUnknown(resource.declared)) return nothing;
  const list = await inventory.jobs.listSince();
  if (list.kind === "failed") return uncompared(list);
  const read = await readToAdopt(inventory, resource, id);
  return read.kind === "failed" ? uncompared(read) : nothing;
}
