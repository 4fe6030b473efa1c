import { SettingsError } from "../config/index.js";
import type { Finding } from "./connect.js";
import { dim, green, print, printable, red } from "./text.js";

/** Prints each step as soon as it is known, so that one that hangs can be seen, and remembers whether any failed. */
export class Report {
  failures = 0;

  passed(step: string, text: string): void {
    this.line(green("ok    "), step, text);
  }

  /** A fault, with what to do about it in a text of its own or behind the fault's first sentence. */
  failed(step: string, text: string, remedy?: string): void {
    this.failures += 1;
    const [, fault = text, fix = remedy] = remedy === undefined ? (/^(.+?\.) ([A-Z].*)$/s.exec(text) ?? []) : [];
    this.line(red("FAILED"), step, fault);
    if (fix !== undefined) print(`${" ".repeat(21)}${printable(fix)}`);
  }

  skip(step: string, why: string): void {
    this.line(dim("-     "), step, dim(why));
  }

  /** Prints what a step found, and says whether it passed. */
  found(step: string, finding: Finding, more = ""): boolean {
    if (finding.fault === undefined) this.passed(step, finding.text + more);
    else this.failed(step, finding.fault + more, finding.fix);
    return finding.fault === undefined;
  }

  /** What reading settings gives; undefined, and the fault is printed, where one is missing or malformed. */
  settings<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.failed("settings", error.message);
      return undefined;
    }
  }

  private line(mark: string, step: string, text: string): void {
    print(`  ${mark}  ${step.padEnd(9)}  ${printable(text)}`);
  }
}
