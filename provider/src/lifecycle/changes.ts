import { canonicalJson, isObject } from "../json.js";
import { normalForm, type Declaration, type JobKind, type NormalForm } from "../jobs/index.js";
import { hasUnknown, unknownValue } from "../unknown.js";

/** One difference that counts. `was` and `now` are shown; they are absent for members of `params`, which may be secret. */
export interface Change {
  readonly path: string;
  readonly was?: string;
  readonly now?: string;
}

const schedule = ["intervalUnit", "intervalValue", "logVerbosity", "enabled"] as const;

/** Compares two declarations by what their create requests would mean; members that are unknown are passed over. */
export function changesOf(kind: JobKind, saved: Declaration, declared: Declaration): Change[] {
  const [was, now] = [normalForm(kind, saved), normalForm(kind, declared)];
  const additional = new Set(
    [saved, declared].flatMap(({ additionalParams: more }) => (isObject(more) ? Object.keys(more) : [])),
  );
  const changed = schedule
    .filter((member) => now[member] !== unknownValue && was[member] !== now[member])
    .map((path) => ({ path, was: shown(was[path]), now: shown(now[path]) }));
  return [...changed, ...paramsChanges(was, now, additional)];
}

function paramsChanges(
  { params: was }: NormalForm,
  { params: now }: NormalForm,
  additional: ReadonlySet<string>,
): Change[] {
  if (!isObject(was) || !isObject(now)) return [];
  return [...new Set([...Object.keys(was), ...Object.keys(now)])]
    .filter((member) => !hasUnknown(now[member]) && canonicalJson(was[member]) !== canonicalJson(now[member]))
    .map((member) => ({ path: pathOf(additional.has(member) ? "additionalParams" : "params", member) }));
}

/** In the engine's way to write a property path, so that it can be pasted into `ignoreChanges`. */
const pathOf = (parent: string, member: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(member) ? `${parent}.${member}` : `${parent}[${JSON.stringify(member)}]`;

/** Whether the first start was declared another way: it counts when a job is made, and never again. */
export const nextRunChanged = (kind: JobKind, saved: Declaration, declared: Declaration): boolean =>
  normalForm(kind, saved).definedNextRun !== normalForm(kind, declared).definedNextRun;

/** The members of a declaration that are unknown in a preview, or hold an unknown. */
export const unknownMembers = (declared: Declaration): string[] =>
  Object.keys(declared).filter((member) => hasUnknown(declared[member]));

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
