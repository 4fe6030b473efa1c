import * as pulumi from "@pulumi/pulumi";
import { checkDeclaration, declaredMembers, resourceLabel, type Declaration, type JobKind } from "../../jobs/index.js";
import { isObject } from "../../json.js";
import type { Origin } from "../../lifecycle/index.js";
import { hasUnknown, unknownValue } from "../../unknown.js";
import { dynamicType } from "../engineNames.js";
import type { Declarer } from "../warnings.js";
import { handOver, identityFor, identityMember, type Mistakes } from "./identity.js";
import type { JobResource } from "./jobResource.js";
import { currentRun, runError, withSettings, type Run } from "./run.js";
import { knownPart } from "./unsupportedValues.js";

/** The provider that every saved resource names: these strings are in users' state for ever, and a change of one would show as a change of each resource. */
const handlers: Readonly<Record<JobKind["resource"], string>> = {
  CachingJob: 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").cachingJob',
  ScheduledQueryJob: 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").scheduledQueryJob',
};

/** The optional members of all kinds of job. */
const optionalMembers = ["enabled", "definedNextRun", "existingJobId", "changedAtService", "account"];

let absent: pulumi.Output<undefined> | undefined;

/** The registration of one job with the engine: what the resource's class hands to `super`, and what comes after it. */
export class Registration {
  readonly type: string;
  readonly properties: pulumi.Inputs;
  readonly options: pulumi.CustomResourceOptions;
  /** To be called after `super`, however it ended. */
  readonly end: () => void;
  private readonly label: string;

  /** @throws pulumi.RunError for options that no `check` could find, and for settings that cannot be used. */
  constructor(kind: JobKind, name: string, args: object, options: pulumi.CustomResourceOptions) {
    const label = (this.label = resourceLabel(kind.resource, name));
    refuseOptions(label, options);
    const run = withSettings(currentRun);
    const { known, unsupported } = knownPart(args);
    const declared = isObject(known) ? declaredMembers(known) : {};
    const problems = [...unsupported, ...checkDeclaration(kind, declared).map(({ text }) => text)];
    if (problems.length === 0) warnOf(run, kind, { label, parent: options.parent }, declared);
    const unknown = Object.keys(declared).filter((member) => hasUnknown(declared[member]));
    const outputs = unknown.filter((member) => member !== "params" && member !== "additionalParams");
    const isPlain = problems.length === 0 && outputs.length === unknown.length;
    // If the account is not known yet, the stack's own setting decides.
    const account = declared["account"] === unknownValue ? undefined : declared["account"];
    this.type = dynamicType(kind);
    // `check` refuses the resource for what the SDK cannot hand over.
    const handedOver = unsupported.length === 0 ? args : withoutValues(args);
    this.properties = {
      ...handedOver,
      ...placeholders(handedOver, declared),
      [identityMember]: identityFor(name, declared, isPlain, pathOf(options.parent), outputs),
      // If a value is not known yet, only check can find a mistake in it, and it names those of the others then.
      ...(problems.length + unknown.length > 0 && handOver(mistakesWith(run, label, problems, unsupported.length > 0))),
      __provider: handlers[kind.resource],
    };
    this.options = withSettings(() => jobOptions(run, label, account, options));
    this.end = omitStackTraces(options);
  }

  /** Completes a registered resource. */
  complete(resource: JobResource, moreOptional: readonly string[] = []): void {
    // The SDK's own outputs of members that are not declared are unknown in a preview.
    absent ??= pulumi.output(undefined);
    for (const member of [...optionalMembers, ...moreOptional])
      if (!(member in resource)) Reflect.set(resource, member, absent);
    failOnUnconfirmed(this.label, resource.origin);
  }
}

/** Warns of what is accepted and is probably a mistake. */
function warnOf({ warnings }: Run, kind: JobKind, resource: Declarer, declared: Declaration): void {
  const texts = withSettings(() => warnings.of(kind, resource, declared));
  if (pulumi.runtime.isDryRun()) texts.push(...warnings.ofToken(declared["account"]));
  for (const text of texts) void pulumi.log.warn(text);
}

/**
 * The mistakes of a declaration, as far as its values are known, and those of the others that the program declares in the
 * same turn. As inputs and not as errors, for a transform may still correct a value: `check` has every rule and decides.
 */
function mistakesWith(
  { mistakes }: Run,
  label: string,
  problems: readonly string[],
  isUnsupported: boolean,
): Promise<Mistakes | undefined> {
  const own = problems.map((text) => `${label}: ${text}`);
  mistakes.push(...own);
  return Promise.resolve().then(() => {
    if (mistakes.length === 0) return undefined;
    const others = mistakes.filter((text) => !own.includes(text));
    const more = others.splice(100).length;
    return { own, others: more > 0 ? [...others, `… and ${more} more`] : others, isUnsupported };
  });
}

