import type { KnownRecord } from "../client/jobRecord.js";
import { importId, parseImportId, pluginType } from "../hosts/engineNames.js";
import type { JobKind } from "../jobs/index.js";
import type { JsonObject } from "../json.js";
import { declarationOf } from "../lifecycle/adopt.js";
import { isPerhaps, type Lacking, missingIn, ownersElsewhere, type ServiceJob } from "./picture.js";
import { nameOf as nameOfResource, type StackExport } from "./stackExport.js";

/** A new resource for a job at the service. */
interface NewResource {
  readonly job: ServiceJob;
  readonly kind: JobKind;
  readonly args: JsonObject;
  /** The name of the resource, as in `new CachingJob("order-items", …)`. */
  readonly name: string;
  /** The name of the resource in code, such as `orderItemsJob`. */
  readonly identifier: string;
}

/**
 * The resources that a stack lacks, one for each job, and why some jobs are left out. `whyNot`: why a job cannot be in the
 * form that the resources are printed in.
 */
function newResources(lacking: Lacking, whyNot: (job: ServiceJob) => string | undefined) {
  const { jobs, stack } = lacking;
  const nameFor = namesBeside(stack);
  const ownersOf = ownersElsewhere(lacking);
  const resources: NewResource[] = [];
  const leftOut: string[] = [];
  for (const job of jobs) {
    const { owners, record, account } = job;
    const { id, name = "without a name" } = record.job;
    const [owner] = owners;
    // A second declaration would give the job two resources.
    if (owner !== undefined) {
      if (isPerhaps(job))
        leftOut.push(`job ${id} may be that of ${owner.label}, whose create is unconfirmed. pulumi refresh finds out.`);
      continue;
    }
    const [elsewhere] = ownersOf(id);
    if (elsewhere !== undefined) {
      leftOut.push(`job ${id} may be that of ${nameOfResource(elsewhere)}, under another address.`);
      continue;
    }
    const declaration = declarationOf(record, account);
    const why = whyNot(job);
    if ("problems" in declaration) leftOut.push(`job ${id} (${name}). ${declaration.problems.join(" ")}`);
    else if (why !== undefined) leftOut.push(`job ${id}${why}`);
    else resources.push({ job, ...declaration, ...nameFor(declaration.kind, record.job) });
  }
  return { resources, leftOut: leftOut.map((text) => `Left out: ${text}`) };
}

const longest = 60;

/**
 * Returns a function that names jobs after their tables and queries. It makes no name twice, and none that a resource of
 * the stack already has.
 */
function namesBeside(stack: StackExport | undefined) {
  const taken = new Set(stack?.jobs.map(({ resource }) => resource));
  return (kind: JobKind, job: KnownRecord) => {
    const own = job.params?.[kind.source.at(-1) ?? ""];
    const words = wordsOf(typeof own === "string" ? own : (job.name ?? ""));
    // An identifier cannot begin with a digit.
    const base = /^[a-z]/.test(words[0] ?? "") ? words : [kind.noun, ...words];
    for (let count = 1; ; count += 1) {
      const { name, identifier } = nameOf(count === 1 ? base : [...base, String(count)]);
      if (taken.has(name) || taken.has(identifier)) continue;
      taken.add(name).add(identifier);
      return { name, identifier };
    }
  };
}

/** The words of a name, in lower case, of letters and digits that every language's identifiers may contain. */
const wordsOf = (text: string): string[] =>
  text
    .slice(0, longest)
    .toLowerCase()
    .match(/[a-z\d]+/g) ?? [];

/** The identifier ends in `Job`, so that it does not clash with keywords or other names in a module. */
function nameOf(words: readonly string[]) {
  const [first = "", ...rest] = words;
  const camel = rest.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return { name: words.join("-"), identifier: `${[first, ...camel].join("")}Job` };
}

/** TypeScript lines that adopt each job that has no resource in the stack; a job that is left out becomes a comment. */
export function programFor(lacking: Lacking): string[] {
  const { resources, leftOut } = newResources(lacking, ({ provider }) =>
    provider === undefined
      ? undefined
      : `, of the provider ${JSON.stringify(provider)}, which only the plugin has. --as-import has it.`,
  );
  const classes = [...new Set(resources.map(({ kind }) => kind.resource))].sort().join(", ");
  return [
    comment(introduction(lacking)),
    classes === "" ? "export {};" : `import { ${classes} } from "pulumi-data-connectivity";`,
    ...leftOut.flatMap((why) => ["", comment(why)]),
    // Do not assign the resource to a constant: an unused constant fails noUnusedLocals.
    ...resources.flatMap(({ kind, name, args, job: { listedFor } }) => [
      "",
      ...(listedFor === undefined ? [] : [comment(`Listed for the stack ${listedFor}:`)]),
      `new ${kind.resource}(${JSON.stringify(name)}, ${literal(args)}, { protect: true });`,
    ]),
  ];
}

function introduction({ jobs, stack }: Lacking): string {
  const use =
    "Add this to the program and run pulumi up: it adopts them and changes nothing at the service. A job must be in one stack only: give the exports of all stacks. Each job is protected from deletion, as pulumi import does; remove protect when this stack shall delete it.";
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
  const { resources: found, leftOut } = newResources(lacking, whyNotImported);
  const resources = found.map(({ job, kind, name, identifier }) => ({
    type: pluginType(kind),
    name: identifier,
    logicalName: name,
    id: idToImport(job),
    provider: job.provider,
  }));
  const isUsed = (name: string) => resources.some(({ provider }) => provider === name);
  const providers = lacking.stack?.providers.explicit.filter(({ name }) => isUsed(name)) ?? [];
  const nameTable = Object.fromEntries(providers.map(({ name, urn }) => [name, urn]));
  const stacks = [...new Set(found.flatMap(({ job: { listedFor } }) => listedFor ?? []))];
  const namesFor = (stack: string) => found.filter(({ job }) => job.listedFor === stack).map(({ name }) => name);
  const notes = stacks.map((stack) => `Listed for the stack ${stack}: ${namesFor(stack).join(", ")}.`);
  return {
    text: JSON.stringify({ ...(providers.length > 0 && { nameTable }), resources }, undefined, 2),
    notes: [...leftOut, ...notes],
  };
}

const idToImport = ({ record, account }: ServiceJob): string => importId({ account: account.name, id: record.job.id });

function whyNotImported(job: ServiceJob): string | undefined {
  const { account } = parseImportId(idToImport(job));
  if (account === job.account.name) return undefined;
  return `. pulumi import would take it for a job of the account ${account ?? ""}.`;
}
