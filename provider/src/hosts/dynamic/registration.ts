import * as pulumi from "@pulumi/pulumi";
import { checkDeclaration, scheduleMembers, type Declaration, type JobKind } from "../../jobs/index.js";
import { isJson, isPlainObject, membersOf } from "../../json.js";
import { declaredMembers } from "../../lifecycle/resource.js";
import { unconfirmedByHook } from "../../lifecycle/texts/shared.js";
import { resourceLabel } from "../../sentences.js";
import { hasUnknown, unknownValue } from "../../unknown.js";
import { dynamicType } from "../engineNames.js";
import type { RunStack } from "../ownState.js";
import type { Declarer } from "../warnings.js";
import { digest, handOverStack, identityFor, identityMember } from "./identity.js";
import type { JobResource } from "./jobResource.js";
import { currentRun, runError, withSettings, type Run } from "./run.js";

/** The provider in every saved resource. Never change these strings: each resource would show a change. */
const handlers: Readonly<Record<JobKind["resource"], string>> = {
  CachingJob: 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").cachingJob',
  ScheduledQueryJob: 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").scheduledQueryJob',
};

const optionalMembers = ["enabled", "definedNextRun", "existingJobId", "changedAtService", "account"];

let absent: pulumi.Output<undefined> | undefined;

/**
 * The registration of one job with the engine: what the job's class passes to `super`, and the steps after `super`.
 *
 * @throws pulumi.RunError if the settings are unusable, or for bad options that `check` never sees.
 */
export function registrationOf(kind: JobKind, name: string, args: object, options: pulumi.CustomResourceOptions) {
  const label = resourceLabel(kind.resource, name);
  const useless = (["id", "import"] as const).find((option) => options[option] !== undefined);
  if (useless !== undefined)
    throw runError(
      `${label}: the option ${useless} does not work for this resource. Adopt the job with the input existingJobId: "<its id>".`,
    );
  const run = currentRun();
  const declared = declaredMembers(membersOf(knownPart(args)));
  const problems = checkDeclaration(kind, declared).map(({ text }) => `${label}: ${text}`);
  // The SDK would convert such a value, or never finish on a cycle, so `check` could not notice it.
  if (!isJson(declared)) throw runError(problems.join("\n"));
  if (problems.length === 0) warnOf(run, kind, { label, parent: options.parent }, declared);
  else warnOfMistakes(run, problems);
  const outputs = Object.keys(declared).filter((member) => hasUnknown(declared[member]));
  const above = lineOf(options.parent);
  const path = above.length === 0 ? undefined : above.map((one) => `${one.type}::${one.name}`).join("/");
  const jobOpts = withSettings(() => jobOptions(run, label, declared["account"], options));
  const isPreview = pulumi.runtime.isDryRun();
  const handed = { isPreview, isDeletedFirst: jobOpts.deleteBeforeReplace === true, run: run.id };
  const identity = identityFor(name, declared, outputs, path);
  const properties: pulumi.Inputs = {
    ...args,
    // `undefined` makes `job` and `origin` outputs that are unknown in a preview and invisible to policies.
    job: outputs.length > 0 ? secretIf(pulumi.output(args)) : undefined,
    origin: undefined,
    [identityMember]: "plain" in identity ? identity : { ...identity, plain: plainDigest(args) },
    ...(run.stack && handOverStack({ ...stackOf(run.stack, kind, name, above, options), ...handed })),
    __provider: handlers[kind.resource],
  };
  return {
    properties,
    options: jobOpts,
    /** Call `end` after `super`, even if `super` throws. */
    end: omitStackTraces(options),
    /** Adds the omitted members to the registered resource. */
    complete: (resource: JobResource, moreOptional: readonly string[] = []) => {
      failIfUnconfirmed(run, label, resource);
      // Set a known output: in a preview, the SDK would make an unknown one for each omitted member.
      absent ??= pulumi.output(undefined);
      for (const member of [...optionalMembers, ...moreOptional])
        if (!(member in resource)) Reflect.set(resource, member, absent);
      // In a preview, the engine returns the empty secret of `secretIf`, which the program must not take for the record.
      if (outputs.length > 0 && pulumi.runtime.isDryRun())
        Reflect.set(
          resource,
          "job",
          resource.job.apply((job: unknown) => job ?? pulumi.unknown),
        );
    },
  };
}

