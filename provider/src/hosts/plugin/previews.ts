import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { jobOutputs, type Resource, type SavedResource } from "../../lifecycle/index.js";
import type { PropertyPath } from "../../propertyPath.js";
import { unknownValue } from "../../unknown.js";
import { outputSecrets, write } from "./wire.js";

/** The outputs of a resource in a preview, before it has a job: an adopted one is known by its id. */
export function previewOfCreate({ declared }: Resource, secrets: readonly PropertyPath[]): Struct {
  const { existingJobId: jobId = unknownValue } = declared;
  return write({ ...declared, job: unknownValue, jobId, origin: unknownValue }, outputSecrets(secrets));
}

/** The members of a record that no change of its job touches. */
const lasting: ReadonlySet<string> = new Set(["id", "created"]);

/** The same for a change: what it cannot touch stays known, or everything that depends on it would seem to change. */
export function previewOfUpdate(
  saved: SavedResource,
  resource: Resource,
  secrets: readonly PropertyPath[],
  canChange: boolean,
): Struct {
  const { existingJobId } = resource.declared;
  const isOther = existingJobId !== undefined && existingJobId !== saved.job.id;
  if (saved.origin.outcome === "unconfirmed" || isOther) return previewOfCreate(resource, secrets);
  const { job, origin } = jobOutputs(saved);
  const afterwards = canChange
    ? Object.fromEntries(
        Object.entries(saved.job).map(([member, value]) => [member, lasting.has(member) ? value : unknownValue]),
      )
    : job;
  return write({ ...resource.declared, job: afterwards, jobId: saved.job.id, origin }, outputSecrets(secrets));
}
