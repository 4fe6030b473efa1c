import { hasZone, normalizeDateTime, withSeconds } from "../dateTime.js";
import { canonicalJson, isObject, type Json } from "../json.js";
import { unknownValue } from "../unknown.js";
import type { Declaration, JobKind } from "./kind.js";
import { paramsWarnings, problemsBetween, wireParams } from "./params.js";
import type * as Schemas from "./schemas.js";
import { findProblems, type IsPlain, type Problem } from "./validation.js";

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
  return [...problems, ...problemsBetween(kind, declared)];
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
    ...paramsWarnings(kind, declared),
  ];
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
    params: declared["params"] === unknownValue ? unknownValue : wireParams(kind, declared),
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
  const start = declared["definedNextRun"];
  const encode = (value: unknown) => (encoding === "quoted" ? String(value) : value);
  const members = {
    ...wanted,
    intervalValue: encode(wanted.intervalValue),
    logVerbosity: encode(wanted.logVerbosity),
    enabled: encode(wanted.enabled),
    // Normalized only for comparisons. What is sent keeps its zone and its digits.
    definedNextRun: typeof start === "string" ? withSeconds(start) : start,
  };
  // The round trip through JSON drops undefined members, because they are not sent.
  const body: unknown = JSON.parse(JSON.stringify(members));
  return { text: canonicalJson(wanted), body: isJsonObject(body) ? body : {} };
}

const isJsonObject = (value: unknown): value is Record<string, Json> => isObject(value);
