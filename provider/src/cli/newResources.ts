import type { KnownRecord } from "../client/jobRecord.js";
import { importId, parseImportId, pluginType } from "../hosts/engineNames.js";
import type { JobKind } from "../jobs/index.js";
import { membersOf, type JsonObject } from "../json.js";
import { declarationOf } from "../lifecycle/all/read.js";
import { propertyPath } from "../propertyPath.js";
import { missingIn, type Owner, type ServiceJob } from "./serviceJobs.js";
import type { DeclaredJob, StackExport } from "./stackExport.js";

/** A job at the service that gets a new resource. If the job has an owner, the new resource takes its place. */
interface NewResource {
  readonly job: ServiceJob;
  readonly kind: JobKind;
  readonly args: JsonObject;
  /** The name of the resource, as in `new CachingJob("order-items", …)`. */
  readonly name: string;
  /** The name of the resource in code, such as `orderItemsJob`. */
  readonly identifier: string;
}

/** The jobs of the service, and the stack that gets resources for those that it lacks. */
export interface Lacking {
  readonly jobs: readonly ServiceJob[];
  readonly stack: StackExport | undefined;
  /** Whether to include a job if it is the only job that an interrupted create could have made. */
  readonly withInterrupted: boolean;
}

/**
 * The resources that a stack lacks, one for each job; of a job that is left out, the reason.
 * `whyNot`: why the form in which they are printed cannot have a resource.
 */
function newResources(lacking: Lacking, whyNot: (resource: NewResource) => string | undefined) {
  const nameFor = namesBeside(lacking.stack);
  return lacking.jobs.flatMap((job): (NewResource | { readonly leftOut: string })[] => {
    const { owner, record, account } = job;
    if (owner?.state === "known") return [];
    if (owner !== undefined && !isOnlyJobOf(owner, lacking)) return [{ leftOut: perhaps(job, owner) }];
    const declaration = declarationOf(record, account);
    if ("problems" in declaration) {
      const { id, name = "without a name" } = record.job;
      return [{ leftOut: `Left out: job ${id} (${name}). ${declaration.problems.join(" ")}` }];
    }
    const resource = { job, ...declaration, ...nameFor(declaration.kind, record.job, owner?.resource.resource) };
    const leftOut = whyNot(resource);
    return [leftOut === undefined ? resource : { leftOut }];
  });
}

/**
 * Whether a resource's create was interrupted, and only one job can be its. False for a resource that has an older job,
 * which is being replaced.
 */
const isOnlyJobOf = ({ resource, state }: Owner, { jobs, stack, withInterrupted }: Lacking): boolean =>
  withInterrupted &&
  state === "interrupted" &&
  jobs.filter(({ owner }) => owner?.resource === resource).length === 1 &&
  stack?.jobs.every(({ urn }) => urn !== resource.urn) === true;

/** Why a job that may already have a resource is left out: a second declaration would give the job two resources. */
function perhaps({ record }: ServiceJob, { resource, state, jobId }: Owner): string {
  const { id } = record.job;
  const { label } = resource;
  if (jobId !== undefined)
    return `Left out: job ${id} has the same source as ${label}, which has job ${jobId}. If job ${jobId} still exists, a killed run may have created job ${id}: if nobody needs job ${id}, delete it at the service. If job ${jobId} is gone, remove the resource from the state, then add existingJobId: ${JSON.stringify(id)} to its declaration.`;
  return state === "unconfirmed"
    ? `Left out: job ${id} may be that of ${label}, whose create is unconfirmed. pulumi refresh finds out.`
    : `Left out: job ${id} may be that of ${label}, whose create was interrupted. If it is, add existingJobId: ${JSON.stringify(id)} to its declaration.`;
}

const longest = 60;

/**
 * Returns a function that names jobs after their tables and queries. It makes no name twice, and none that a resource
 * of the stack has.
 */
function namesBeside(stack: StackExport | undefined) {
  const taken = new Set([...(stack?.jobs ?? []), ...(stack?.pending ?? [])].map(({ resource }) => resource));
  /** `declared`: the name that the program already has for the job. */
  return (kind: JobKind, job: KnownRecord, declared?: string) => {
    const own = job.params?.[kind.source.at(-1) ?? ""];
    const words = wordsOf(declared ?? (typeof own === "string" ? own : (job.name ?? "")));
    const base = words.length > 0 ? words : wordsOf(kind.resource.replace(/Job$/, ""));
    for (let count = 1; ; count += 1) {
      const { name, identifier } = nameOf(kind, count === 1 ? base : [...base, String(count)]);
      if ((declared === undefined && taken.has(name)) || taken.has(identifier)) continue;
      taken.add(name).add(identifier);
      return { name: declared ?? name, identifier };
    }
  };
}

/** The words of a name, in lower case, with only the characters that an identifier may contain. */
const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .slice(0, longest)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .split(/[^\p{ID_Continue}]+|\p{Pc}+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());

/** The identifier ends in `Job`, so that it does not clash with keywords and with other names in a module. */
function nameOf(kind: JobKind, words: readonly string[]) {
  const begins = /^\p{ID_Start}/u.test(words[0] ?? "") ? words : [kind.noun, ...words];
  const [first = "", ...rest] = begins;
  const camel = rest.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return { name: words.join("-"), identifier: `${[first, ...camel].join("")}Job` };
}

