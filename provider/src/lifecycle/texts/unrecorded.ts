import type { OwnState, UnconfirmedCreate } from "../ownState.js";
import type { SavedResource } from "../resource.js";
import { descriptionOf } from "./shared.js";
import { linesOf } from "./unconfirmed.js";

// What commands say about creates that the state has no record of, or soon has none.

/** The creates of the stack that the state has no record for. */
export const unrecordedIn = (state: OwnState | undefined): readonly UnconfirmedCreate[] =>
  (state?.unconfirmed ?? []).filter(({ id, otherStack }) => id === undefined && otherStack === undefined);

/** The warning about a create whose record leaves the state. */
export function unconfirmedForgotten(saved: SavedResource): string {
  const { label, id, origin } = saved;
  return `${label}: ${id} leaves the stack. Its create, sent to ${origin.baseUrl} at ${origin.at}, is unconfirmed: if the job exists (${descriptionOf(saved)}), it keeps running.`;
}

const passedBy = {
  delete: "Only jobs that are recorded in the state are deleted.",
  read: "A refresh only looks for jobs that are recorded in the state.",
  found: "Of a resource's creates, only the first whose job is found is recorded.",
  adopt: "Adopting a job does not look for the jobs of the resource's other creates.",
} as const;

/** The warning about creates without a record, which a call does not look for. */
export const leavesUnrecorded = (creates: readonly UnconfirmedCreate[], call: keyof typeof passedBy): string =>
  [
    `${passedBy[call]} These creates are unrecorded; if a job exists, it keeps running. Look for it at the service:`,
    ...linesOf(creates, () => true),
  ].join("\n");

/** The warning of a refresh before which the CLI has removed the pending creates. Only notes know of them now. */
export const clearedPending = (creates: readonly UnconfirmedCreate[]): string =>
  [
    `--clear-pending-creates has removed the pending creates from the state. If a run was killed in one and its job exists, the job keeps running, and no stack has it${
      creates.length === 0
        ? ". Look at the service for jobs that no stack has. In mode all: pulumi stack export | npx pulumi-data-connectivity jobs --at-service -"
        : ". Look at the service for the jobs of these creates, which this machine has noted:"
    }`,
    ...linesOf(creates, () => true),
  ].join("\n");
