/** What a user declares of a job: checked or not, in a preview with unknown values in it. */
export type Declaration = Readonly<Record<string, unknown>>;

/** The outputs that are no part of a declaration. */
const outputs = new Set(["job", "origin"]);

/**
 * The declaration among the inputs or outputs of a resource: without our own outputs, without what a host adds (the engine
 * hides members that begin with `__`), and without optional members that are null.
 */
export function declaredMembers(members: Readonly<Record<string, unknown>>): Declaration {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([member, value]) => !member.startsWith("__") && !outputs.has(member) && value !== null && value !== undefined,
    ),
  );
}
