import { declaredSource } from "../client/jobMatch.js";
import { nothingSent } from "../client/operation.js";
import { warning } from "../finding.js";
import { wireParams } from "../jobs/index.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { readToAdopt } from "./adopt.js";
import { aliasesFor } from "./aliases.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Resource, SavedResource } from "./resource.js";
import { Refusal, type Foreseen } from "./result.js";
import { takeSource } from "./source.js";
import { missingFrom, nothing, uncompared } from "./sourceLists.js";
import * as texts from "./texts/allMode.js";
import * as messages from "./texts/shared.js";

/**
 * Applies the guards of the create, of the adoption or of the change, without sending it. Unknown values are not
 * compared. `saved`: the resource in the state, if it exists.
 * @throws Refusal if `up` would refuse the resource.
 */
export async function foresee(
  inventory: Inventory,
  resource: Resource,
  saved: SavedResource | undefined,
): Promise<Foreseen> {
  const { existingJobId } = resource.declared;
  if (saved === undefined && typeof existingJobId === "string")
    return existingJobId === unknownValue ? nothing : foreseeAdoption(inventory, resource, existingJobId);
  const params = wireParams(resource);
  if (resource.kind.source.some((member) => hasUnknown(params[member]))) return nothing;
  const source = declaredSource(resource);
  if (saved !== undefined && source === declaredSource(saved)) return nothing;
  const problem = await takeSource(inventory, resource, source, { began: undefined, ownId: saved?.jobId });
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
      saved === undefined
        ? messages.notCreated(nothingSent("declined", problem))
        : texts.notDone("changed", saved.jobId, problem),
    );
  }
  // Later resources of this preview meet the job at its new source, as in `up`.
  if (saved !== undefined && source !== undefined)
    inventory.noteWritten(resource, { ...saved.job, id: saved.jobId }, source);
  return missingFrom(inventory, resource);
}

async function foreseeAdoption(inventory: Inventory, resource: Resource, id: string): Promise<Foreseen> {
  const owner = await inventory.ownerOf(id);
  const isOwners = owner !== undefined && owner.urn !== resource.urn;
  const other = isOwners ? owner : inventory.take(id, resource, id, "adopted");
  if (other !== undefined) {
    const ways = isOwners ? messages.renamedWays(owner.label, aliasesFor(owner.urn, resource.urn)) : [];
    throw new Refusal(resource, messages.heldByOther(id, other.label, resource.label, ways));
  }
  if (hasUnknown(resource.declared)) return nothing;
  const list = await inventory.jobs.listSince();
  if (list.kind === "failed") return uncompared(list);
  const read = await readToAdopt(inventory, resource, id);
  return read.kind === "failed" ? uncompared(read) : nothing;
}
