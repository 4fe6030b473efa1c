import { importId, parseImportId } from "../hosts/importId.js";
import { pluginType } from "../hosts/resourceTypes.js";
import { newResources } from "./newResources.js";
import type { ServiceJob } from "./serviceJob.js";
import type { StackExport } from "./stackExport.js";

/** A file for `pulumi import --file`, and a sentence for each job that is left out: JSON has no comments. */
export interface ImportFile {
  readonly text: string;
  readonly leftOut: readonly string[];
}

/** The import of the jobs that no resource of the stack has, into resources of the plugin. */
export function importFileFor(jobs: readonly ServiceJob[], stack: StackExport | undefined): ImportFile {
  const leftOut: string[] = [];
  const resources = newResources(jobs, stack).flatMap((resource) => {
    if ("leftOut" in resource) {
      leftOut.push(resource.leftOut);
      return [];
    }
    const { job, kind, name } = resource;
    const named = { account: job.account.name, id: job.record.job.id };
    const id = importId(named);
    const { account } = parseImportId(id);
    if (account !== named.account) {
      leftOut.push(`Left out: job ${id}. pulumi import would take it for a job of the account ${account ?? ""}.`);
      return [];
    }
    return [{ type: pluginType(kind), name: name.identifier, logicalName: name.resource, id }];
  });
  return { text: JSON.stringify({ resources }, undefined, 2), leftOut };
}
