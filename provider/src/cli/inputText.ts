import { readFileSync } from "node:fs";

/** The encodings, by the byte order mark that a text begins with. */
const encodings: readonly (readonly [mark: string, encoding: string])[] = [
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];

/** The text of a file or a pipe, without its byte order mark. Windows PowerShell redirects output in UTF-16. */
export function decoded(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  const [, encoding = "utf-8"] = encodings.find(([one]) => one === mark) ?? [];
  return new TextDecoder(encoding).decode(bytes);
}

export const readTextFile = (path: string): string => decoded(readFileSync(path));
