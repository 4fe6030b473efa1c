/** The path to a value: names of members, and indices of arrays as numbers. */
export type PropertyPath = readonly (string | number)[];

/**
 * A path in the engine's notation, for pasting into `ignoreChanges`: `params.query`, `params["a b"]`,
 * `list[0]`. Within quotes, the engine knows only one escape: `\"`.
 */
export const propertyPath = (path: PropertyPath): string =>
  path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^\w+$/.test(part)) return `["${part.replaceAll('"', '\\"')}"]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