/** TypeScript lines that adopt each job that has no resource in the stack; a job that is left out becomes a comment. */
export function programFor(lacking: Lacking): string[] {
  const resources = newResources(lacking, ({ job: { provider, record } }) =>
    provider === undefined
      ? undefined
      : `Left out: job ${record.job.id}, of the provider ${JSON.stringify(provider)}, which only the plugin has. --as-import has it.`,
  );
  const classes = new Set(resources.flatMap((one) => ("leftOut" in one ? [] : one.kind.resource)));
  return [
    comment(introduction(lacking)),
    classes.size > 0 ? `import { ${[...classes].sort().join(", ")} } from "pulumi-data-connectivity";` : "export {};",
    ...resources.flatMap((one) => ["", ...("leftOut" in one ? [comment(one.leftOut)] : declarationLines(one))]),
  ];
}

const declarationLines = ({ kind, name, args, job: { owner } }: NewResource): string[] => [
  ...(owner ? [comment(`In place of the declaration of ${owner.resource.label}, whose create was interrupted.`)] : []),
  // The resource is not assigned to a constant, because an unused constant fails noUnusedLocals.
  `new ${kind.resource}(${JSON.stringify(name)}, ${literal(args)});`,
];

function introduction({ jobs, stack }: Lacking): string {
  const use = "Add this to the program and run pulumi up: it adopts them and changes nothing at the service.";
  if (stack === undefined) return `All jobs of the service (${jobs.length}), because no stack was given. ${use}`;
  const { surely, perhaps } = missingIn(jobs);
  if (surely + perhaps === 0) return `The stack has all jobs of the service (${jobs.length}).`;
  const count = `${surely} of ${jobs.length}${perhaps > 0 ? `, and ${perhaps} perhaps` : ""}`;
  return `The jobs of the service that the stack does not have (${count}). ${use}`;
}

/** A comment of one line: line separators become spaces, because they would end it. */
const comment = (text: string): string => `// ${text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")}`;

/** JSON as TypeScript: without quotes around members, and with a comma after the last one, as in a formatted program. */
const literal = (args: JsonObject): string =>
  JSON.stringify(args, undefined, 2)
    // Written without brackets, the member `__proto__` would set the object's prototype.
    .replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:")
    .replace(/\n( *[}\]])/g, ",\n$1");

/**
 * A file for `pulumi import --file`: the jobs without a resource in the stack, as resources of the plugin. Its comments
 * are in `notes`, because JSON has none.
 */
export function importFileFor(lacking: Lacking) {
  const found = newResources(lacking, whyNotImported);
  const resources = found.flatMap((one) =>
    "leftOut" in one
      ? []
      : {
          type: pluginType(one.kind),
          name: one.identifier,
          logicalName: one.name,
          id: idToImport(one.job),
          provider: one.job.provider,
        },
  );
  const isUsed = (name: string) => resources.some(({ provider }) => provider === name);
  const providers = lacking.stack?.providers.explicit.filter(({ name }) => isUsed(name)) ?? [];
  const nameTable = Object.fromEntries(providers.map(({ name, urn }) => [name, urn]));
  return {
    text: JSON.stringify({ ...(providers.length > 0 && { nameTable }), resources }, undefined, 2),
    notes: found.flatMap((one) => ("leftOut" in one ? one.leftOut : miswrittenInPython(one))),
  };
}

const idToImport = ({ record, account }: ServiceJob): string => importId({ account: account.name, id: record.job.id });

function whyNotImported({ job }: NewResource): string | undefined {
  const { owner } = job;
  if (owner !== undefined && !isImportable(owner.resource)) return perhaps(job, owner);
  const { account } = parseImportId(idToImport(job));
  if (account === job.account.name) return undefined;
  return `Left out: job ${job.record.job.id}. pulumi import would take it for a job of the account ${account ?? ""}.`;
}

/** Whether a resource is as `pulumi import` creates resources: with the plugin's default provider, in no component. */
const isImportable = ({ kind, urn, provider }: DeclaredJob): boolean =>
  urn.split("::")[2] === pluginType(kind) && provider === undefined;

/** Seen with engine 3.248: Python gets a string of several lines between triple quotes, with nothing in it escaped. */
function miswrittenInPython({ job: { record }, args }: NewResource): string[] {
  const { id, name = "without a name" } = record.job;
  const members = Object.entries(membersOf(args["params"])).filter(([, value]) => isMiswritten(value));
  if (members.length === 0) return [];
  const paths = members.map(([member]) => propertyPath(["params", member])).join(", ");
  return [
    `job ${id} (${name}): in Python, pulumi import writes ${paths} wrongly into the program, because of several lines with a backslash, """ or a quote at the end. Before pulumi up, correct it and run: pulumi preview --expect-no-changes`,
  ];
}

function isMiswritten(value: unknown): boolean {
  if (typeof value === "string") {
    const lines = value.split("\n");
    return (lines.length > 2 || (lines.length === 2 && !lines.includes(""))) && /\\|"""|"$/.test(value);
  }
  return typeof value === "object" && value !== null && Object.entries(value).flat().some(isMiswritten);
}
