import * as pulumi from "@pulumi/pulumi";
import { checkDeclaration, meaningOf, type Declaration, type JobKind } from "../jobs/index.js";
import { isObject } from "../json.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { currentRun, runError, withSettings, type Run } from "./run.js";
import type { Origin } from "./types.js";

/** What a resource class hands to `super`. */
export interface Registration {
  readonly properties: pulumi.Inputs;
  readonly options: pulumi.CustomResourceOptions;
}

/** Prepares the registration of one job: warns of what is wrong with it, and settles its properties and options. */
export function prepare(
  kind: JobKind,
  handler: string,
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions,
): Registration {
  const run = withSettings(currentRun);
  const plain = withoutOutputs(args);
  if (isObject(plain)) warn(run, kind, name, plain);
  return {
    properties: { ...args, ...seeds(args, plain), __provider: handler },
    options: withSettings(() => withDefaults(run, withoutReplacement(kind, name, options))),
  };
}

/**
 * The first failed check ends the program, so the faults of all jobs are said here, as far as their values are known. A
 * warning only, for a transform may still mend a value: `check` holds every rule and decides.
 */
function warn(run: Run, kind: JobKind, name: string, declared: Declaration): void {
  const faults = checkDeclaration(kind, declared);
  if (faults.length > 0) {
    void pulumi.log.warn(`${kind.resource} "${name}": ${faults.map(({ text }) => text).join("\n")}`);
    return;
  }
  if (hasUnknown(declared) || declared["existingJobId"] !== undefined) return;
  const meaning = `${String(declared["account"])} ${meaningOf(kind, declared)}`;
  const twin = run.declared.get(meaning);
  run.declared.set(meaning, twin ?? name);
  if (twin === undefined || twin === name) return;
  void pulumi.log.warn(
    `${kind.resource} "${name}" and "${twin}" declare the same job: the service makes two of them. Remove one, or let it differ.`,
  );
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
function seeds(args: object, plain: unknown): pulumi.Inputs {
  const later = pulumi.runtime.isDryRun() ? pulumi.unknown : undefined;
  return {
    job: hasUnknown(plain) ? pulumi.output(args).apply(() => later) : later,
    origin: later,
  };
}

let absent: pulumi.Output<undefined> | undefined;

/** Members that were not declared are outputs all the same: of nothing, and one for all resources, for each costs time. */
export function fillAbsent(resource: pulumi.CustomResource, members: readonly string[]): void {
  absent ??= pulumi.output(undefined);
  for (const member of members) if (!(member in resource)) Reflect.set(resource, member, absent);
}

/** Options by which the engine would replace a resource, and so make a second job, without being asked for one by name. */
const replacing = ["replaceOnChanges", "replaceWith", "replacementTrigger"] as const;

function withoutReplacement(
  kind: JobKind,
  name: string,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  const given = replacing.filter((option) => options[option] !== undefined);
  if (given.length === 0) return options;
  void pulumi.log.warn(
    `${kind.resource} "${name}": ${given.join(" and ")} would make a second job beside the first, so it is left out. To make one: pulumi up --replace '<urn>'.`,
  );
  const left: ReadonlySet<string> = new Set(given);
  return Object.fromEntries(Object.entries(options).filter(([option]) => !left.has(option)));
}

function withDefaults(run: Run, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const retainOnDelete = options.retainOnDelete ?? true;
  return {
    ...options,
    protect: options.protect ?? protectOf(options.parent) ?? run.settings.protect(),
    retainOnDelete,
    // A retained job may go after its successor was made; one that has to be deleted first stops everything in time.
    deleteBeforeReplace: !retainOnDelete,
  };
}

/** What a component says for its children; the SDK hands it down only while a child says nothing. */
function protectOf(parent: pulumi.Resource | undefined): boolean | undefined {
  return parent !== undefined && "__protect" in parent && typeof parent.__protect === "boolean"
    ? parent.__protect
    : undefined;
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
 * A doubt of this run ends it with exit code 1 even where the engine took the record for a success, as it does when an
 * `onError` hook makes it ask again. A doubt of an earlier run is the business of its own update.
 */
export function failOnDoubt(kind: JobKind, name: string, origin: pulumi.Output<Origin | undefined>): void {
  if (pulumi.runtime.isDryRun()) return;
  const { startedAt } = currentRun();
  origin.apply((known) => {
    if (known?.outcome !== "unconfirmed" || Date.parse(known.at) < startedAt) return;
    throw runError(
      `${kind.resource} "${name}" is in doubt: its create got no clear answer. Its update in the next pulumi up says what to do.`,
    );
  });
}
