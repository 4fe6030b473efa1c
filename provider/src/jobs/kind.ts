import { normalizeDateTime } from "../dateTime.js";
import { canonicalJson, isObject, type Json, type JsonObject } from "../json.js";
import { inPython } from "../sentences.js";
import { unknownValue } from "../unknown.js";
import { loadSchemas } from "./loadSchemas.js";
import { findProblems, type IsPlain, type Problem } from "./validation.js";

/** What a user declares of a job: checked or not, in a preview with unknown values in it. */
export type Declaration = Readonly<Record<string, unknown>>;

/** The outputs that are not part of a declaration. */
const outputs = new Set(["job", "origin"]);

/**
 * The declaration among the inputs or outputs of a resource: without our own outputs, without what a host adds (the engine
 * hides members that begin with `__`), and without optional members that are null.
 */
export function declaredMembers(members: Readonly<Record<string, unknown>>): Declaration {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([member, value]) => !member.startsWith("__") && !outputs.has(member) && value !== null && value !== undefined,
    ),
  );
}

/** One kind of job: what may be declared and how it is sent. Everything else is shared. */
export interface JobKind {
  /** The resource's class and the last part of its type. */
  readonly resource: "CachingJob" | "ScheduledQueryJob";
  readonly jobType: "Caching" | "ScheduledQuery";
  /** The members of `params` that a person looks for at the service, each a string; the last one names the job in a list. */
  readonly source: readonly string[];
  /** The members of `params` that hold a UUID: the service may report it in another case than it was sent. */
  readonly uuids: readonly string[];
  /** What a resource's name begins with where that of the source cannot begin an identifier. */
  readonly noun: string;
  /** The members of `params` whose values a message may show unless they are secret. Others may hold anything, such as a query. */
  readonly shownParams: readonly string[];
  /** `params` as it is sent, members that are unknown in a preview included. */
  wireParams(declared: Declaration): Readonly<Record<string, unknown>>;
  /** The way back: the declaration whose `params` would be sent as the service reports them. Defaults are left out. */
  declaredParams(told: JsonObject): Readonly<Record<string, Json | undefined>>;
  /** Problems of `params` that the service reports: what the check accepts and the type does not. */
  problemsOfTold(told: JsonObject): string[];
  /** Problems between members that are each accepted alone. */
  problemsBetween(declared: Declaration): Problem[];
  /** What is accepted and is probably a mistake, one sentence each. */
  warnings(declared: Declaration): string[];
}

/** A resource in a message: `CachingJob "orders"`. `type`: its class, or any other type of the engine. */
export const resourceLabel = (type: string, name: string): string => `${type} ${JSON.stringify(name)}`;

/** A declaration in one form for all ways to write it. `params` holds what is sent. */
export interface NormalizedDeclaration {
  readonly intervalUnit: unknown;
  readonly intervalValue: unknown;
  readonly logVerbosity: unknown;
  readonly enabled: unknown;
  readonly definedNextRun: unknown;
  readonly params: Readonly<Record<string, unknown>> | typeof unknownValue;
}

/** The members outside `params` in which a job is compared with its declaration. */
export const comparedMembers = ["intervalUnit", "intervalValue", "logVerbosity", "enabled"] as const;

/** All problems of a declaration, as far as its values are known. Nothing is sent while there is any. */
export function checkDeclaration(kind: JobKind, declared: Declaration, isPlain: IsPlain = () => true): Problem[] {
  const problems = findProblems(loadSchemas().schemas[kind.resource], declared, isPlain);
  return [...problems, ...kind.problemsBetween(declared)].map(withPythonNames);
}

/** Names are written as in TypeScript and YAML, with Python's behind them. What the user named is left as it is. */
function withPythonNames({ path, text }: Problem): Problem {
  const name = path.replace(/^params\./, "");
  const isKnown = !name.includes(".") && !text.startsWith(`${path} is not a member`);
  const named = isKnown ? text.replace(path, () => path + inPython(name)) : text;
  return { path, text: named.replace(/\w+(, \w+){2,}/, (names) => names + inPython(names)) };
}

/** Normalizes a declaration without problems; what is unknown in it stays unknown. */
export function normalize(kind: JobKind, declared: Declaration): NormalizedDeclaration {
  return {
    intervalUnit: declared["intervalUnit"],
    intervalValue: declared["intervalValue"],
    logVerbosity: declared["logVerbosity"],
    enabled: declared["enabled"] ?? true,
    definedNextRun: firstRunOf(declared),
    params: declared["params"] === unknownValue ? unknownValue : kind.wireParams(declared),
  };
}

/** The first start that is declared, normalized. */
export const firstRunOf = ({ definedNextRun }: Declaration): string | undefined =>
  typeof definedNextRun === "string" ? normalizeDateTime(definedNextRun) : undefined;

/** The body of a create request, exactly as the interface document shows it. */
export function requestBody(
  kind: JobKind,
  declared: Declaration,
  encoding: "typed" | "quoted",
  { intervalUnit, intervalValue, logVerbosity, enabled, params } = normalize(kind, declared),
): JsonObject {
  const encode = (value: unknown) => (encoding === "quoted" ? String(value) : value);
  return asJsonObject({
    jobType: kind.jobType,
    intervalUnit,
    intervalValue: encode(intervalValue),
    logVerbosity: encode(logVerbosity),
    enabled: encode(enabled),
    ...(declared["definedNextRun"] === undefined ? {} : { definedNextRun: declared["definedNextRun"] }),
    params,
  });
}

/** One string for all ways to write a declaration: equal exactly when two create requests would ask for the same job. */
export const normalizedText = (kind: JobKind, declared: Declaration, normalized = normalize(kind, declared)): string =>
  canonicalJson({ jobType: kind.jobType, ...normalized });

function asJsonObject(value: Readonly<Record<string, unknown>>): JsonObject {
  const copy = JSON.parse(JSON.stringify(value)) as unknown;
  return isJsonObject(copy) ? copy : {};
}

const isJsonObject = (value: unknown): value is Record<string, Json> => isObject(value);
