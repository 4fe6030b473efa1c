import { readFileSync } from "node:fs";

/**
 * The URN of the provider of a `pulumi do` command, which reads, changes and deletes resources without a program and
 * without a state. The provider has no name. A provider of a run always has one.
 */
export const providerOfDo = "urn:pulumi:dev::default::pulumi:providers:data-connectivity::";

/**
 * Whether the command that started this process is a `pulumi do … delete` without `--dry-run`. Pulumi 3.248 to 3.250 send
 * the delete of a dry run too, and only the command line shows the difference. False if it cannot be read.
 */
export function isToDelete(): boolean {
  // The CLI takes its options from the environment, too.
  if (process.env["PULUMI_OPTION_DRY_RUN"] !== undefined) return false;
  try {
    const args = readFileSync(`/proc/${process.ppid}/cmdline`, "utf8").split("\0");
    return ["do", "delete"].every((word) => args.includes(word)) && !args.some((arg) => arg.startsWith("--dry-run"));
  } catch {
    return false;
  }
}
