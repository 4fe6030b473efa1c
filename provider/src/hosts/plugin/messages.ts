import type { ConfigWords } from "../../config/index.js";
import type { Resource, SavedResource } from "../../lifecycle/resource.js";
import type { Recorded } from "../../lifecycle/result.js";
import { forget, lookFor, mayBeOnItsWay } from "../../lifecycle/texts/shared.js";
import { sentences } from "../../sentences.js";

// Messages that only users of the plugin see. Unlike the dynamic classes, a plugin cannot protect a resource.

/** The plugin's first run drops the options that the classes set. Its `check` cannot see the program's own options. */
export const protectionEnds = ({ name }: ConfigWords): string =>
  `Until now, the classes of the npm package protected these jobs; the plugin cannot do that. While ${name(["jobOperations"])} is "create", no job can be deleted anyway. Otherwise, after this run, a job is protected only if its own options have protect: true and retainOnDelete: true.`;

export const forgottenUnprotected = (saved: SavedResource): string =>
  `${saved.label}: job ${saved.jobId} leaves the stack, because ${saved.words.name(["protect"])} is false. It keeps running at ${saved.origin.baseUrl}: nothing was sent.`;

/** For a replacement that adopts the replaced resource's job. */
export const adoptedAgain = (saved: SavedResource): string =>
  `${saved.label}: job ${saved.jobId} stays in the stack: the resource adopted it again. Nothing was sent.`;

export const forgottenReplaced = (saved: SavedResource): string =>
  `${saved.label}: job ${saved.jobId} leaves the stack, because another one replaced it. It keeps running at ${saved.origin.baseUrl}: nothing was sent. Note its id, and delete it at the service if nobody needs it any more.`;

/** A fix for the whole stack. The classes do not need it: with `retainOnDelete`, their jobs can leave the state. */
export const letGoOfAll = ({ set }: ConfigWords): string =>
  `Or let all jobs of this stack keep running without it, for example those of a test stack. Set this, then run pulumi up (or pulumi destroy --run-program):\n      ${set(["protect"], "false")}`;

/** For a delete that `pulumi do` sends without having read the job, perhaps for a dry run. */
export const notDeletedUnread = (label: string, id: string): string =>
  `${label}: job ${id} was not deleted, and nothing was sent. This version of Pulumi sends a delete even with --dry-run, without reading the job first, and here it cannot be told whether this is one. Without --dry-run, use Pulumi 3.252 or newer, which reads the job first.`;

/** For a create of `pulumi do` without a clear answer. `type`: the resource's type for the CLI. */
export const recordedNowhere = (
  resource: Pick<Resource, "kind" | "label" | "declared" | "isPlain">,
  { what = "", state }: Recorded,
  type: string,
  canRead: boolean,
): string =>
  [
    `${resource.label}: ${what}`,
    sentences(
      "The job may or may not exist, and nothing records this create.",
      `Before you create the job again, ${lookFor("look", resource, state.origin)}`,
      canRead ? `This lists the jobs: pulumi do ${type} list --provider-file <file>` : undefined,
    ),
  ].join("\n");

/** `until`: until when the request may be in flight; undefined if it cannot be any more. */
export const unconfirmedStays = (saved: SavedResource, until: string | undefined): string => {
  const { label, id, origin, urn, words } = saved;
  const { at, baseUrl } = origin;
  return [
    `${label}: its create, sent to ${baseUrl} at ${at}, is unconfirmed (${id}), so the job may exist. This run sent nothing, and the resource stays in the stack's state.`,
    ...mayBeOnItsWay(until),
    "Do one of these:",
    "  - Declare the resource again and run pulumi up. That run fails with a message that says how to resolve the create.",
    `  - Otherwise, ${lookFor("look", saved, origin)} Delete it there if it exists. Then remove this resource from the state:`,
    ...forget({ urn, words }),
  ].join("\n");
};
