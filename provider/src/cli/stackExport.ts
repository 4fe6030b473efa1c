import { declaredSource, jobKey } from "../client/jobMatch.js";
import { namespace, settingsTable } from "../config/index.js";
import { jsonIn, printedJson } from "../hosts/cliOutput.js";
import { secretSignature, signature, kindOfType, nameIn } from "../hosts/engineNames.js";
import { objectsOf, ownStateIn, pendingOperationsIn, readingOf, resourceIn } from "../hosts/ownState.js";
import { digestOf } from "../hosts/keptJobs.js";
import { isDefaultProvider } from "../hosts/providerConfig.js";
import type { Declaration, JobKind } from "../jobs/index.js";
import { isObject, membersOf, parseJson } from "../json.js";
import { typeIn } from "../lifecycle/aliases.js";
import type { UnconfirmedCreate } from "../lifecycle/ownState.js";
import { declaredMembers, isStandIn, type JobState, type Origin, readState } from "../lifecycle/resource.js";
import { type Input, InputError } from "./command.js";
import { shellWord } from "../sentences.js";

/** A job that a stack has, with the members that `jobs` prints. */
export interface KnownJob {
  /** Tells the export from all others: two organizations or backends may have stacks with the same URNs. */
  readonly of: string;
  /** The stack's name for the CLI: with its organization, if that is known. */
  readonly stackForCli: string;
  readonly stack: string;
  readonly project: string;
  readonly resource: string;
  /** The resource's name in messages: `CachingJob "orders"`. */
  readonly label: string;
  readonly urn: string;
  readonly kind: JobKind;
  /** The name of the job's provider, if the program declares one. */
  readonly provider: string | undefined;
  /** With `[secret]` in place of each secret. */
  readonly declared: Declaration;
  readonly type: JobKind["resource"];
  readonly tableOrQuery: string | undefined;
  readonly schedule: string;
  /** Whether this is the old record of a replaced resource, which only waits to be deleted. */
  readonly isReplaced: boolean;
  /** The resource's id in the state. */
  readonly id: string;
  /**
   * The job's id at the service. Absent while the create is unconfirmed, and in an older state if `id` is a stand-in and the
   * job's record in the state is encrypted.
   */
  readonly jobId: string | undefined;
  /** The source as `sourceOf` returns it, from the plain values of secrets too: only to compare it. */
  readonly source: string | undefined;
  /** Absent in a state that was edited by hand, and if it is hidden. */
  readonly origin: Origin | undefined;
  /** Whether the program made the origin secret, and the export does not show it. */
  readonly isOriginHidden: boolean;
  readonly service: string | undefined;
  readonly account: string | undefined;
  readonly outcome: Origin["outcome"] | "unchecked" | undefined;
  readonly since: string | undefined;
  /** What is known about the job's create, if a run was killed in it. */
  readonly killed: UnconfirmedCreate | undefined;
  /** Whether jobs can be looked up with the settings of the last `up`. */
  readonly canRead: boolean;
}

/** What a resource shows by itself. */
type ReadJob = Omit<KnownJob, "of" | "stackForCli">;

/** Whether a job's create got no clear answer, so that its id is not known. */
export const isUnconfirmed = ({ outcome }: KnownJob): boolean => outcome === "unconfirmed";

export interface ExplicitProvider {
  readonly name: string;
  readonly urn: string;
  /** With `[secret]` in place of each secret whose plain value is not known. */
  readonly inputs: Members;
}

export interface Providers {
  readonly explicit: readonly ExplicitProvider[];
  /** Whether any resource uses the settings of the stack's configuration. */
  readonly useConfiguration: boolean;
  /** What the jobs declare as secret and the export shows in clear. The service may repeat it. */
  readonly secrets: readonly unknown[];
}

