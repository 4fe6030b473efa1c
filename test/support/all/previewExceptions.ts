import type { Compared } from "./comparedUp.js";

/** A reason for which a preview may accept what `up` refuses, or the other way round. */
export interface Exception {
  readonly name: string;
  readonly why: string;
  readonly covers: (one: Compared) => boolean;
}

/** All that a preview cannot know. */
export const exceptions: readonly Exception[] = [
  {
    name: "a delete",
    why: "In a preview the engine asks no provider about a delete, not even about that of a replaced job.",
    covers: ({ isNotDeleted, inPreview }) => isNotDeleted && inPreview === undefined,
  },
  {
    name: "a reply",
    why: "That the job to change is gone, or that the service refuses a request, only its reply in `up` says.",
    covers: ({ isDecidedByReply }) => isDecidedByReply,
  },
  {
    name: "a late list",
    why: "A service may still list a job for some seconds after this run has deleted it. A preview deletes nothing.",
    covers: ({ isDecidedByDelete, isListLate }) => isDecidedByDelete && isListLate,
  },
];

const isDisagreement = ({ inPreview, inUp }: Compared) => (inPreview === undefined) !== (inUp === undefined);

/** The resources that only one of the two refused, although no exception covers them. */
export const disagreementsIn = (compared: readonly Compared[]): Compared[] =>
  compared.filter((one) => isDisagreement(one) && !exceptions.some(({ covers }) => covers(one)));
