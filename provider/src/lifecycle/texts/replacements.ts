import type { Reason } from "../../client/outcomes.js";
import { isStandIn, type Resource } from "../resource.js";
import { shellWord } from "../../sentences.js";
import { forget } from "./shared.js";

// Why a resource that the state has is not created once more.

export const recordedMeanwhile = (id: string): Reason => ({
  what: `Another run of this stack has recorded ${isStandIn(id) ? "an unconfirmed create" : `job ${id}`} for this resource since this run began.`,
  fix: "When no other run is going, run pulumi up again.",
});

/** The engine has asked nobody to delete the job of a resource whose state had `retainOnDelete`. */
export const countsAsDeleted = (id: string, resource: Pick<Resource, "urn" | "words">): string =>
  [
    `the engine counts job ${id} of this resource as deleted, to replace it, and nothing shows that it is. Nothing was sent. If the job exists, keep it: declare existingJobId: "${id}". Otherwise, remove this resource from the state:`,
    ...forget(resource),
  ].join("\n");

/** A killed run would leave no trace of the new create: the engine's pending operation is then taken for the recorded one. */
export const replacesUnconfirmed: Reason = {
  what: "This run would replace the resource, whose create is unconfirmed. Nothing was sent.",
  fix: "Resolve that create first: run pulumi up without --replace, and without replaceOnChanges, replaceWith and replacementTrigger in the resource's options. It says how.",
};

/**
 * The refusal of a replacement by `--replace`, if the service cannot delete the replaced job. A taint stays in the state
 * until the new job is recorded, so that the next run can see that a run was killed in the create.
 */
export const needsTaint = (urn: string, id: string): string =>
  `this run would replace the resource, which creates a second job, and job ${id} keeps running. Nothing was sent. If a run is killed in such a create, the next one can know of it only if the resource is marked in the state. To create a second job, mark it and run pulumi up without --replace:
      pulumi state unprotect --yes ${shellWord(urn)}
      pulumi state taint --yes ${shellWord(urn)}
      pulumi up`;
