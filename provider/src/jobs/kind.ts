import { normalizeDateTime } from "../dateTime.js";
import { canonicalJson, isObject, type Json, type JsonObject } from "../json.js";
import { unknownValue } from "../unknown.js";
import type * as Schemas from "./schemas.js";
import { findProblems, type IsPlain, type Problem } from "./validation.js";

/** What a user declares for a job, checked or not. In a preview, a declaration can contain unknown values. */
export type Declaration = Readonly<Record<string, unknown>>;

/** One kind of job: what may be declared, and how a declaration is sent. Everything else is the same for all kinds. */
export interface JobKind {
  /** The resource's class, which is the last part of the resource's type. */
  readonly resource: "CachingJob" | "ScheduledQueryJob";
  readonly jobType: "Caching" | "ScheduledQuery";
  /**
   * The `params` members by which a person finds a job at the service. All are strings. In lists, the last member names
   * the job.
   */
  readonly source: readonly string[];
  /** The members of `params` that hold a UUID. The service may report it in a different case than was sent. */
  readonly uuids: readonly string[];
  /** The first word of a job's identifier in a generated program, if the source's name cannot start an identifier. */
  readonly noun: string;
  /** Messages may show the values of these `params` members, unless secret. Others can hold anything, even a query. */
  readonly shownParams: readonly string[];
  /** `params` as it is sent, including members that are unknown in a preview. */
  wireParams(declared: Declaration): Readonly<Record<string, unknown>>;
  /** The reverse of `wireParams`: a declaration for the `params` that the service reports. Defaults are left out. */
  declaredParams(told: JsonObject): Readonly<Record<string, Json | undefined>>;
  /** Problems of `params` from the service: values that pass the check but do not fit the TypeScript type. */
  problemsOfTold(told: JsonObject): string[];
  /** Problems between members that are each valid on their own. */
  problemsBetween(declared: Declaration): Problem[];
  /** One sentence for each value that is accepted but probably a mistake. */
  warnings(declared: Declaration): string[];
}

/** The members outside `params` that are compared between a job and its declaration. */
export const comparedMembers = ["intervalUnit", "intervalValue", "logVerbosity", "enabled"] as const;

/** The schemas, loaded on first use: zod is slow to load, and a refresh does not need zod. */
function loadSchemas(): typeof Schemas {
  const loaded: unknown = require("./schemas.js");
  if (!isSchemas(loaded)) throw new TypeError("A schema of this package could not be loaded.");
  return loaded;
}

const isSchemas = (value: unknown): value is typeof Schemas => isObject(value) && "schemas" in value;

/** All problems of a declaration, as far as its values are known. If there are any problems, nothing is sent. */
export function checkDeclaration(kind: JobKind, declared: Declaration, isPlain: IsPlain = () => true): Problem[] {
  const problems = findProblems(loadSchemas().schemas[kind.resource], declared, isPlain);
  return [...problems, ...kind.problemsBetween(declared)];
}

/**
 * Converts a valid declaration to one form, no matter how it is written. `params` holds what is sent. Unknown values
 * stay unknown.
 */
export function normalize(kind: JobKind, declared: Declaration) {
  return {
    intervalUnit: declared["intervalUnit"],
    intervalValue: declared["intervalValue"],
    logVerbosity: declared["logVerbosity"],
    enabled: declared["enabled"] ?? true,
    definedNextRun: firstRunOf(declared),
    params: declared["params"] === unknownValue ? unknownValue : kind.wireParams(declared),
  };
}

export const firstRunOf = ({ definedNextRun }: Declaration): string | undefined =>
  typeof definedNextRun === "string" ? normalizeDateTime(definedNextRun) : undefined;

/** A normalized declaration as one string. Equal strings mean that two creates request the same job. */
export const normalizedText = (kind: JobKind, declared: Declaration): string =>
  canonicalJson(wantedJob(kind, declared));

const wantedJob = (kind: JobKind, declared: Declaration) => ({ jobType: kind.jobType, ...normalize(kind, declared) });

/**
 * What a create or a change sends: the normalized declaration as one string, and the body. With the `typed` encoding,
 * the values in the body have the types in the interface document.
 */
export function requestOf(kind: JobKind, declared: Declaration, encoding: "typed" | "quoted") {
  const wanted = wantedJob(kind, declared);
  const encode = (value: unknown) => (encoding === "quoted" ? String(value) : value);
  const members = {
    ...wanted,
    intervalValue: encode(wanted.intervalValue),
    logVerbosity: encode(wanted.logVerbosity),
    enabled: encode(wanted.enabled),
    // Normalized only for comparisons.
    definedNextRun: declared["definedNextRun"],
  };
  // The round trip through JSON drops undefined members, because they are not sent.
  const body: unknown = JSON.parse(JSON.stringify(members));
  return { text: canonicalJson(wanted), body: isJsonObject(body) ? body : {} };
}

const isJsonObject = (value: unknown): value is Record<string, Json> => isObject(value);
