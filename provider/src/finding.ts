/** `debug`: a line of the debug log, which is shown only if the settings turn the debug log on. */
export type Severity = "debug" | "info" | "warning";

/** Something that a run reports to its user, besides the results of its calls. */
export interface Finding {
  readonly severity: Severity;
  readonly text: string;
  /** The key of the resource that it is about; undefined if it is about the whole run. */
  readonly about?: string | undefined;
}

/** Passes a finding to the user. Only a host knows how. */
export type Report = (finding: Finding) => void;

/** A resource that a finding can be about. */
interface Subject {
  readonly key: string;
}

export const info = ({ key }: Subject, text: string): Finding => ({ severity: "info", text, about: key });

export const warning = ({ key }: Subject, text: string): Finding => ({ severity: "warning", text, about: key });
