/** A declaration as it arrives from the engine: checked or not, in a preview with unknown values in it. */
export type Declaration = Readonly<Record<string, unknown>>;

/**
 * The input by which the class tells the provider process what no hook of the engine learns: the resource's name, and
 * which values are no secrets. The engine hides members that begin with `__` in all its displays.
 */
export const identityMember = "__resource";

/** The members that the class and the engine add to a declaration. */
const bookkeeping = new Set(["__provider", identityMember, "job", "origin"]);

/** A declaration as the user wrote it: without the engine's and our own members, and without optional ones that are null. */
export function declaredMembers(inputs: Declaration): Declaration {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      ([member, value]) => !bookkeeping.has(member) && value !== null && value !== undefined,
    ),
  );
}
