/** A resource of the program. */
export interface Declarer {
  readonly label: string;
  /** The resource's key as the program declares it: all that is known of a new resource. */
  readonly declaration: string;
}

/** A resource that has what only one resource of a run may have. */
export interface Holder extends Declarer {
  /** `recordKey` of what the state holds. */
  readonly record: string;
  readonly since: Since;
}

/**
 * Since when in a run a resource has its job. From the state: `read`, a refresh read it, and the program may not declare it
 * any more; `changing`, it is declared otherwise than it was saved, and a delete that comes now replaces it; `declared`. The
 * others came to it in this run.
 */
export const allSince = ["read", "changing", "declared", "found", "created", "adopted"] as const;
export type Since = (typeof allSince)[number];

/**
 * What the provider processes of one run tell each other: an engine starts one for each provider resource. It is about
 * other processes alone, and each answer comes at once: what was asked must not wait between the look and the request.
 */
export interface Claims {
  /** Takes it for a resource. Where another process took it before, that one's holder is the answer. */
  take(what: string, holder: Holder): Holder | undefined;
  /** Gives back what this process took. */
  giveBack(what: string): void;
  /** Lets others know, before the next request is sent or a call is answered, that a resource has it, or may have it. */
  note(what: string, holder: Holder): void;
  /** Who took it in another process, then who was noted in one. */
  elsewhere(what: string): readonly Holder[];
}

/** Of a process that has no others beside it. */
export const alone: Claims = {
  take: () => undefined,
  giveBack: () => undefined,
  note: () => undefined,
  elsewhere: () => [],
};
