import type { JobState } from "../../lifecycle/index.js";

// What only a user of the plugin reads: the engine lets no plugin protect a resource, as the classes do.

const idOf = ({ job: { id } }: JobState): string => id ?? "(unknown id)";

/** The options of the classes end with the first run that the plugin does. */
export const protectionEnds =
  'The classes of the npm package protected these jobs; a plugin cannot, so this run ends their protection. Set it in the options of each resource: protect: true and retainOnDelete: true. The operations of data-connectivity:jobOperations "create" cannot delete a job.';

export const forgottenUnprotected = (label: string, state: JobState): string =>
  `${label}: job ${idOf(state)} leaves the stack, because data-connectivity:protect is false. It keeps running at ${state.origin.baseUrl}: nothing was sent.`;

export const forgottenReplaced = (label: string, state: JobState): string =>
  `${label}: job ${idOf(state)} leaves the stack, because this run replaced it. It keeps running at ${state.origin.baseUrl}: nothing was sent. Note its id, and delete it at the service if it is not needed any more.`;
