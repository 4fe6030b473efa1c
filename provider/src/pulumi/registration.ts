import * as pulumi from "@pulumi/pulumi";
import { expiryProblem } from "../client/token.js";
import {
  checkDeclaration,
  declaredMembers,
  identityFor,
  identityMember,
  normalizedText,
  type Declaration,
  type JobKind,
} from "../jobs/index.js";
import { isObject } from "../json.js";
import type { Origin } from "../lifecycle/record.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { jobOptions } from "./jobOptions.js";
import { currentRun, runError, withSettings, type Run } from "./run.js";
import { unsupportedValue } from "./unsupportedValues.js";

/** What a resource class hands to `super`. */
export interface Registration {
  readonly properties: pulumi.Inputs;
  readonly options: pulumi.CustomResourceOptions;
}

/** Prepares the registration of one job: warns of problems, and completes its properties and options. */
export function prepare(
  kind: JobKind,
  handler: string,
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions,
): Registration {
  const label = `${kind.resource} ${JSON.stringify(name)}`;
  for (const option of ["id", "import"] as const) {
    if (options[option] === undefined) continue;
    throw runError(
      `${label}: the option ${option} does not work for this resource. Adopt the job with the input existingJobId: "<its id>".`,
    );
  }
  const unsupported = unsupportedValue(args);
  if (unsupported !== undefined) {
    throw runError(
      `${label}: ${unsupported}, which Pulumi does not hand over as it is. Nothing was declared. Use a string, a number, a boolean, null, an array or an object.`,
    );
  }
  const run = withSettings(currentRun);
  const plain = withoutOutputs(args);
  const declared = isObject(plain) ? plain : {};
  const valid = warn(run, kind, label, declared);
  const isPlain = valid && !hasUnknown(declared["params"]) && !hasUnknown(declared["additionalParams"]);
  return {
    properties: {
      ...args,
      ...seeds(args, declared),
      [identityMember]: identityFor(name, declared, isPlain),
      __provider: handler,
    },
    // Where the account is not known yet, the stack's own setting decides.
    options: withSettings(() => jobOptions(run, label, known(declared["account"]), options)),
  };
}

/**
 * The first failed check ends the program, so the problems of all jobs are shown here, as far as their values are known.
 * As warnings, for a transform may still correct a value: `check` has every rule and decides.
 */
function warn(run: Run, kind: JobKind, label: string, declared: Declaration): boolean {
  const problems = checkDeclaration(kind, declared, { strings: true });
  for (const { text } of problems) void pulumi.log.warn(`${label}: ${text}`);
  if (problems.length > 0) return false;
  for (const text of kind.warnings(declaredMembers(declared))) void pulumi.log.warn(`${label}: ${text}`);
  warnOfExpiredToken(run, declared["account"]);
  if (hasUnknown(declared) || declared["existingJobId"] !== undefined) return true;
  const key = `${String(declared["account"])} ${normalizedText(kind, declared)}`;
  const first = run.declared.get(key);
  run.declared.set(key, first ?? label);
  if (first !== undefined && first !== label) {
    void pulumi.log.warn(
      `${label}: it declares the same job as ${first}, and the service creates two of them. Remove one, or change it.`,
    );
  }
  return true;
}

const known = (value: unknown): unknown => (value === unknownValue ? undefined : value);

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
    void pulumi.log.warn(`${problem.what} pulumi up will send nothing with it. ${problem.fix}`);
}

/** Malformed settings are shown by `check`. */
function credentialsOf({ settings }: Run, name: string | undefined) {
  try {
    return settings.account(name).credentials;
  } catch {
    return undefined;
  }
}

/** A declaration in which each value that is not there yet is unknown: an Output, a promise. */
function withoutOutputs(value: unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return unknownValue;
  if (Array.isArray(value)) return value.map(withoutOutputs);
  if (!isObject(value)) return value;
  // The SDK leaves out what is undefined, at every depth.
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(members.map(([member, inner]) => [member, withoutOutputs(inner)]));
}

/**
 * `job` and `origin` are known only after the run, so a preview must not take them for absent. `job` holds what `params`
 * held: where a declared value may be secret it is derived from the declaration, which makes it secret as well.
 */
function seeds(args: object, declared: Declaration): pulumi.Inputs {
  const later = pulumi.runtime.isDryRun() ? pulumi.unknown : undefined;
  return {
    job: hasUnknown(declared) ? pulumi.output(args).apply(() => later) : later,
    origin: later,
  };
}

/**
 * Whether the SDK's stack traces may be left out while a resource is constructed: they take a third of a large preview.
 * Legacy transformations are the user's own code and run inside: an error there keeps its stack.
 */
export function mayOmitStacks({ transformations, parent }: pulumi.CustomResourceOptions): boolean {
  const above: object | undefined = parent ?? pulumi.runtime.getStackResource();
  const inherited: unknown = above !== undefined && "__transformations" in above ? above.__transformations : undefined;
  return (transformations ?? []).length === 0 && !(Array.isArray(inherited) && inherited.length > 0);
}

/**
 * An unconfirmed create of this run ends it with exit code 1 even where the engine took the record for a success, as it
 * does when an `onError` hook makes it ask again. One of an earlier run is reported by its own update.
 */
export function failOnUnconfirmed(kind: JobKind, name: string, origin: pulumi.Output<Origin | undefined>): void {
  if (pulumi.runtime.isDryRun()) return;
  const { startedAt } = currentRun();
  origin.apply((known) => {
    if (known?.outcome !== "unconfirmed" || Date.parse(known.at) < startedAt) return;
    throw runError(
      `${kind.resource} ${JSON.stringify(name)}: its create is unconfirmed. Its update in the next pulumi up says how to resolve it.`,
    );
  });
}
