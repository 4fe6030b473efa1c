import type { KnownRecord } from "../../provider/src/client/jobRecord.js";
import { stackConfiguration } from "../../provider/src/config/index.js";
import type { Declaration, JobKind } from "../../provider/src/jobs/index.js";
import { declaredMembers } from "../../provider/src/lifecycle/resource.js";
import type { Origin, Resource, SavedResource } from "../../provider/src/lifecycle/resource.js";

/** A program's resource with these inputs. The values of its `params` may be secret. */
export const resource = (kind: JobKind, inputs: Declaration): Resource => ({
  kind,
  label: `${kind.resource} "orders"`,
  words: stackConfiguration,
  key: kind.resource,
  declared: declaredMembers(inputs),
  isPlain: (member) => member !== "params",
});

const created: Origin = {
  outcome: "created",
  baseUrl: "https://jobs.example.com",
  account: undefined,
  at: "2026-11-01T12:00:00.000Z",
};

/** A resource as the state has it, with what was read about its job. */
export const savedResource = (
  kind: JobKind,
  inputs: Declaration,
  job: KnownRecord = {},
  origin: Origin = created,
): SavedResource => ({ ...resource(kind, inputs), id: job.id ?? "1", jobId: job.id ?? "1", job, origin });
