import { declaredSource } from "../client/jobMatch.js";
import { nothingSent, type CallFailure } from "../client/operation.js";
import { wireParams } from "../jobs/index.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { readToAdopt } from "./adopt.js";
import type { Inventory } from "./inventory/inventory.js";
import { aliasesFor } from "./aliases.js";
import type { Resource, SavedResource } from "./resource.js";
import { Refusal, type Foreseen } from "./result.js";
import { missingFrom, nothing, uncompared } from "./sourceLists.js";
import { explanationOf, takeSource, type SourceProblem } from "./source.js";
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
  const { declared } = resource;
  if (saved === undefined && typeof declared["existingJobId"] === "string")
    return declared["existingJobId"] === unknownValue
      ? nothing
      : foreseeAdoption(inventory, resource, declared["existingJobId"]);
  const params = wireParams(resource);
  if (resource.kind.source.some((member) => hasUnknown(params[member]))) return nothing;
  const source = declaredSource(resource);
  if (saved !== undefined && source === declaredSource(saved)) return nothing;
  const problem = await takeSource(inventory, resource, source, {
    began: undefined,
    ...(saved !== undefined && { ownId: saved.jobId }),
  });
  if (problem?.kind === "failed") return uncompared(problem);
  if (problem !== undefined) return ofProblem(inventory, problem, resource, saved);
  // Later resources of this preview meet the job at its new source, as in `up`.
  if (saved !== undefined && source !== undefined)
    inventory.noteWritten(resource, { ...saved.job, id: saved.jobId }, source);
  return missingFrom(inventory, resource);
}

/** Refuses the resource, or returns a warning if only `up` can tell. */
async function ofProblem(
  inventory: Inventory,
  problem: Exclude<SourceProblem, CallFailure>,
  resource: Resource,
  saved: SavedResource | undefined,
): Promise<Foreseen> {
  const why = explanationOf(problem, resource, saved);
  if (problem.kind === "taken") {
    const { record, owner, holder, isOwn } = problem;
    const isUnknown = (await inventory.ownState()) === undefined;
    // `--replace` or a taint: the engine does not tell that the resource exists.
    if (saved === undefined && isOwn && (owner !== undefined || isUnknown))
      return { warnings: [texts.willBeReplaced(resource.label, record.job.id)] };
    if (isUnknown && holder === undefined) return { warnings: [`${resource.label}: ${texts.upMayRefuse(why)}`] };
  }
  throw new Refusal(
    resource,
    saved === undefined
      ? messages.notCreated(nothingSent("declined", why))
      : texts.notDone("changed", saved.jobId, why),
  );
}

async function foreseeAdoption(inventory: Inventory, resource: Resource, id: string): Promise<Foreseen> {
  const owner = await inventory.ownerOf(id);
  if (owner !== undefined && owner.urn !== resource.urn)
    throw new Refusal(
      resource,
      messages.heldByOther(
        id,
        owner.label,
        resource.label,
        messages.renamedWays(owner.label, aliasesFor(owner.urn, resource.urn)),
      ),
    );
  const other = inventory.take(id, resource, id, "adopted");
  if (other !== undefined) throw new Refusal(resource, messages.heldByOther(id, other.label, resource.label));
  if (hasUnknown(resource.declared)) return nothing;
  const list = await inventory.jobs.listSince();
  if (list.kind === "failed") return uncompared(list);
  const read = await readToAdopt(inventory, resource, id);
  return read.kind === "failed" ? uncompared(read) : nothing;
}
