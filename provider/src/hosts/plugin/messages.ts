import type { ConfigWords } from "../../config/index.js";
import type { SavedResource } from "../../lifecycle/index.js";
import { forget } from "../../lifecycle/messages.js";

// Messages that only users of the plugin see. Unlike the dynamic classes, a plugin cannot protect a resource.

/** The plugin's first run drops the options that the classes set. Its `check` cannot see the program's own options. */
export const protectionEnds = ({ name }: ConfigWords): string =>
  `The classes of the npm package protected these jobs, and a plugin cannot. After this run only a job whose own options say protect: true and retainOnDelete: true is protected. If ${name(["jobOperations"])} is "create", no job can be deleted.`;

export const forgottenUnprotected = (saved: SavedResource): string =>
  `${saved.label}: job ${saved.jobId} leaves the stack, because ${saved.words.name(["protect"])} is false. It keeps running at ${saved.origin.baseUrl}: nothing was sent.`;

export const usedByAnotherRun =
  "Another run uses this process of the plugin. Wait until it ends, or unset PULUMI_DEBUG_PROVIDERS: then each run has its own.";

export const sharesTheProcess = (name: string, other: string): string =>
  `The provider "${name}" cannot be used: PULUMI_DEBUG_PROVIDERS names one process of the plugin, and it serves the provider "${other}" in this run. Declare one provider, or unset PULUMI_DEBUG_PROVIDERS: then each has a process of its own.`;

export const succeedsUnconfirmed = (label: string): string =>
  `${label}: its create is unconfirmed. This run still succeeds, because an onError hook retried the create. The next pulumi up is refused until the create is resolved.`;

/** For a replacement that adopts the same job that it replaces. */
export const adoptedAgain = (saved: SavedResource): string =>
  `${saved.label}: job ${saved.jobId} stays in the stack: the resource adopted it again. Nothing was sent.`;

export const forgottenReplaced = (saved: SavedResource): string =>
  `${saved.label}: job ${saved.jobId} leaves the stack, because another one replaced it. It keeps running at ${saved.origin.baseUrl}: nothing was sent. Note its id, and delete it at the service if it is not needed any more.`;

/** A fix for the whole stack. The classes do not need it: with `retainOnDelete`, their jobs can leave the state. */
export const letGoOfAll = ({ set }: ConfigWords): string =>
  `  - Let all jobs that leave the stack keep running, as in a test stack, and run pulumi up, or pulumi destroy --run-program:\n      ${set(["protect"], "false")}`;

export const perhapsRenamed =
  "  - If this run replaced it under a new name, run pulumi up again: it leaves the stack then.";

export const unconfirmedStays = ({ label, id, origin: { at, baseUrl } }: SavedResource): string =>
  [
    `${label}: its create, sent to ${baseUrl} at ${at}, is unconfirmed (${id}): the job may exist. It stays in the stack's state, and nothing was sent. Do one of these:`,
    "  - Declare it again and run pulumi up: the message says how to resolve it.",
    "  - Look for the job at the service, and delete it there if it exists. Then remove it from the state:",
    ...forget,
  ].join("\n");