/** The resources from the top of the program to this one. What the SDK knows of them at once, and does not declare. */
function pathOf(resource: unknown): string | undefined {
  if (!pulumi.Resource.isInstance(resource)) return undefined;
  const members = ["__pulumiType", "__name", "__parentResource"] as const;
  const [type, name, parent] = members.map((member): unknown => Reflect.get(resource, member));
  const above = pathOf(parent);
  return `${above === undefined ? "" : `${above}/`}${String(type)}::${String(name)}`;
}

function refuseOptions(label: string, options: pulumi.CustomResourceOptions): void {
  for (const option of ["id", "import"] as const) {
    if (options[option] === undefined) continue;
    throw runError(
      `${label}: the option ${option} does not work for this resource. Adopt the job with the input existingJobId: "<its id>".`,
    );
  }
}

/** Each member stays an output of the resource, because a program may use it. */
const withoutValues = (args: object): object =>
  Object.fromEntries(Object.keys(args).map((member) => [member, undefined]));

/**
 * `job` and `origin` are known only after the run, so a preview must not take them for absent. `job` holds what `params`
 * held: where a declared value may be secret it is derived from the declaration, which makes it secret as well.
 */
function placeholders(args: object, declared: Declaration): pulumi.Inputs {
  const later = pulumi.runtime.isDryRun() ? pulumi.unknown : undefined;
  return {
    job: hasUnknown(declared) ? pulumi.output(args).apply(() => later) : later,
    origin: later,
  };
}

/**
 * An unconfirmed create of this run ends it with exit code 1 even where the engine took the record for a success, as it
 * does when an `onError` hook makes it ask again. One of an earlier run is reported by its own update.
 */
function failOnUnconfirmed(label: string, origin: pulumi.Output<Origin | undefined>): void {
  if (pulumi.runtime.isDryRun()) return;
  const { startedAt } = currentRun();
  origin.apply((known) => {
    if (known?.outcome !== "unconfirmed" || Date.parse(known.at) < startedAt) return;
    throw runError(`${label}: its create is unconfirmed. The next pulumi up says how to resolve it.`);
  });
}

/** Options by which the engine would replace a resource, and so create a second job, without being asked for one by name. */
const replacing = ["replaceOnChanges", "replaceWith", "replacementTrigger"] as const;

/** The user's options, completed by those that guard a job where it cannot be deleted. */
export function jobOptions(
  run: Run,
  label: string,
  account: unknown,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  // The engine shows which inputs a change in place changes, also those that only the provider reads.
  const hideDiffs = [...(options.hideDiffs ?? []), identityMember];
  const { canChange, options: guards } = run.settings.mode(typeof account === "string" ? account : undefined);
  const protect = options.protect ?? protectOf(options.parent) ?? run.settings.protect() ?? guards.protect;
  const retainOnDelete = options.retainOnDelete ?? guards.retainOnDelete;
  return {
    ...(canChange ? { ...options, hideDiffs } : withoutReplacement(label, options)),
    ...(protect !== undefined && { protect }),
    ...(retainOnDelete !== undefined && { retainOnDelete }),
    // A retained job may go after its successor was created; one that has to be deleted first stops everything in time.
    deleteBeforeReplace: retainOnDelete !== true,
  };
}

function withoutReplacement(label: string, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const given = replacing.filter((option) => options[option] !== undefined);
  if (given.length === 0) return options;
  void pulumi.log.warn(
    `${label}: ${given.length === 1 ? "the option" : "the options"} ${given.join(", ")} would create a second job and ${given.length === 1 ? "is" : "are"} ignored. To create one: pulumi up --replace '<urn>'.`,
  );
  const left: ReadonlySet<string> = new Set(given);
  return Object.fromEntries(Object.entries(options).filter(([option]) => !left.has(option)));
}

/** What a component sets for its children; the SDK hands it down only while a child sets nothing. */
function protectOf(parent: pulumi.Resource | undefined): boolean | undefined {
  return parent !== undefined && "__protect" in parent && typeof parent.__protect === "boolean"
    ? parent.__protect
    : undefined;
}

/**
 * The SDK takes no stack traces from now on, until the result is called: with them a job takes 2.3 ms of a program's CPU time,
 * without them 1.4 (1,500 jobs with a debugger attached, as the engine runs programs).
 */
function omitStackTraces(options: pulumi.CustomResourceOptions): () => void {
  const { stackTraceLimit } = Error;
  if (!runsTransformations(options)) Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}

/** Legacy transformations are the user's own code and run inside the SDK's constructor: an error there keeps its stack. */
function runsTransformations({ transformations, parent }: pulumi.CustomResourceOptions): boolean {
  const above: object | undefined = parent ?? pulumi.runtime.getStackResource();
  const inherited: unknown = above !== undefined && "__transformations" in above ? above.__transformations : undefined;
  return (transformations ?? []).length > 0 || (Array.isArray(inherited) && inherited.length > 0);
}