/**
 * Fails the program if a create became unconfirmed in this run but was reported as a success, because an `onError` hook
 * kept repeating it. Without such a hook, the create itself fails the run.
 */
function failIfUnconfirmed({ id }: Run, label: string, { origin }: JobResource): void {
  if (pulumi.runtime.isDryRun()) return;
  // A program's own mocks may return no origin.
  origin.apply((known: unknown) => {
    const { outcome, run } = membersOf(known);
    if (outcome === "unconfirmed" && run === id) throw runError(unconfirmedByHook(label));
  });
}

/**
 * The input that makes the engine treat the output `job` as secret: an empty secret, if the declaration contains a secret,
 * because `job` will contain the `params`; otherwise undefined.
 */
const secretIf = async (declaration: pulumi.Output<unknown>) =>
  (await pulumi.isSecret(declaration)) ? pulumi.secret(undefined) : undefined;

/** The digest of what is sent as params, as soon as its outputs are known; undefined if one of them is a secret. */
async function plainDigest(args: object) {
  const { params, additionalParams } = membersOf(args);
  const sent = pulumi.output({ params, additionalParams });
  const isSecret = await pulumi.isSecret(sent);
  return isSecret ? undefined : sent.apply((known) => digest(declaredMembers(membersOf(knownPart(known)))));
}

function warnOf({ warnings }: Run, kind: JobKind, resource: Declarer, declared: Declaration): void {
  const texts = withSettings(() => warnings.of(kind, resource, declared));
  if (pulumi.runtime.isDryRun()) texts.push(...warnings.ofToken(declared["account"]));
  for (const text of texts) void pulumi.log.warn(text);
}

/**
 * Warns about mistakes in known values if several declarations have some: the first failed `check` ends the program and
 * shows only its own. Only warnings, because a transform may still correct a value: `check` decides.
 */
function warnOfMistakes({ mistakes }: Run, problems: readonly string[]): void {
  mistakes.push(problems);
  if (mistakes.length === 1) return;
  for (const text of mistakes.length === 2 ? mistakes.flat() : problems) void pulumi.log.warn(text);
}

/**
 * The declaration, with unknown values for what is not available yet (an Output, a promise). Like the SDK, leaves out
 * undefined members at every depth. An object that contains itself becomes NaN, which is not JSON either.
 */
function knownPart(value: unknown, above: readonly unknown[] = []): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return unknownValue;
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return NaN;
  const part = (inner: unknown) => knownPart(inner, [...above, value]);
  if (Array.isArray(value)) return value.map((inner: unknown) => part(inner) ?? null);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(members.map(([member, inner]) => [member, part(inner)]));
}

interface Ancestor {
  readonly type: string;
  readonly name: string;
}

/** A resource and its parents, outermost first. Reads undeclared SDK properties, which need no await. */
function lineOf(resource: unknown): readonly Ancestor[] {
  if (!pulumi.Resource.isInstance(resource)) return [];
  const members = ["__pulumiType", "__name", "__parentResource"] as const;
  const [type, name, parent] = members.map((member): unknown => Reflect.get(resource, member));
  return [...lineOf(parent), { type: String(type), name: String(name) }];
}

