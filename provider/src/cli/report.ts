import { SettingsError } from "../config/index.js";
import { dim, green, print, printable, red } from "./text.js";

/** What one check found. Where it failed, `fix` says what to do, as far as `what` does not, and `notes` what else may matter. */
export type Finding =
  | { readonly passed: true; readonly what: string }
  | {
      readonly passed: false;
      readonly what: string;
      readonly fix: string | undefined;
      readonly notes: readonly string[];
    };

/** Prints each check as soon as its result is known, so that one that hangs can be seen, and counts those that failed. */
export class Report {
  failures = 0;

  passed(step: string, what: string): void {
    this.line(green("ok    "), step, what);
  }

  failed(step: string, what: string, fix?: string): void {
    this.failures += 1;
    this.line(red("FAILED"), step, what);
    if (fix !== undefined) print(`${" ".repeat(21)}${printable(fix)}`);
  }

  skipped(step: string, why: string): void {
    this.line(dim("-     "), step, dim(why));
  }

  note(text: string): void {
    this.skipped("note", text);
  }

  /** Prints what a check found, and returns whether it passed. */
  found(step: string, finding: Finding): boolean {
    if (finding.passed) {
      this.passed(step, finding.what);
      return true;
    }
    this.failed(step, finding.what, finding.fix);
    for (const text of finding.notes) this.note(text);
    return false;
  }

  /** The settings that `read` returns; undefined, and the error is printed, where one is missing or malformed. */
  readSettings<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.failed("settings", error.what, error.fix);
      return undefined;
    }
  }

  private line(mark: string, step: string, text: string): void {
    print(`  ${mark}  ${step.padEnd(9)}  ${printable(text)}`);
  }
}
