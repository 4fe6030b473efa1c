/** A reason that a run may have to refuse several resources: only the error on the first one gives the whole text. */
export interface SharedReason {
  readonly text: string;
  /** The same for reasons of which one text is enough. */
  readonly key: string;
  /** The text for the other resources, given the label of the first. */
  readonly again: (first: string) => string;
}
