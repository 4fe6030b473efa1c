import { hasRounded, isJson, isObject, membersOf, type Json, type JsonObject } from "../json.js";
import { nearest } from "../nearest.js";
import { anyForm, forms, type Form } from "./forms.js";
import type { Declaration, JobKind, Param } from "./kind.js";
import type { Problem } from "./validation.js";

const paramOf = ({ params }: JobKind, member: string): Param | undefined =>
  Object.hasOwn(params, member) ? params[member] : undefined;

function formOf(kind: JobKind, member: string): Form {
  const param = kind.isOpen ? undefined : paramOf(kind, member);
  return param === undefined ? anyForm : forms[param.form];
}

/** `params` as it is sent, including members that are unknown in a preview. */
export function wireParams(kind: JobKind, declared: Declaration): Readonly<Record<string, unknown>> {
  const given = membersOf(declared["params"]);
  if (kind.isOpen) return given;
  const own = Object.entries(kind.params).map(([member, { default: fallback, isBeyondInterface }]) => {
    return [member, given[member] ?? (isBeyondInterface ? undefined : fallback)] as const;
  });
  const members = [...own, ...Object.entries(membersOf(declared["additionalParams"]))].flatMap(([member, value]) =>
    value === undefined ? [] : [[member, formOf(kind, member).wire(value)] as const],
  );
  return Object.fromEntries(members);
}

/** The reverse of `wireParams`: a declaration for the `params` that the service reports. Defaults are left out. */
export function declaredParams(kind: JobKind, told: JsonObject): Readonly<Record<string, Json>> {
  if (kind.isOpen) return { params: told };
  const params: [string, Json][] = [];
  const more: [string, Json][] = [];
  for (const [member, value] of Object.entries(told)) {
    if (kind.addedByService.includes(member)) continue;
    const param = paramOf(kind, member);
    const declared = param && forms[param.form].declared(value);
    if (param === undefined || declared === undefined) more.push([member, value]);
    else if (!isSameParam(kind, member, declared, param.default)) params.push([member, declared]);
  }
  return {
    params: Object.fromEntries(params),
    ...(more.length > 0 && { additionalParams: Object.fromEntries(more) }),
  };
}

/** A value that the service reports, in the form in which a program declares the member. */
export const declaredParam = (kind: JobKind, member: string, told: unknown): unknown =>
  (isJson(told) ? formOf(kind, member).declared(told) : undefined) ?? told;

/** Whether two values of a member of `params` mean the same. `member`: undefined for a value outside `params`. */
export const isSameParam = (kind: JobKind, member: string | undefined, one: unknown, other: unknown): boolean =>
  (member === undefined ? anyForm : formOf(kind, member)).isSame(one, other);

/** Whether messages may show the value of a member of `params`, unless it is secret. */
export const isShownParam = (kind: JobKind, member: string): boolean => paramOf(kind, member)?.isShown === true;

/** Problems of `params` from the service: values that pass the check but cannot be declared as they are. */
export function problemsOfTold(kind: JobKind, told: JsonObject): string[] {
  const rounded = Object.keys(told)
    .filter((member) => hasRounded(told[member]))
    .map((member) => `params.${member} has a whole number beyond 2^53, which cannot be declared exactly.`);
  if (!kind.isOpen) return rounded;
  const others = Object.keys(kind.params)
    .filter((member) => told[member] !== undefined && typeof told[member] !== "string")
    .map((member) => `params.${member} is not a string.`);
  return [...others, ...rounded];
}

/** Problems between members that are each valid on their own. */
export function problemsBetween(kind: JobKind, declared: Declaration): Problem[] {
  const params = membersOf(declared["params"]);
  return Object.keys(membersOf(declared["additionalParams"])).flatMap((member) => {
    const known = member.replace(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase());
    const param = paramOf(kind, known);
    if (param === undefined || (known === member && param.isBeyondInterface && params[known] === undefined)) return [];
    const path = `additionalParams.${member}`;
    return {
      path,
      text: `${path} is a member of params: move it to params.${known}. Accepted: members that params does not have.`,
    };
  });
}

/** One sentence for each mistake that `params` of an open kind probably have. */
export function paramsWarnings(kind: JobKind, declared: Declaration): string[] {
  if (!kind.isOpen) return [];
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
