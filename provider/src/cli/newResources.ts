import type { KnownRecord } from "../client/jobRecord.js";
import { importId, parseImportId, pluginType } from "../hosts/engineNames.js";
import type { JobKind } from "../jobs/index.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { declarationOf } from "../lifecycle/all/read.js";
import { propertyPath } from "../propertyPath.js";
import { missingIn, type Owner, type ServiceJob } from "./serviceJobs.js";
import { type DeclaredJob, labelOf, type StackExport } from "./stackExport.js";

/** A job at the service that can get a new resource in a stack, or why a job is left out. */
type NewResource =
  | {
      readonly job: ServiceJob;
      readonly kind: JobKind;
      readonly args: JsonObject;
      readonly name: ResourceName;
      /** The resource whose interrupted create made the job. */
      readonly interrupted: DeclaredJob | undefined;
    }
  | { readonly leftOut: string };

/**
 * The resources that a stack lacks, one for each job; a job that cannot be declared is left out, with the reason.
 * `withInterrupted`: whether to include a job if it is the only job that an interrupted create could have made.
 */
function newResources(
  jobs: readonly ServiceJob[],
  stack: StackExport | undefined,
  withInterrupted: boolean,
): NewResource[] {
  const nameFor = namesBeside(stack);
  return jobs.flatMap((job): NewResource[] => {
    const { owner } = job;
    if (owner?.state === "known") return [];
    const isFound = withInterrupted && owner !== undefined && isOnlyJobOf(owner, jobs, stack);
    if (owner !== undefined && !isFound) return [{ leftOut: perhaps(job, owner) }];
    const declaration = declarationOf(job.record, job.account);
    if ("problems" in declaration) {
      const { id, name = "without a name" } = job.record.job;
      return [{ leftOut: `Left out: job ${id} (${name}). ${declaration.problems.join(" ")}` }];
    }
    const name = nameFor(declaration.kind, job.record.job, owner?.resource.resource);
    return [{ job, ...declaration, name, interrupted: owner?.resource }];
  });
}

/**
 * Whether a resource's create was interrupted, and only one job can be its. False for a resource that has an older job,
 * which is being replaced.
 */
const isOnlyJobOf = (
  { resource, state }: Owner,
  jobs: readonly ServiceJob[],
  stack: StackExport | undefined,
): boolean =>
  state === "interrupted" &&
  jobs.filter(({ owner }) => owner?.resource === resource).length === 1 &&
  stack?.jobs.every(({ urn }) => urn !== resource.urn) === true;

/** Why a job that may already have a resource is left out: a second declaration would give the job two resources. */
function perhaps({ record }: ServiceJob, { resource, state, jobId }: Owner): string {
  const { id } = record.job;
  const label = labelOf(resource);
  if (jobId !== undefined)
    return `Left out: job ${id} has the same source as ${label}, which has job ${jobId}. If job ${jobId} still exists, a killed run may have created job ${id}: if nobody needs job ${id}, delete it at the service. If job ${jobId} is gone, remove the resource from the state, then add existingJobId: ${JSON.stringify(id)} to its declaration.`;
  return state === "unconfirmed"
    ? `Left out: job ${id} may be that of ${label}, whose create is unconfirmed. pulumi refresh finds out.`
    : `Left out: job ${id} may be that of ${label}, whose create was interrupted. If it is, add existingJobId: ${JSON.stringify(id)} to its declaration.`;
}

/** How a program names a job: `const orderItemsJob = new CachingJob("order-items", …)`. */
interface ResourceName {
  readonly identifier: string;
  readonly resource: string;
}

const longest = 60;

