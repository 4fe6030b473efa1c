import * as pulumi from "@pulumi/pulumi";
import { expiryProblem } from "../../client/token.js";
import { checkDeclaration, normalizedText, type Declaration, type JobKind } from "../../jobs/index.js";
import { hasUnknown, unknownValue } from "../../unknown.js";
import { withSettings, type Declarer, type Run } from "./run.js";
import { sentences } from "../../sentences.js";

/**
 * The first failed check ends the program, so the problems of all jobs are shown here, as far as their values are known.
 * As warnings, for a transform may still correct a value: `check` has every rule and decides.
 * Whether the declaration has no problem.
 */
export function warnOf(
  run: Run,
  kind: JobKind,
  resource: Declarer,
  declared: Declaration,
  unsupported: readonly string[],
): boolean {
  const { label } = resource;
  const problems = [...unsupported, ...checkDeclaration(kind, declared, { strings: true }).map(({ text }) => text)];
  for (const text of problems) void pulumi.log.warn(`${label}: ${text}`);
  if (problems.length > 0) return false;
  for (const text of kind.warnings(declared)) void pulumi.log.warn(`${label}: ${text}`);
  warnOfExpiredToken(run, declared["account"]);
  if (hasUnknown(declared) || declared["existingJobId"] !== undefined) return true;
  const key = `${String(declared["account"])} ${normalizedText(kind, declared)}`;
  const first = run.declared.get(key) ?? resource;
  run.declared.set(key, first);
  // One name under one parent is an error of the engine.
  if (first.label !== label || first.parent !== resource.parent) {
    const other = first.label === label ? `the ${label} under another parent` : first.label;
    const { account } = declared;
    const { ofDuplicates } = withSettings(() =>
      run.settings.jobOperations(typeof account === "string" ? account : undefined),
    );
    void pulumi.log.warn(
      `${label}: it declares the same job as ${other}, and ${ofDuplicates}. Remove one, or change it.`,
    );
  }
  return true;
}

/** Once for each account. A preview without any token stays silent: previews without secrets are a feature. */
function warnOfExpiredToken(run: Run, account: unknown): void {
  if (!pulumi.runtime.isDryRun() || account === unknownValue) return;
  const name = typeof account === "string" ? account : undefined;
  if (run.tokensChecked.has(name)) return;
  run.tokensChecked.add(name);
  const credentials = credentialsOf(run, name);
  if (credentials === undefined || !("token" in credentials)) return;
  const problem = expiryProblem(credentials.token, credentials);
  if (problem !== undefined)
    void pulumi.log.warn(sentences(problem.what, "pulumi up will send nothing with it.", problem.fix));
}

/** Malformed settings are shown by `check`. */
function credentialsOf({ settings }: Run, name: string | undefined) {
  try {
    return settings.account(name).credentials;
  } catch {
    return undefined;
  }
}
