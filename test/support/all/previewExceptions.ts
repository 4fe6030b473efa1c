import type { Compared } from "./comparedUp.js";

/** A reason why a preview may accept what `up` refuses, or the reverse. `name` and `why` are in docs/all-operations.md. */
interface Exception {
  readonly name: string;
  readonly why: string;
  readonly covers: (one: Compared) => boolean;
}

/** Everything that a preview cannot know. */
export const exceptions: readonly Exception[] = [
  {
    name: "A delete",
    why: "a preview does not ask the provider about deletes, not even when a job is replaced.",
    covers: ({ isNotDeleted, inPreview }) => isNotDeleted && inPreview === undefined,
  },
  {
    name: "A response",
    why: "only `pulumi up` learns that the job to change is gone, is another one or has a value that cannot be kept, or that the service refuses a request.",
    covers: ({ isDecidedByReply }) => isDecidedByReply,
  },
  {
    name: "A late list",
    why: "a service may list a job for some seconds after `pulumi up` has deleted it, and then its source seems to be taken.",
    covers: ({ isDecidedByDelete, isListLate }) => isDecidedByDelete && isListLate,
  },
  {
    name: "A refused replacement",
    why: "`pulumi up` deletes the old job before it refuses the new one, and its source is then free for others.",
    covers: ({ isDecidedByDelete, inPreview }) => isDecidedByDelete && inPreview !== undefined,
  },
  {
    name: "A replacement, with the classes",
    why: "in a preview, Pulumi does not say that a change replaces the job, so it may be refused as an in-place change, and another job of its source accepted.",
    covers: ({ isReplacedByClasses }) => isReplacedByClasses,
  },
  {
    name: "Two providers",
    why: "Pulumi starts a process for each, and in a preview none sees what another would create or change.",
    covers: ({ isSharedByProviders }) => isSharedByProviders,
  },
  {
    name: "A resend",
    why: "in mode `create`, only `pulumi up` learns the service's time, and so whether the create may still be on its way.",
    covers: ({ inPreview, inUp }) => inPreview === undefined && inUp?.includes("may still be on its way") === true,
  },
];

const isDisagreement = ({ inPreview, inUp }: Compared) => (inPreview === undefined) !== (inUp === undefined);

/** The resources that only one of the two refused, without an exception that covers them. */
export const disagreementsIn = (compared: readonly Compared[]): Compared[] =>
  compared.filter((one) => isDisagreement(one) && !exceptions.some(({ covers }) => covers(one)));
