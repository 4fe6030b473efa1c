import { oneLineOf } from "../client/reply.js";
import { comparedMembers, firstRunOf, normalize, type Declaration, type IsPlain, type JobKind } from "../jobs/index.js";
import { canonicalJson, isObject } from "../json.js";
import { propertyPath } from "../propertyPath.js";
import { shortened } from "../sentences.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import type { DeclaredJob, Resource, SavedResource } from "./resource.js";

/** One relevant difference. `was` and `now` are safe to show; both are absent if a value may be secret. */
export interface PropertyChange {
  readonly path: string;
  readonly was?: string;
  readonly now?: string;
}

/** The members of a job to compare, by path. */
export type Values = ReadonlyMap<string, unknown>;

export const inParams = "params.";

/** The member of `params` at a path; undefined if the path is outside `params`. */
const paramAt = (path: string): string | undefined =>
  path.startsWith(inParams) ? path.slice(inParams.length) : undefined;

export const valuesOf = (
  members: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): Values =>
  new Map([
    ...comparedMembers.map((path) => [path, members[path]] as const),
    ...Object.entries(params).map(([member, value]) => [`${inParams}${member}`, value] as const),
  ]);

/** The normalized declaration. If all of `params` is unknown, it lacks their members. */
export function declaredValues({ kind, declared }: DeclaredJob): Values {
  const { params, ...members } = normalize(kind, declared);
  return valuesOf(members, isObject(params) ? params : {});
}

/** The differences between a saved declaration and today's. Ignores values that are unknown today. */
export function changesOf(saved: SavedResource, resource: Resource): PropertyChange[] {
  const [was, now] = [declaredValues(saved), declaredValues(resource)];
  const { params, additionalParams } = resource.declared;
  const additional = new Set(
    [saved, resource].flatMap(({ declared: { additionalParams: more } }) => (isObject(more) ? Object.keys(more) : [])),
  );
  // If `params` or `additionalParams` is unknown as a whole, so are the new values of its saved members.
  const isUnknown = (path: string, member = paramAt(path)): boolean =>
    hasUnknown(now.get(path)) ||
    (member !== undefined &&
      (params === unknownValue || (additionalParams === unknownValue && additional.has(member))));
  const isPlain: IsPlain = (member) => saved.isPlain(member) && resource.isPlain(member);
  return [...new Set([...was.keys(), ...now.keys()])]
    .filter((path) => !isUnknown(path) && canonicalJson(was.get(path)) !== canonicalJson(now.get(path)))
    .map((path) => {
      const member = paramAt(path);
      const change = changeAt(path, resource.kind, isPlain, was.get(path), now.get(path));
      const parent = member !== undefined && additional.has(member) ? "additionalParams" : "params";
      return member === undefined ? change : { ...change, path: propertyPath([parent, member]) };
    });
}

/** A difference at a path, with its values if messages may show them. */
export function changeAt(path: string, kind: JobKind, isPlain: IsPlain, was: unknown, now: unknown): PropertyChange {
  const member = paramAt(path);
  const isShown = member === undefined ? isPlain(path) : kind.shownParams.includes(member) && isPlain("params");
  return { path, ...(isShown && { was: shownValue(was), now: shownValue(now) }) };
}

/** A value as a message shows it, without control characters: in the service's values, they could affect a terminal. */
function shownValue(value: unknown): string {
  return shortened(value === undefined ? "nothing" : oneLineOf(canonicalJson(value), []), 100);
}

/** Whether the declared first start changes. In mode `create`, this has no effect on an existing job. */
export const nextRunChanged = (saved: Declaration, declared: Declaration): boolean =>
  firstRunOf(saved) !== firstRunOf(declared);

/** The members of a declaration that are unknown in a preview, or that contain an unknown value. */
export const unknownMembers = (declared: Declaration): string[] =>
  Object.keys(declared).filter((member) => hasUnknown(declared[member]));
