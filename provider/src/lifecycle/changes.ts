import { oneLineOf } from "../client/reply.js";
import { comparedMembers, firstRunOf, normalize, type Declaration, type JobKind } from "../jobs/index.js";
import { canonicalJson, isObject } from "../json.js";
import { propertyPath } from "../propertyPath.js";
import { shortened } from "../sentences.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import type { Resource, SavedResource } from "./resource.js";

/** One relevant difference. `was` and `now` are safe to show; both are absent if a value may be secret. */
export interface PropertyChange {
  readonly path: string;
  readonly was?: string;
  readonly now?: string;
}

/** The differences between a saved declaration and today's, both normalized. Ignores values that are unknown today. */
export function changesOf(saved: SavedResource, resource: Resource): PropertyChange[] {
  const [was, now] = [normalize(saved.kind, saved.declared), normalize(resource.kind, resource.declared)];
  const changed = comparedMembers
    .filter((member) => now[member] !== unknownValue && was[member] !== now[member])
    .map((path) => ({
      path,
      ...(saved.isPlain(path) && resource.isPlain(path) && { was: shownValue(was[path]), now: shownValue(now[path]) }),
    }));
  return [...changed, ...paramsChanges(was.params, now.params, saved, resource)];
}

function paramsChanges(was: unknown, now: unknown, saved: Resource, resource: Resource): PropertyChange[] {
  if (!isObject(was) || !isObject(now)) return [];
  const { declared } = resource;
  const additional = new Set(
    [saved.declared, declared].flatMap(({ additionalParams: more }) => (isObject(more) ? Object.keys(more) : [])),
  );
  // If `additionalParams` is unknown, do not compare its saved members: their new values are unknown too.
  const additionalIsUnknown = declared["additionalParams"] === unknownValue;
  const changed = [...new Set([...Object.keys(was), ...Object.keys(now)])]
    .filter((member) => !(additionalIsUnknown && additional.has(member)))
    .filter((member) => !hasUnknown(now[member]) && canonicalJson(was[member]) !== canonicalJson(now[member]));
  const plain = changed.length > 0 && saved.isPlain("params") && resource.isPlain("params");
  return changed.map((member) => ({
    path: propertyPath([additional.has(member) ? "additionalParams" : "params", member]),
    ...(plain ? shownParam(resource.kind, member, was[member], now[member]) : {}),
  }));
}

/** Whether the declared first start changes. In mode `create`, this has no effect on an existing job. */
export const nextRunChanged = (saved: Declaration, declared: Declaration): boolean =>
  firstRunOf(saved) !== firstRunOf(declared);

/** The members of a declaration that are unknown in a preview, or that contain an unknown value. */
export const unknownMembers = (declared: Declaration): string[] =>
  Object.keys(declared).filter((member) => hasUnknown(declared[member]));

/**
 * Returns `was` and `now` of a member of `params`, or neither if messages may not show the member. Call this function
 * only if `params` has no secrets.
 */
export const shownParam = (kind: JobKind, member: string, was: unknown, now: unknown): Partial<PropertyChange> =>
  kind.shownParams.includes(member) ? { was: shownValue(was), now: shownValue(now) } : {};

/** A value as a message shows it, without control characters: in the service's values, they could affect a terminal. */
export function shownValue(value: unknown): string {
  return shortened(value === undefined ? "nothing" : oneLineOf(canonicalJson(value), []), 100);
}
