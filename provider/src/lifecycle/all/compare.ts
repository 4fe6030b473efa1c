import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import { comparedMembers, isSameValue } from "../../client/jobsReply.js";
import { declaredMembers, normalize, type Declaration, type JobKind } from "../../jobs/index.js";
import { canonicalJson, isObject } from "../../json.js";
import { shownParam, type Change } from "../changes.js";

type Members = Readonly<Record<string, unknown>>;

const wireParams = (kind: JobKind, inputs: Declaration): Members => kind.wireParams(declaredMembers(inputs));

/** What a job works on, as one string: the vendor allows one job for it. Undefined where it is not named. */
export function sourceOf(kind: JobKind, params: Members): string | undefined {
  const values = kind.source.map((member) => params[member]);
  if (values.some((value) => typeof value !== "string" || value === "")) return undefined;
  return canonicalJson(
    values.map((value, n) => (kind.source[n] === "sourceConnection" ? String(value).toLowerCase() : value)),
  );
}

export const declaredSource = (kind: JobKind, inputs: Declaration): string | undefined =>
  sourceOf(kind, wireParams(kind, inputs));

/** Whether a record can be of this kind: not every reply tells the type. */
export const isOfKind = (kind: JobKind, { jobType }: ReadRecord): boolean =>
  jobType === undefined || jobType === kind.jobType;

/** The source that a job at the service tells; undefined for a job of another kind. */
export const toldSource = (kind: JobKind, record: ReadRecord): string | undefined =>
  isOfKind(kind, record) ? sourceOf(kind, record.job.params ?? {}) : undefined;

/** Whether a job at the service has the source that is declared. */
export function hasSameSource(kind: JobKind, inputs: Declaration, record: ReadRecord): boolean {
  const source = declaredSource(kind, inputs);
  return source !== undefined && toldSource(kind, record) === source;
}

/**
 * The members of `params` that a record must tell and does not: those of the source or, where no source is declared, all
 * that are declared. Without them nothing is compared.
 */
export function untoldMembers(kind: JobKind, inputs: Declaration, { params = {} }: KnownRecord): string[] {
  const declared = wireParams(kind, inputs);
  const needed = sourceOf(kind, declared) === undefined ? Object.keys(declared) : kind.source;
  return needed.filter((member) => (declared[member] ?? null) !== null && !(member in params));
}

/** Whether a job at the service works on what is declared. A record that does not tell it is not recognized. */
export function isRecognized(kind: JobKind, inputs: Declaration, record: ReadRecord): boolean {
  const { job } = record;
  if (job.params === undefined || !isOfKind(kind, record) || untoldMembers(kind, inputs, job).length > 0) return false;
  return declaredSource(kind, inputs) === undefined
    ? paramsDifferences(kind, inputs, job, false).length === 0
    : hasSameSource(kind, inputs, record);
}

/** Whether a job at the service is the declared one: it is recognized, and it agrees in every member that its record tells. */
export const isEqual = (kind: JobKind, inputs: Declaration, record: ReadRecord): boolean =>
  isRecognized(kind, inputs, record) && differencesFrom(kind, inputs, record.job).length === 0;

/** The members in which a job at the service (`was`) differs from the declaration (`now`). `plain`: no declared value is a secret. */
export function differencesFrom(kind: JobKind, inputs: Declaration, record: KnownRecord, plain = false): Change[] {
  const declared = normalize(kind, inputs);
  const members = comparedMembers
    .filter((member) => record[member] !== undefined && !isSameValue(member, record[member], declared[member]))
    .map((path) => ({ path, was: canonicalJson(record[path]), now: canonicalJson(declared[path]) }));
  return [...members, ...paramsDifferences(kind, inputs, record, plain)];
}

function paramsDifferences(kind: JobKind, inputs: Declaration, record: KnownRecord, plain: boolean): Change[] {
  const stored: Members = record.params ?? {};
  const declared = wireParams(kind, inputs);
  // A source that only the service tells: sent without it, the job would lose it.
  const undeclared = kind.source.filter((member) => !(member in declared) && (stored[member] ?? "") !== "");
  return [...Object.keys(declared), ...undeclared]
    .filter((member) => stored[member] !== undefined && !isSameValue(member, stored[member], declared[member]))
    .map((member) => ({
      path: `params.${member}`,
      ...(plain ? shownParam(kind, member, stored[member], declared[member] ?? null) : {}),
    }));
}

/**
 * A saved declaration with the values that were changed at the service. `before` is the record as it was last seen: what
 * it told otherwise already is no change, or a service that rewrites a member would drift for ever. Not so where the user
 * confirmed a change by changedAtService: that record may be older than the declaration. A member that was told before and
 * is null now was cleared.
 */
export function withDrift(
  kind: JobKind,
  inputs: Declaration,
  before: KnownRecord,
  { job: now, cleared = [] }: ReadRecord,
): Declaration {
  const confirmed = (inputs["changedAtService"] ?? "") !== "";
  const drifted = (member: string, declared: unknown, seen: unknown, told: unknown): boolean => {
    if (told === null) return seen !== undefined && (declared ?? "") !== "";
    return (
      told !== undefined &&
      !isSameValue(member, told, declared) &&
      !(seen !== undefined && !confirmed && isSameValue(member, told, seen))
    );
  };
  const declared = normalize(kind, inputs);
  const nulls = (parent: string): Members =>
    Object.fromEntries(
      cleared.flatMap((path) => (path.startsWith(parent) ? [[path.slice(parent.length), null] as const] : [])),
    );
  const toldMembers: Members = { ...nulls(""), ...now };
  const members: Members = Object.fromEntries(
    comparedMembers
      .filter((member) => drifted(member, declared[member], before[member], toldMembers[member]))
      .map((member) => [member, toldMembers[member]]),
  );
  const seen: Members = before.params ?? {};
  const told: Members = { ...nulls("params."), ...now.params };
  const changed = Object.entries(wireParams(kind, inputs))
    .filter(([member, value]) => drifted(member, value, seen[member], told[member]))
    .map(([member]) => [member, told[member]] as const);
  const more = inputs["additionalParams"];
  const isAdditional = (member: string) => isObject(more) && member in more;
  return {
    ...inputs,
    ...members,
    ...merged(
      "params",
      inputs,
      changed.filter(([member]) => !isAdditional(member)),
    ),
    ...merged(
      "additionalParams",
      inputs,
      changed.filter(([member]) => isAdditional(member)),
    ),
  };
}

function merged(parent: string, inputs: Declaration, changed: readonly (readonly [string, unknown])[]): Declaration {
  const members = inputs[parent];
  if (changed.length === 0 || !isObject(members)) return {};
  return {
    [parent]: {
      ...members,
      ...Object.fromEntries(changed.map(([member, value]) => [member, inForm(members[member], value)])),
    },
  };
}

/** A value as the service tells it, in the form in which the member was declared. */
function inForm(declared: unknown, told: unknown): unknown {
  if (typeof told !== "string") return told;
  if (typeof declared === "boolean" && /^(true|false)$/i.test(told)) return told.toLowerCase() === "true";
  if (typeof declared === "number" && told.trim() !== "" && Number.isFinite(Number(told))) return Number(told);
  return told;
}
