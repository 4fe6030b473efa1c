const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** A text without the entities of web pages. */
export const unescaped = (text: string): string =>
  text.replace(/&(?:amp;)+/gi, "&").replace(/&(#\d{1,6}|#x[\da-f]{1,5}|[a-z]+);/gi, (all: string, inner: string) => {
    const name = inner.toLowerCase();
    if (!name.startsWith("#")) return entities[name] ?? all;
    const code = name.startsWith("#x") ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });

const inAddress = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (all: string) => {
    try {
      return decodeURIComponent(all);
    } catch {
      return all;
    }
  });

/** In one pass: a backslash that is written twice begins nothing. */
const inJson = (text: string): string =>
  text.replace(/\\(?:u([\da-fA-F]{4})|[nrtbf]|(["'/\\]))/g, (_all: string, code?: string, itself?: string) =>
    code === undefined ? (itself ?? " ") : String.fromCharCode(parseInt(code, 16)),
  );

/** More encoders than any server has one after the other: a text may be made to need a round for each of its characters. */
const maxRounds = 5;

/** A text without all that a server's encoders may have done to it. The same for a text and for each of its encoded forms. */
export function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < maxRounds; round += 1) plain = inJson(inAddress(unescaped(plain)));
  return plain;
}
