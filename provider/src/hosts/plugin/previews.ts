import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isSameId } from "../../client/jobMatch.js";
import type { Declaration } from "../../jobs/index.js";
import { canonicalJson, isObject } from "../../json.js";
import { jobOutputs, type Resource, type SavedResource } from "../../lifecycle/resource.js";
import { propertyPath, type PropertyPath } from "../../propertyPath.js";
import { unknownValue } from "../../unknown.js";
import { outputSecrets, write } from "./wire.js";

/** The outputs in the preview of a create. For an adopted job, the id is already known. */
export function previewOfCreate({ declared }: Resource, secrets: readonly PropertyPath[]): Struct {
  const { existingJobId: jobId = unknownValue } = declared;
  return write({ ...declared, job: unknownValue, jobId, origin: unknownValue }, outputSecrets(secrets));
}

/**
 * The outputs in the preview of an update. Values that the update cannot change stay known, so that dependents show no
 * change.
 */
export function previewOfUpdate(
  saved: SavedResource,
  resource: Resource,
  secrets: readonly PropertyPath[],
  canChange: boolean,
): Struct {
  const { existingJobId } = resource.declared;
  const isOther =
    existingJobId !== undefined && !(typeof existingJobId === "string" && isSameId(existingJobId, saved.job.id));
  if (saved.origin.outcome === "unconfirmed" || isOther) return previewOfCreate(resource, secrets);
  const { job, origin } = jobOutputs(saved);
  const { id, created } = saved.job;
  const unknown = Object.keys(saved.job).map((member) => [member, unknownValue] as const);
  // A change keeps the job's id and the time when it was created.
  const afterwards = canChange ? { ...Object.fromEntries(unknown), id, created } : job;
  const marked = saved.isPlain("job") ? secrets : [...secrets, ["job"]];
  return write({ ...resource.declared, job: afterwards, jobId: id, origin }, outputSecrets(marked));
}

/** The reply to a diff. If anything differs, the engine calls `update`: a difference never causes a replacement. */
export function diffResponse(differs: boolean): DiffResponse {
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  return new DiffResponse().setChanges(differs ? DIFF_SOME : DIFF_NONE);
}

/**
 * The same reply, with the paths that differ. If the user requests a replacement, the engine deletes the old job first:
 * a source can have only one job.
 */
export function detailedResponse(was: Declaration, now: Declaration, differs?: boolean): DiffResponse {
  const differences = differencesBetween(was, now);
  const response = diffResponse(differs ?? differences.length > 0)
    .setHasdetaileddiff(true)
    .setDeletebeforereplace(true)
    .setDiffsList([...new Set(differences.map(({ path: [member] }) => String(member)))]);
  for (const { path, kind } of differences)
    response.getDetaileddiffMap().set(propertyPath(path), new PropertyDiff().setKind(kind).setInputdiff(true));
  return response;
}

interface Difference {
  readonly path: PropertyPath;
  readonly kind: PropertyDiff.Kind;
}

/** The paths that differ, including paths inside arrays: the option `replaceOnChanges` may name an element. */
function differencesBetween(was: unknown, now: unknown, path: PropertyPath = []): Difference[] {
  const { ADD, DELETE, UPDATE } = PropertyDiff.Kind;
  if (canonicalJson(was) === canonicalJson(now)) return [];
  if (Array.isArray(was) && Array.isArray(now))
    return Array.from({ length: Math.max(was.length, now.length) }).flatMap((_, index) =>
      differencesBetween(was[index], now[index], [...path, index]),
    );
  if (isObject(was) && isObject(now))
    return [...new Set([...Object.keys(was), ...Object.keys(now)])].flatMap((member) =>
      differencesBetween(was[member], now[member], [...path, member]),
    );
  return [{ path, kind: was === undefined ? ADD : now === undefined ? DELETE : UPDATE }];
}
