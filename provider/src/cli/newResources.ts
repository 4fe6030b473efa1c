import type { JobKind } from "../jobs/index.js";
import type { JsonObject } from "../json.js";
import { declarationOf } from "../lifecycle/jobDeclaration.js";
import { ResourceNames, type ResourceName } from "./resourceNames.js";
import type { Owner, ServiceJob } from "./serviceJob.js";
import { labelOf, type StackExport } from "./stackExport.js";

/** A job at the service for which a stack can have a new resource, or why it is left out. */
export type NewResource =
  | { readonly job: ServiceJob; readonly kind: JobKind; readonly args: JsonObject; readonly name: ResourceName }
  | { readonly leftOut: string };

/** The resources that a stack does not have: one for each job that can be declared. */
export function newResources(jobs: readonly ServiceJob[], stack: StackExport | undefined): NewResource[] {
  const names = new ResourceNames(stack);
  return jobs.flatMap((job): NewResource[] => {
    if (job.owner?.state === "known") return [];
    if (job.owner !== undefined) return [{ leftOut: perhaps(job, job.owner) }];
    const declaration = declarationOf(job.record, job.account);
    if ("problems" in declaration) {
      const { id, name = "without a name" } = job.record.job;
      return [{ leftOut: `Left out: job ${id} (${name}). ${declaration.problems.join(" ")}` }];
    }
    return [{ job, ...declaration, name: names.forJob(declaration.kind, job.record.job) }];
  });
}

/** A second declaration would be a second resource for one job. */
function perhaps({ record }: ServiceJob, { resource, state }: Owner): string {
  const { id } = record.job;
  const label = labelOf(resource);
  return state === "unconfirmed"
    ? `Left out: job ${id} may be that of ${label}, whose create is unconfirmed. pulumi refresh finds out.`
    : `Left out: job ${id} may be that of ${label}, whose create was interrupted. If it is, add existingJobId: ${JSON.stringify(id)} to its declaration.`;
}