/** A function that makes unique names from tables and queries, other than the names of the stack's resources. */
function namesBeside(stack: StackExport | undefined) {
  const taken = new Set([...(stack?.jobs ?? []), ...(stack?.pending ?? [])].map(({ resource }) => resource));
  /** `resource`: the name that the program already has for the job. */
  return (kind: JobKind, { params = {}, name }: KnownRecord, resource?: string): ResourceName => {
    const own = params[kind.source.at(-1) ?? ""];
    const words = wordsOf(resource ?? (typeof own === "string" ? own : (name ?? "")));
    const base = words.length > 0 ? words : wordsOf(kind.resource.replace(/Job$/, ""));
    for (let count = 1; ; count += 1) {
      const made = nameOf(kind, count === 1 ? base : [...base, String(count)]);
      if ((resource === undefined && taken.has(made.resource)) || taken.has(made.identifier)) continue;
      taken.add(made.resource).add(made.identifier);
      return { ...made, ...(resource !== undefined && { resource }) };
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
function nameOf(kind: JobKind, words: readonly string[]): ResourceName {
  const begins = /^\p{ID_Start}/u.test(words[0] ?? "") ? words : [kind.noun, ...words];
  const [first = "", ...rest] = begins;
  const camel = rest.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return { identifier: `${[first, ...camel].join("")}Job`, resource: words.join("-") };
}

/** TypeScript lines that adopt each job that has no resource in the stack; a job that is left out becomes a comment. */
export function programFor(
  jobs: readonly ServiceJob[],
  stack: StackExport | undefined,
  withInterrupted: boolean,
): string[] {
  const classes = new Set<JobKind["resource"]>();
  const parts = newResources(jobs, stack, withInterrupted).flatMap((resource) => {
    if ("leftOut" in resource) return ["", comment(resource.leftOut)];
    const { job, kind, args, name, interrupted } = resource;
    if (job.provider !== undefined)
      return [
        "",
        comment(
          `Left out: job ${job.record.job.id}, of the provider ${JSON.stringify(job.provider)}, which only the plugin has. --as-import has it.`,
        ),
      ];
    classes.add(kind.resource);
    return [
      "",
      ...(interrupted
        ? [comment(`In place of the declaration of ${labelOf(interrupted)}, whose create was interrupted.`)]
        : []),
      // The resource is not assigned to a constant, because an unused constant fails noUnusedLocals.
      `new ${kind.resource}(${JSON.stringify(name.resource)}, ${literal(args)});`,
    ];
  });
  return [
    comment(introduction(jobs, stack)),
    classes.size > 0 ? `import { ${[...classes].sort().join(", ")} } from "pulumi-data-connectivity";` : "export {};",
    ...parts,
  ];
}

function introduction(jobs: readonly ServiceJob[], stack: StackExport | undefined): string {
  const use = "Add this to the program and run pulumi up: it adopts them and changes nothing at the service.";
  if (stack === undefined) return `All jobs of the service (${jobs.length}), because no stack was given. ${use}`;
  const { surely, perhaps } = missingIn(jobs);
  if (surely + perhaps === 0) return `The stack has all jobs of the service (${jobs.length}).`;
  const count = `${surely} of ${jobs.length}${perhaps > 0 ? `, and ${perhaps} perhaps` : ""}`;
  return `The jobs of the service that the stack does not have (${count}). ${use}`;
}

/** A comment of one line: line separators become spaces, because they would end it. */
const comment = (text: string): string => `// ${text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")}`;

/** A JSON value as TypeScript. */
function literal(value: Json, indent = ""): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}  `;
  const lines = isArray(value)
    ? value.map((inner) => literal(inner, deeper))
    : Object.entries(value).map(([member, inner]) => `${memberName(member)}: ${literal(inner, deeper)}`);
  const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"];
  if (lines.length === 0) return `${open}${close}`;
  return [open, ...lines.map((line) => `${deeper}${line},`), `${indent}${close}`].join("\n");
}

const isArray = (value: readonly Json[] | JsonObject): value is readonly Json[] => Array.isArray(value);

function memberName(member: string): string {
  // Written without brackets, the member `__proto__` would set the object's prototype.
  if (member === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member);
}

/**
 * A file for `pulumi import --file`: the jobs without a resource in the stack, as resources of the plugin. Its comments
 * are in `notes`, because JSON has none.
 */
export function importFileFor(jobs: readonly ServiceJob[], stack: StackExport | undefined, withInterrupted: boolean) {
  const notes: string[] = [];
  const urns = new Map(stack?.providers.explicit.map(({ name, urn }) => [name, urn]));
  const nameTable = new Map<string, string | undefined>();
  const resources = newResources(jobs, stack, withInterrupted).flatMap((resource) => {
    if ("leftOut" in resource) {
      notes.push(resource.leftOut);
      return [];
    }
    const { job, kind, args, name, interrupted } = resource;
    const named = { account: job.account.name, id: job.record.job.id };
    const id = importId(named);
    const { account } = parseImportId(id);
    const reason =
      interrupted !== undefined && !isImportable(interrupted)
        ? perhaps(job, { resource: interrupted, state: "interrupted" })
        : account !== named.account
          ? `Left out: job ${id}. pulumi import would take it for a job of the account ${account ?? ""}.`
          : undefined;
    notes.push(...(reason === undefined ? miswrittenInPython(job, args) : [reason]));
    if (reason !== undefined) return [];
    const { provider } = job;
    if (provider !== undefined) nameTable.set(provider, urns.get(provider));
    return [{ type: pluginType(kind), name: name.identifier, logicalName: name.resource, id, provider }];
  });
  const tables = nameTable.size > 0 ? { nameTable: Object.fromEntries(nameTable) } : {};
  return { text: JSON.stringify({ ...tables, resources }, undefined, 2), notes };
}

/** Whether a resource is as `pulumi import` creates resources: with the plugin's default provider, in no component. */
const isImportable = ({ kind, urn, provider }: DeclaredJob): boolean =>
  urn.split("::")[2] === pluginType(kind) && provider === undefined;

/** Seen with engine 3.248: Python gets a string of several lines between triple quotes, with nothing in it escaped. */
function miswrittenInPython({ record: { job } }: ServiceJob, { params }: JsonObject): string[] {
  const members = Object.entries(isObject(params) ? params : {}).filter(([, value]) => isMiswritten(value));
  if (members.length === 0) return [];
  const paths = members.map(([member]) => propertyPath(["params", member])).join(", ");
  return [
    `job ${job.id} (${job.name ?? "without a name"}): in Python, pulumi import writes ${paths} wrongly into the program, because of several lines with a backslash, """ or a quote at the end. Before pulumi up, correct it and run: pulumi preview --expect-no-changes`,
  ];
}

function isMiswritten(value: Json | undefined): boolean {
  if (typeof value === "string") {
    const lines = value.split("\n");
    return (lines.length > 2 || (lines.length === 2 && !lines.includes(""))) && /\\|"""|"$/.test(value);
  }
  return typeof value === "object" && value !== null && Object.entries(value).flat().some(isMiswritten);
}