export interface StackExport {
  /** Where it came from, for messages. */
  readonly from: string;
  readonly providers: Providers;
  readonly jobs: readonly KnownJob[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads what `pulumi stack export` prints, but only what concerns jobs.
 * @throws InputError if the text is something else.
 */
export function readExport(input: Input): StackExport {
  const { text, from } = input;
  // One after the other: the last one would be taken for all.
  const exports = text.split(/^(?=\{)/m).filter((one) => "deployment" in membersOf(jsonIn(one)));
  if (exports.length > 1)
    throw new InputError(`${from} has ${exports.length} exported stacks. Give each one in a file of its own.`);
  return exportIn(jsonIn(text), input);
}

/**
 * The same for what this process asked the CLI for.
 * @throws CliError, with the first line, if the text is not JSON. InputError if it is another document.
 */
export const readPrintedExport = (input: Input): StackExport =>
  exportIn(printedJson("stack export", input.text), input);

function exportIn(exported: unknown, { text, from, stack }: Input): StackExport {
  const expected = "Expected: what pulumi stack export prints.";
  if (exported === undefined) throw new InputError(`${from} is not JSON. ${expected}`);
  const { deployment } = membersOf(exported);
  if (!isObject(deployment))
    throw new InputError(`${from} is JSON, but not an exported stack: it has no "deployment". ${expected}`);
  const resources = objectsOf(deployment["resources"]);
  const providers = new Map(resources.map((resource) => [[resource["urn"], resource["id"]].join("::"), resource]));
  const unconfirmed = unconfirmedIn(deployment);
  const pending = pendingOperationsIn(deployment).map(({ resource }) => resource);
  const saved = resources.flatMap((resource) => readJob(resource, providers.get(String(resource["provider"]))) ?? []);
  const found = [
    ...saved.map((job) => ({ ...job, killed: unconfirmed.find(({ id }) => id === job.id) })),
    ...unconfirmed.flatMap((create) => (create.id === undefined ? [killedJob(create, pending)] : [])),
  ];
  const of = digestOf(text);
  const jobs = found.map((job): KnownJob => ({ ...job, of, stackForCli: stack ?? job.stack }));
  return { from, providers: readProviders(resources), jobs: jobs.sort(byName) };
}

/** @throws InputError if two exports are of the same stack: each of its jobs would seem to be in two stacks. */
export function refuseDoubled(exports: readonly StackExport[]): readonly StackExport[] {
  const known = new Map<string, string>();
  for (const { jobs, from } of exports) {
    const stack = jobs[0] && `${jobs[0].stack} of the project ${jobs[0].project}`;
    const other = stack === undefined ? undefined : known.get(stack);
    if (stack !== undefined && other !== undefined)
      throw new InputError(`${other} and ${from} are exports of one stack, ${stack}. Give each stack once.`);
    if (stack !== undefined) known.set(stack, from);
  }
  return exports;
}

/** Merges several exports into one. */
export function asOne(exports: readonly StackExport[]): StackExport {
  return {
    from: exports.map(({ from }) => from).join(", "),
    providers: {
      explicit: exports.flatMap(({ providers }) => providers.explicit),
      useConfiguration: exports.some(({ providers }) => providers.useConfiguration),
      secrets: exports.flatMap(({ providers }) => providers.secrets),
    },
    jobs: exports.flatMap(({ jobs }) => jobs),
  };
}

/** The names of the jobs' stacks, as short as uniqueness allows; no names if all jobs are in one stack. */
export function stackNames(jobs: readonly KnownJob[]): (job: KnownJob) => string | undefined {
  const count = (memberOf: (job: KnownJob) => string) => new Set(jobs.map(memberOf)).size;
  const stacks = count(({ of }) => of);
  if (stacks <= 1) return () => undefined;
  if (count(({ project }) => project) > 1) return ({ stack, project }) => `${project}/${stack}`;
  const areShortUnique = count(({ stack }) => stack) === stacks;
  return ({ stack, stackForCli }) => (areShortUnique ? stack : stackForCli);
}

/** Whether two records are of one resource: the old one of a replaced resource has its URN too. */
export const isSameResource = (one: KnownJob, other: KnownJob): boolean => one.of === other.of && one.urn === other.urn;

/** A job at the service that several resources have. */
export interface SharedJob {
  readonly jobId: string;
  readonly resources: readonly KnownJob[];
}

/** The jobs that several resources have: each resource changes and deletes the job of the others. */
export function sharedJobs({ jobs }: StackExport): SharedJob[] {
  const groups = new Map<string, KnownJob[]>();
  for (const job of jobs) {
    if (job.jobId === undefined) continue;
    // A service may write the letters of an id in either case.
    const key = jobKey(job.origin?.baseUrl, job.jobId.toLowerCase());
    groups.set(key, [...(groups.get(key) ?? []), job]);
  }
  return [...groups.values()]
    .filter(([first, ...others]) => others.some((other) => first !== undefined && !isSameResource(first, other)))
    .map((resources) => ({ jobId: resources[0]?.jobId ?? "", resources }));
}

/** The command that takes a resource out of its state. A job may be protected, hence `--force`. */
const takeOut = ({ urn, stackForCli }: Pick<KnownJob, "urn" | "stackForCli">): string =>
  `  pulumi state delete --force --yes ${shellWord(urn)} --stack ${shellWord(stackForCli)}`;

/** The same for all but the first: pasted together, the commands leave one. */
export const takeOutOthers = ([first, ...others]: readonly KnownJob[]): readonly string[] =>
  first === undefined
    ? []
    : [`To keep ${nameOf(first)}:`, ...others.filter((other) => !isSameResource(first, other)).map(takeOut)];

/** How a resource is named beside those of other stacks. */
export const nameOf = ({ label, stackForCli }: KnownJob): string => `${label} in the stack ${stackForCli}`;

/** Explains the danger of a job that several resources have, and how to resolve it. */
export const sharedText = ({ jobId, resources }: SharedJob): readonly string[] => [
  `Job ${jobId} is in the state of ${resources.map(nameOf).join(" and of ")}. Each changes and deletes it for the others. Keep one. With no pulumi up of its stack in between, remove the other from its program and take it out of its state, which leaves the job.`,
  ...takeOutOthers(resources),
];

const byName = (a: KnownJob, b: KnownJob): number => (a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : 0);

const providerType = "pulumi:providers:data-connectivity";

/** The name of a provider that the program declares; undefined for a default provider or another package's provider. */
function declaredProvider(urn: string): string | undefined {
  const name = nameIn(urn);
  return typeIn(urn) === providerType && !isDefaultProvider(name) ? name : undefined;
}

function readProviders(resources: readonly Members[]): Providers {
  const explicit = resources.flatMap(({ urn, inputs, delete: isReplaced }): ExplicitProvider[] => {
    const name = typeof urn === "string" && isReplaced !== true ? declaredProvider(urn) : undefined;
    if (name === undefined) return [];
    return [{ name, urn: String(urn), inputs: membersOf(withSecrets("shown", inputs)) }];
  });
  const ofJobs = resources.filter(({ type }) => kindOfType(type) !== undefined);
  return {
    explicit,
    useConfiguration: ofJobs.some((resource) => providerOf(resource) === undefined),
    secrets: ofJobs.flatMap(({ inputs, outputs }) => secretsIn([inputs, membersOf(outputs)["params"]])),
  };
}

/** The name of a resource's provider, if the program declares it. A provider reference is the provider's URN and id. */
const providerOf = ({ provider }: Members): string | undefined =>
  declaredProvider(String(provider).replace(/::[^:]*$/, ""));

/** A job that a stack has; undefined for a resource of another type, and for a job that the program only reads. */
function readJob(resource: Members, provider?: Members): ReadJob | undefined {
  const { id, inputs, outputs, external } = resource;
  // After a failed update, the engine keeps the old inputs: only the outputs show what was sent.
  const sent = { ...membersOf(inputs), ...membersOf(outputs) };
  const named = resourceIn({ ...resource, inputs: withSecrets("hidden", sent) });
  if (named === undefined || typeof id !== "string" || external === true) return undefined;
  const { urn, kind, label } = named;
  const { declared } = named.sent.described;
  // Of the job's record, only the id is read. Neither the id nor the origin is secret, even if the program says so.
  const shown = membersOf(withSecrets("shown", sent));
  const { job, origin } = shown;
  const saved = readState({ ...membersOf(outputs), job, origin });
  return {
    ...describedBy(urn, kind, label, declared),
    provider: providerOf(resource),
    isReplaced: resource["delete"] === true,
    id,
    jobId: saved?.job.id ?? saved?.origin.jobId ?? (isStandIn(id) ? undefined : id),
    source: shownSource(kind, declaredMembers(shown)),
    origin: saved?.origin,
    isOriginHidden: origin === hiddenSecret,
    service: saved?.origin.baseUrl,
    account: saved?.origin.account,
    outcome: saved && outcomeOf(saved),
    since: saved?.origin.at,
    killed: undefined,
    canRead: canRead(membersOf(withSecrets("shown", provider?.["inputs"])), saved?.origin.account),
  };
}

/** `unchecked`: of an adopted job, mode `create` knows only the id that the program names. */
const outcomeOf = ({ origin, job }: JobState): KnownJob["outcome"] =>
  origin.outcome === "adopted" && Object.keys(job).join() === "id" ? "unchecked" : origin.outcome;

/** What a resource's URN and declaration show about its job. */
const describedBy = (urn: string, kind: JobKind, label: string, declared: Declaration) => ({
  stack: urn.split("::")[0]?.split(":").at(-1) ?? "",
  project: urn.split("::")[1] ?? "",
  resource: nameIn(urn),
  label,
  urn,
  kind,
  declared,
  type: kind.resource,
  tableOrQuery: plainValue(
    declared["params"] === hiddenSecret ? hiddenSecret : membersOf(declared["params"])[kind.source.at(-1) ?? ""],
  ),
  schedule: scheduleOf(declared),
});

/** The source of a declaration, unless the export hides a part of it. */
const shownSource = (kind: JobKind, declared: Declaration): string | undefined =>
  isHidden(declared["params"] ?? null) ? undefined : declaredSource({ kind, declared });

/** The creates that a run was killed in, with `[secret]` in place of each secret. */
function unconfirmedIn(deployment: Members): readonly UnconfirmedCreate[] {
  const killedIn = (one: Members) =>
    ownStateIn(one, undefined, readingOf(deployment)).unconfirmed.filter(({ why }) => why === "killedRun");
  // Whether the state records a create is decided before its secrets are hidden: the text in their place is not a source.
  const unrecorded = killedIn(deployment).map(({ urn }) => urn);
  const pending = withSecrets("hidden", deployment["pending_operations"]);
  return killedIn({ ...deployment, pending_operations: pending }).filter(({ urn }) => unrecorded.includes(urn));
}

/** A job that the state has no record of: a run was killed in its create. */
function killedJob(create: UnconfirmedCreate, pending: readonly Members[]): ReadJob {
  const { urn, kind, label, sent, at } = create;
  const { declared } = sent.described;
  return {
    ...describedBy(urn, kind, label, declared),
    provider: providerOf(pending.find((resource) => resource["urn"] === urn) ?? {}),
    isReplaced: false,
    id: "",
    jobId: undefined,
    source: shownSource(kind, declared),
    origin: undefined,
    isOriginHidden: false,
    service: undefined,
    account: sent.account,
    outcome: "unconfirmed",
    since: at,
    killed: create,
    canRead: false,
  };
}

/** Whether a provider with these inputs can read the account's jobs. The dynamic provider's inputs have full keys. */
function canRead(inputs: Members, account = ""): boolean {
  const setting = (key: string): unknown => inputs[key] ?? inputs[`${namespace}:${key}`];
  const accounts = setting("accounts");
  const own = membersOf(membersOf(typeof accounts === "string" ? parseJson(accounts) : accounts)[account]);
  const text = own["jobOperations"] ?? setting("jobOperations");
  return typeof text === "string" && settingsTable.jobOperations.parse(text)?.canRead === true;
}

/** Replaces a hidden secret, as in a preview. */
const hiddenSecret = "[secret]";

export const isHidden = (value: unknown): boolean => JSON.stringify(value).includes(JSON.stringify(hiddenSecret));

/**
 * A value of an export without the engine's secret marks. `shown`: with the plain value of each secret, which an export
 * has only if it was made with `--show-secrets`.
 */
function withSecrets(how: "shown" | "hidden", value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => withSecrets(how, inner));
  if (!isObject(value)) return value;
  if (value[signature] !== secretSignature)
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, withSecrets(how, inner)]));
  const { plaintext } = value;
  return how === "shown" && typeof plaintext === "string"
    ? withSecrets(how, parseJson(plaintext) ?? hiddenSecret)
    : hiddenSecret;
}

function secretsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isObject(value)) return [];
  if (value[signature] !== secretSignature) return Object.values(value).flatMap(secretsIn);
  const shown = withSecrets("shown", value);
  return isHidden(shown) ? [] : [shown];
}

/** What is shown in place of a secret. */
export const secret = "(secret)";

/** A declared string or number for display; undefined for other values, and `(secret)` for a secret. */
export function plainValue(value: unknown): string | undefined {
  if (value === hiddenSecret) return secret;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

export const scheduleOf = (job: { readonly intervalValue?: unknown; readonly intervalUnit?: unknown }): string =>
  `every ${plainValue(job.intervalValue) ?? "?"} ${plainValue(job.intervalUnit) ?? "?"}`;
