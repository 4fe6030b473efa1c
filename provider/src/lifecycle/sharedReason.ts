/** A reason that may refuse several resources in a run: only the error on the first one gives the whole text. */
export interface SharedReason {
  readonly text: string;
  /** Equal for reasons that need only one full text. */
  readonly key: string;
  /** The text for the other resources, given the label of the first. */
  readonly again: (first: string) => string;
}