/** What the provider process cannot find out itself. `provider` is left out if the program declares the provider. */
function stackOf(
  stack: RunStack,
  kind: JobKind,
  name: string,
  above: readonly Ancestor[],
  options: pulumi.CustomResourceOptions,
): RunStack {
  const isDeclared = (options.provider ?? options.parent?.getProvider(dynamicType(kind))) !== undefined;
  // The engine's URN has the types of the parents, but neither their names nor the stack.
  const types = above.map(({ type }) => type).filter((type) => type !== "pulumi:pulumi:Stack");
  const urn = [stack.urn, [...types, dynamicType(kind)].join("$"), name].join("::");
  return { ...stack, urn, ...(!isDeclared && { provider: "default" }) };
}

/** Options that make the engine replace a resource, and so create a second job, without an explicit `--replace`. */
const replacing = ["replaceOnChanges", "replaceWith", "replacementTrigger"] as const;

/** The inputs of a job that have the user's values. Of `__stack`, which no state has, the engine must keep today's. */
const ofUser = [
  ...new Set([...Object.keys(scheduleMembers), ...optionalMembers, "params", "additionalParams"]),
  ...[identityMember, "__provider"],
];

/** The user's options, plus the options that protect a job that cannot be deleted. */
export function jobOptions(
  run: Run,
  label: string,
  account: unknown,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResourceOptions {
  // Hide `__resource`: for a change in place, the engine lists all changed inputs, even internal ones.
  const hideDiffs = [...(options.hideDiffs ?? []), identityMember];
  // If the account is not known yet, the stack's own setting decides, but no option may leave a job that can be deleted.
  const { canChange, options: guards } = run.settings.mode(
    typeof account === "string" && account !== unknownValue ? account : undefined,
  );
  const mayBe = account === unknownValue ? run.settings.accountNames().map((name) => run.settings.mode(name)) : [];
  // The SDK passes a parent's `protect` on only to a child that has none, and the next lines may set it.
  const above: unknown = options.parent && Reflect.get(options.parent, "__protect");
  const inherited = typeof above === "boolean" ? above : undefined;
  const protect = options.protect ?? inherited ?? run.settings.protect() ?? guards.protect;
  const retainOnDelete =
    options.retainOnDelete ?? (mayBe.some((mode) => mode.canChange) ? undefined : guards.retainOnDelete);
  return {
    ...(canChange ? { ...options, hideDiffs } : withoutReplacement(label, options)),
    ...(options.ignoreChanges?.includes("*") === true && { ignoreChanges: ofUser }),
    ...(protect !== undefined && { protect }),
    ...(retainOnDelete !== undefined && { retainOnDelete }),
    // Delete first: if the delete fails, no second job is created. A retained job can leave the state after the create.
    deleteBeforeReplace: retainOnDelete !== true,
  };
}

function withoutReplacement(label: string, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const given = replacing.filter((option) => options[option] !== undefined);
  if (given.length === 0) return options;
  void pulumi.log.warn(
    `${label}: ${given.length === 1 ? "the option" : "the options"} ${given.join(", ")} ${given.length === 1 ? "is" : "are"} ignored, because a replacement creates a second job. To create a second job anyway: pulumi state unprotect --yes '<urn>' && pulumi state taint --yes '<urn>' && pulumi up`,
  );
  const left: ReadonlySet<string> = new Set(given);
  return Object.fromEntries(Object.entries(options).filter(([option]) => !left.has(option)));
}

/** Turns off stack traces until the returned function is called. They are slow: see docs/contributing/performance.md. */
function omitStackTraces(options: pulumi.CustomResourceOptions): () => void {
  const { stackTraceLimit } = Error;
  if (!runsTransformations(options)) Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}

/** Whether legacy transformations run in the SDK's constructor: errors in this user code must keep their stack. */
function runsTransformations({ transformations, parent }: pulumi.CustomResourceOptions): boolean {
  const above: object | undefined = parent ?? pulumi.runtime.getStackResource();
  const inherited: unknown = above !== undefined && "__transformations" in above ? above.__transformations : undefined;
  return (transformations ?? []).length > 0 || (Array.isArray(inherited) && inherited.length > 0);
}
