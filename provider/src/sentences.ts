/** A text that ends as a sentence does, with one mark, however a server or a command ended it. Empty where there is none. */
export function sentence(text: string): string {
  const bare = withoutEnd(text);
  return bare === "" || /[!?…]$/.test(bare) ? bare : `${bare}.`;
}

/** A text for use inside a sentence: without a full stop, colon or spaces at its end. */
export const withoutEnd = (text: string): string => text.trim().replace(/[\s.:;,]+$/, "");

/**
 * Texts after each other, such as what happened and what to do about it. Those that are empty or undefined are left out. The
 * last one stays as it is: a command at its end is pasted.
 */
export function sentences(...texts: readonly (string | undefined)[]): string {
  const given = texts.flatMap((text) => (text === undefined || text.trim() === "" ? [] : [text.trim()]));
  return given.map((text, n) => (n < given.length - 1 ? sentence(text) : text)).join(" ");
}

/** At most so many characters of a text, with an ellipsis for the rest. No surrogate pair is cut in half. */
export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/\p{Cs}$/u, "")}…` : text;

/** What an input or an option, or each of several, is called in Python, where that differs. */
export function inPython(names: string): string {
  const python = names.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return python === names ? "" : ` (Python: ${python})`;
}
