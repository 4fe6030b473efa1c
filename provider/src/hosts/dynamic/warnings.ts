import * as pulumi from "@pulumi/pulumi";
import { checkDeclaration, type Declaration, type JobKind } from "../../jobs/index.js";
import type { Declarer } from "../warnings.js";
import { withSettings, type Run } from "./run.js";

/**
 * The first failed check ends the program, so the problems of all jobs are shown here, as far as their values are known.
 * As warnings, for a transform may still correct a value: `check` has every rule and decides.
 * Whether the declaration has no problem.
 */
export function warnOf(
  { warnings }: Run,
  kind: JobKind,
  resource: Declarer,
  declared: Declaration,
  unsupported: readonly string[],
): boolean {
  const problems = [...unsupported, ...checkDeclaration(kind, declared, { strings: true }).map(({ text }) => text)];
  for (const text of problems) void pulumi.log.warn(`${resource.label}: ${text}`);
  if (problems.length > 0) return false;
  const texts = [
    ...withSettings(() => warnings.of(kind, resource, declared)),
    ...(pulumi.runtime.isDryRun() ? warnings.ofToken(declared["account"]) : []),
  ];
  for (const text of texts) void pulumi.log.warn(text);
  return true;
}
