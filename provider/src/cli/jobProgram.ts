import type { JobKind } from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";
import { declarationOf } from "./jobDeclaration.js";
import { ResourceNames } from "./resourceNames.js";
import { missingIn, type Owner, type ServiceJob } from "./serviceJob.js";
import { labelOf, type StackExport } from "./stackExport.js";

/** TypeScript that adopts the jobs that no resource of the stack has, as lines; what cannot be declared is a comment. */
export function programFor(jobs: readonly ServiceJob[], stack: StackExport | undefined): string[] {
  const names = new ResourceNames(stack);
  const classes = new Set<JobKind["resource"]>();
  const parts = jobs.flatMap((job) => {
    if (job.owner?.state === "known") return [];
    if (job.owner !== undefined) return ["", ...comment(perhaps(job, job.owner))];
    const declaration = declarationOf(job.record, job.account);
    if ("problems" in declaration) {
      const { id, name = "without a name" } = job.record.job;
      return ["", ...comment(`Left out: job ${id} (${name}). ${declaration.problems.join(" ")}`)];
    }
    const { kind, args } = declaration;
    classes.add(kind.resource);
    const { identifier, resource } = names.forJob(kind, job.record.job);
    return ["", `const ${identifier} = new ${kind.resource}(${JSON.stringify(resource)}, ${literal(args)});`];
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

/** A second declaration would be a second resource for one job. */
function perhaps({ record }: ServiceJob, { resource, state }: Owner): string {
  const { id } = record.job;
  const label = labelOf(resource);
  return state === "unconfirmed"
    ? `Left out: job ${id} may be that of ${label}, whose create is unconfirmed. pulumi refresh finds out.`
    : `Left out: job ${id} may be that of ${label}, whose create was interrupted. If it is, add existingJobId: ${JSON.stringify(id)} to its declaration.`;
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
