import type * as z from "zod/mini";
import { canonicalJson, isObject, type Json, type JsonObject } from "../json.js";
import { unknownValue } from "../unknown.js";
import { normalDateTime } from "./dateTime.js";
import { findFaults, type Fault } from "./faults.js";

/** A declaration as it arrives from the engine: checked or not, in a preview with unknowns in it. */
export type Declaration = Readonly<Record<string, unknown>>;

/** One kind of job: what may be declared and how it is sent. Everything else is shared. */
export interface JobKind {
  /** The resource's class and the last part of its type. */
  readonly resource: "CachingJob" | "ScheduledQueryJob";
  readonly jobType: "Caching" | "ScheduledQuery";
  readonly schema: z.ZodMiniType;
  /** The wire form of `params`, members that are unknown in a preview included. */
  wireParams(declared: Declaration): Readonly<Record<string, unknown>>;
  /** Faults that lie between members. */
  faultsBetween(declared: Declaration): Fault[];
}

/** What a create request says of a job, in one form for all ways to write it. `params` is one text for each member. */
export interface NormalForm {
  readonly intervalUnit: unknown;
  readonly intervalValue: unknown;
  readonly logVerbosity: unknown;
  readonly enabled: unknown;
  readonly definedNextRun: unknown;
  readonly params: Readonly<Record<string, unknown>> | typeof unknownValue;
}

/** The members that the class and the engine add to a declaration. */
const bookkeeping = new Set(["__provider", "job", "origin"]);

/** A declaration as the user wrote it: without the engine's and our own members, and without optional ones that are null. */
export function declaredMembers(inputs: Declaration): Declaration {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      ([member, value]) => !bookkeeping.has(member) && value !== null && value !== undefined,
    ),
  );
}

/** All that is wrong with a declaration, as far as its values are known. Nothing is sent while there is any. */
export function checkDeclaration(kind: JobKind, inputs: Declaration): Fault[] {
  const declared = declaredMembers(inputs);
  return [...findFaults(kind.schema, declared), ...kind.faultsBetween(declared)];
}

/** The normal form of a declaration that has no faults; what is unknown in it stays unknown. */
export function normalForm(kind: JobKind, inputs: Declaration): NormalForm {
  const declared = declaredMembers(inputs);
  const next = declared["definedNextRun"];
  return {
    intervalUnit: declared["intervalUnit"],
    intervalValue: declared["intervalValue"],
    logVerbosity: declared["logVerbosity"],
    enabled: declared["enabled"] ?? true,
    definedNextRun: typeof next === "string" ? normalDateTime(next) : undefined,
    params: declared["params"] === unknownValue ? unknownValue : kind.wireParams(declared),
  };
}

/** The body of the create request, exactly as the interface document shows it. */
export function createBody(kind: JobKind, inputs: Declaration, encoding: "typed" | "quoted"): JsonObject {
  const declared = declaredMembers(inputs);
  const { intervalUnit, intervalValue, logVerbosity, enabled, params } = normalForm(kind, inputs);
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

/** One text for one meaning of a whole declaration: equal exactly when two create requests would mean the same. */
export const meaningOf = (kind: JobKind, inputs: Declaration): string =>
  canonicalJson({ jobType: kind.jobType, ...normalForm(kind, inputs) });

function asJsonObject(value: Readonly<Record<string, unknown>>): JsonObject {
  const copy = JSON.parse(JSON.stringify(value)) as unknown;
  return isJsonObject(copy) ? copy : {};
}

const isJsonObject = (value: unknown): value is Record<string, Json> => isObject(value);
