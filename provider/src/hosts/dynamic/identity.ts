import { createHash } from "node:crypto";
import { resourceLabel, type Declaration, type JobKind } from "../../jobs/index.js";
import { canonicalJson, isObject } from "../../json.js";

/** The inputs or outputs of a resource as the engine hands them over: with what the class, the SDK and we add to a declaration. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * The input by which the class tells the provider process what no hook of the engine learns. The engine hides members that
 * begin with `__` in all its displays.
 */
export const identityMember = "__resource";

/** What the class tells the provider process about a resource. */
export interface Identity {
  readonly name: string;
  /** The types and names of the resources above it, where it has a parent: resources with different parents may have one name. */
  readonly parent?: string;
  /** A digest of `params` and `additionalParams`, where all their values are plain. A transform may replace them later: then it no longer fits. */
  readonly plain?: string;
  /** What is wrong with values that the SDK cannot hand over. Where there are any, the declaration is not handed over at all. */
  readonly unsupported?: readonly string[];
}

/** What the class says about a declaration. `isPlain`: none of its `params` is an output, which may be secret. */
export const identityFor = (
  name: string,
  declared: Declaration,
  isPlain: boolean,
  parent?: string,
  unsupported: readonly string[] = [],
): Identity => ({
  name,
  ...(parent !== undefined && { parent }),
  ...(isPlain && { plain: digest(declared) }),
  ...(unsupported.length > 0 && { unsupported }),
});

function identityOf(members: Members): Partial<Identity> {
  const identity = members[identityMember];
  if (!isObject(identity)) return {};
  const { name, parent, plain, unsupported } = identity;
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof parent === "string" && { parent }),
    ...(typeof plain === "string" && { plain }),
    ...(Array.isArray(unsupported) && { unsupported: unsupported.map(String) }),
  };
}

/** What the class found wrong with values that did not get here. */
export const unsupportedIn = (members: Members): readonly string[] => identityOf(members).unsupported ?? [];

/** Whether the values of `params` may be shown: the class saw exactly these, and none of them could be a secret. */
export const isPlain = (members: Members): boolean => identityOf(members).plain === digest(members);

const digest = ({ params, additionalParams }: Members): string =>
  createHash("sha256")
    .update(canonicalJson([params ?? null, additionalParams ?? null]))
    .digest("base64url")
    .slice(0, 8);

/** The resource in a message. A state of version 0.1.0 has no name: there it goes by its id. */
export function labelOf({ resource }: Pick<JobKind, "resource">, members: Members, id?: string): string {
  const name = identityOf(members).name ?? id;
  return name === undefined ? resource : resourceLabel(resource, name);
}

/** One value for one declaration of a program, and for what was saved of it. */
export function declarationKey({ resource }: Pick<JobKind, "resource">, members: Members): string {
  const { name, parent } = identityOf(members);
  return canonicalJson([resource, name ?? null, parent ?? null]);
}
