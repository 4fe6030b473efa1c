/** The aliases that keep a renamed resource's job, and whose options they go in. */
export interface Aliases {
  /** The value of the option `aliases` in the resource's own options. */
  readonly own: string;
  /** The same for the options of its component, if the component was renamed or changed its type. */
  readonly component: string | undefined;
}

/** `old`: the resource's URN in the state. Undefined if this run does not know the new URN. */
export function aliasesFor(old: string, now: string | undefined): Aliases | undefined {
  if (now === undefined) return undefined;
  const [was, is] = [partsOf(old), partsOf(now)];
  const isSameChain = was.types.join("$") === is.types.join("$");
  const parents = (types: readonly string[]) => types.slice(0, -1);
  if (isSameChain)
    return {
      own: `[{ name: ${JSON.stringify(was.name)} }]`,
      component: parents(is.types).length > 0 ? renamedComponent(was.name, is.name) : undefined,
    };
  const [wasParents, isParents] = [parents(was.types), parents(is.types)];
  const differing = isParents.map((type, index) => [wasParents[index], type]).filter(([one, other]) => one !== other);
  const [[type] = []] = differing;
  const isRetyped = wasParents.length === isParents.length && differing.length === 1 && was.name === is.name;
  return {
    own: inEachStack(old),
    component: isRetyped && type !== undefined ? `[{ type: ${JSON.stringify(type)} }]` : undefined,
  };
}

/**
 * The alias of a resource that moved between components: its old URN, which contains the stack's name. A program of the
 * classes is in TypeScript or JavaScript, so it can ask for that name. The language of the plugin's programs is not known.
 */
function inEachStack(old: string): string {
  const [stack = "", ...rest] = old.split("::");
  const name = stack.slice("urn:pulumi:".length);
  if (!typeIn(old).startsWith("pulumi-nodejs:dynamic"))
    return `[${JSON.stringify(old)}] (in another stack, with its name instead of ${JSON.stringify(name)})`;
  const text = rest.join("::").replace(/[\\`]|\$(?=\{)/g, String.raw`\$&`);
  return `[\`urn:pulumi:\${pulumi.getStack()}::${text}\`]`;
}

/** Resource names usually begin with the name of their component. */
function renamedComponent(was: string, now: string): string | undefined {
  let length = 0;
  while (length < Math.min(was.length, now.length) && was.at(-1 - length) === now.at(-1 - length)) length += 1;
  const [before, after] = [was, now].map((name) => name.slice(0, name.length - length));
  return length === 0 || !before || !after ? undefined : `[{ name: ${JSON.stringify(before)} }]`;
}

/** The type of the resource with this URN. */
export const typeIn = (urn: string): string => partsOf(urn).types.at(-1) ?? "";

function partsOf(urn: string): { readonly types: readonly string[]; readonly name: string } {
  const [, , types = "", ...name] = urn.split("::");
  return { types: types.split("$"), name: name.join("::") };
}
