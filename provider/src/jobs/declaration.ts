import { hasZone } from "../dateTime.js";
import { hasRounded, isObject, membersOf, type JsonObject } from "../json.js";
import { nearest } from "../nearest.js";
import { unknownValue } from "../unknown.js";
import type { Declaration, JobKind } from "./kind.js";
import type * as Schemas from "./schemas.js";
import { findProblems, type IsPlain, type Problem } from "./validation.js";

/** The schemas, loaded on first use: zod is slow to load, and a refresh does not need zod. */
function loadSchemas(): typeof Schemas {
  const loaded: unknown = require("./schemas.js");
  if (!isSchemas(loaded)) throw new TypeError("A schema of this package could not be loaded.");
  return loaded;
}

const isSchemas = (value: unknown): value is typeof Schemas => isObject(value) && "schemas" in value;

/** All problems of a declaration; unknown values are skipped. If there are any problems, nothing is sent. */
export function checkDeclaration(kind: JobKind, declared: Declaration, isPlain: IsPlain = () => true): Problem[] {
  const problems = findProblems(loadSchemas().schemas[kind.resource], declared, isPlain);
  return [...problems, ...misplacedParams(kind, declared)];
}

/** Members of `params` that are declared in `additionalParams`, perhaps in the spelling of another language. */
function misplacedParams(kind: JobKind, declared: Declaration): Problem[] {
  const params = membersOf(declared["params"]);
  return Object.keys(membersOf(declared["additionalParams"])).flatMap((member) => {
    const known = member.replace(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase());
    const param = Object.hasOwn(kind.params, known) ? kind.params[known] : undefined;
    if (param === undefined || (known === member && param.alsoInAdditionalParams && params[known] === undefined))
      return [];
    const path = `additionalParams.${member}`;
    return {
      path,
      text: `${path} is a member of params: move it to params.${known}. Accepted: members that params does not have.`,
    };
  });
}

/** Problems of `params` from the service: values that pass the check but cannot be declared as they are. */
export function problemsOfReported(kind: JobKind, reported: JsonObject): string[] {
  const rounded = Object.keys(reported)
    .filter((member) => hasRounded(reported[member]))
    .map((member) => `params.${member} has a whole number beyond 2^53, which cannot be declared exactly.`);
  if (!kind.isOpen) return rounded;
  const others = Object.keys(kind.params)
    .filter((member) => reported[member] !== undefined && typeof reported[member] !== "string")
    .map((member) => `params.${member} is not a string.`);
  return [...others, ...rounded];
}

/** One sentence for each value that is accepted but probably a mistake. */
export function likelyMistakes(kind: JobKind, declared: Declaration): string[] {
  const start = declared["definedNextRun"];
  const isZoneless = typeof start === "string" && start !== unknownValue && !hasZone(start);
  return [
    ...(isZoneless
      ? [
          "definedNextRun has no time zone. It is sent as it is, but the vendor's API reference does not accept it: add Z for UTC, or an offset such as +02:00.",
        ]
      : []),
    ...(kind.isOpen ? mistakesInOpen(kind, declared) : []),
  ];
}

function mistakesInOpen(kind: JobKind, declared: Declaration): string[] {
  const [params, offered] = [membersOf(declared["params"]), Object.keys(kind.params)];
  if (isObject(declared["params"]) && Object.keys(params).length === 0)
    return [
      `params is empty. It is sent as it is, but the job has nothing to do. Usual members: ${offered.join(", ")}.`,
    ];
  return Object.keys(params).flatMap((member) => {
    const likely = offered.includes(member) ? undefined : nearest(member, offered);
    return likely === undefined || likely in params
      ? []
      : [`params.${member} is sent as it is, but it looks like a misspelling of params.${likely}.`];
  });
}
