import type { JobKind } from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";
import { newResources } from "./newResources.js";
import { missingIn, type ServiceJob } from "./serviceJob.js";
import type { StackExport } from "./stackExport.js";

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
