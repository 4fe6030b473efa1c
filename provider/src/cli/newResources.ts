import type { KnownRecord } from "../client/jobRecord.js";
import { importId, parseImportId } from "../hosts/importId.js";
import { pluginType } from "../hosts/resourceTypes.js";
import type { JobKind } from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";
import { declarationOf } from "../lifecycle/jobDeclaration.js";
import { missingIn, type Owner, type ServiceJob } from "./serviceJobs.js";
import { labelOf, type StackExport } from "./stackExport.js";

/** A job at the service for which a stack can have a new resource, or why it is left out. */
type NewResource =
  | { readonly job: ServiceJob; readonly kind: JobKind; readonly args: JsonObject; readonly name: ResourceName }
  | { readonly leftOut: string };

/** The resources that a stack does not have: one for each job that can be declared. */
function newResources(jobs: readonly ServiceJob[], stack: StackExport | undefined): NewResource[] {
  const names = new ResourceNames(stack);
  return jobs.flatMap((job): NewResource[] => {
    if (job.owner?.state === "known") return [];
    if (job.owner !== undefined) return [{ leftOut: perhaps(job, job.owner) }];
    const declaration = declarationOf(job.record, job.account);
    if ("problems" in declaration) {
      const { id, name = "without a name" } = job.record.job;
      return [{ leftOut: `Left out: job ${id} (${name}). ${declaration.problems.join(" ")}` }];
    }
    return [{ job, ...declaration, name: names.forJob(declaration.kind, job.record.job) }];
  });
}

/** A second declaration would be a second resource for one job. */
function perhaps({ record }: ServiceJob, { resource, state }: Owner): string {
  const { id } = record.job;
  const label = labelOf(resource);
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

/** Makes names from tables and queries: no two are the same, and none is that of a resource of the stack. */
class ResourceNames {
  private readonly taken: Set<string>;

  constructor(stack: StackExport | undefined) {
    this.taken = new Set([...(stack?.jobs ?? []), ...(stack?.pending ?? [])].map(({ resource }) => resource));
  }

  forJob(kind: JobKind, { params = {}, name }: KnownRecord): ResourceName {
    const own = params[kind.source.at(-1) ?? ""];
    const words = wordsOf(typeof own === "string" ? own : (name ?? ""));
    const base = words.length > 0 ? words : wordsOf(kind.resource.replace(/Job$/, ""));
    for (let count = 1; ; count += 1) {
      const made = nameOf(kind, count === 1 ? base : [...base, String(count)]);
      if (this.taken.has(made.resource) || this.taken.has(made.identifier)) continue;
      this.taken.add(made.resource).add(made.identifier);
      return made;
    }
  }
}

/** The words of a name, in lower case; only what may stand in an identifier is kept. */
const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .slice(0, longest)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .split(/[^\p{ID_Continue}]+|\p{Pc}+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());

/** The ending keeps an identifier apart from the words of the language and from what else a module has. */
function nameOf(kind: JobKind, words: readonly string[]): ResourceName {
  const begins = /^\p{ID_Start}/u.test(words[0] ?? "")
    ? words
    : [kind.jobType === "Caching" ? "table" : "query", ...words];
  const [first = "", ...rest] = begins;
  const camel = rest.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return { identifier: `${[first, ...camel].join("")}Job`, resource: words.join("-") };
}

/** TypeScript that adopts the jobs that no resource of the stack has, as lines; what cannot be declared is a comment. */
export function programFor(jobs: readonly ServiceJob[], stack: StackExport | undefined): string[] {
  const classes = new Set<JobKind["resource"]>();
  const parts = newResources(jobs, stack).flatMap((resource) => {
    if ("leftOut" in resource) return ["", ...comment(resource.leftOut)];
    const { kind, args, name } = resource;
    classes.add(kind.resource);
    return ["", `const ${name.identifier} = new ${kind.resource}(${JSON.stringify(name.resource)}, ${literal(args)});`];
  });
  return [
    ...comment(introduction(jobs, stack)),
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

/** In a comment a line separator of any kind would end it. */
const comment = (text: string): string[] => [`// ${text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")}`];

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
  // Written plainly, this member would set the object's prototype.
  if (member === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member);
}

/** A file for `pulumi import --file`, and a sentence for each job that is left out: JSON has no comments. */
interface ImportFile {
  readonly text: string;
  readonly leftOut: readonly string[];
}

/** The import of the jobs that no resource of the stack has, into resources of the plugin. */
export function importFileFor(jobs: readonly ServiceJob[], stack: StackExport | undefined): ImportFile {
  const leftOut: string[] = [];
  const resources = newResources(jobs, stack).flatMap((resource) => {
    if ("leftOut" in resource) {
      leftOut.push(resource.leftOut);
      return [];
    }
    const { job, kind, name } = resource;
    const named = { account: job.account.name, id: job.record.job.id };
    const id = importId(named);
    const { account } = parseImportId(id);
    if (account !== named.account) {
      leftOut.push(`Left out: job ${id}. pulumi import would take it for a job of the account ${account ?? ""}.`);
      return [];
    }
    return [{ type: pluginType(kind), name: name.identifier, logicalName: name.resource, id }];
  });
  return { text: JSON.stringify({ resources }, undefined, 2), leftOut };
}
