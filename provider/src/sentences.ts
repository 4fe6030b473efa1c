/** Ends a text with one full stop, unless it ends with `!`, `?` or `…`. An empty text stays empty. */
export function sentence(text: string): string {
  const bare = withoutEnd(text);
  return bare === "" || /[!?…]$/.test(bare) ? bare : `${bare}.`;
}

/** A text for use inside a sentence: without `.`, `:`, `;`, `,` or spaces at its end. */
export const withoutEnd = (text: string): string => text.trim().replace(/[\s.:;,]+$/, "");

/**
 * Joins texts, such as what happened and what to do about it. Leaves out texts that are empty or undefined. The last
 * text stays unchanged, because a user may paste a command at its end.
 */
export function sentences(...texts: readonly (string | undefined)[]): string {
  const given = texts.flatMap((text) => (text === undefined || text.trim() === "" ? [] : [text.trim()]));
  return given.map((text, n) => (n < given.length - 1 ? sentence(text) : text)).join(" ");
}

/** Cuts a text to this length, with an ellipsis for the rest. Never cuts a surrogate pair in half. */
export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/\p{Cs}$/u, "")}…` : text;

/** How messages name a resource: `CachingJob "orders"`. `type`: the class or, for resources without one, the type. */
export const resourceLabel = (type: string, name: string): string => `${type} ${JSON.stringify(name)}`;

/** A string, quoted if necessary, as one word of a shell command. */
export const shellWord = (text: string): string =>
  /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
