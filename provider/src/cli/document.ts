import { membersOf } from "../json.js";
import { bold, columns, printable } from "./text.js";

/**
 * The members of a JSON document, and the columns of its table: a string is the title of a member's column, and empty
 * if the table does not show the member.
 */
export interface JsonMembers {
  readonly [member: string]: string | JsonMembers | readonly [JsonMembers];
}

/** The members of a last run, in the service's own words. */
export const lastRunMembers = { dateTime: "LAST RUN", duration: "", status: "STATUS", rowsAffected: "ROWS" } as const;

/** A value with these members. A list that is missing is undefined. */
export type DocumentOf<Members extends JsonMembers> = {
  readonly [Member in keyof Members]: Members[Member] extends readonly [infer Inner extends JsonMembers]
    ? readonly DocumentOf<Inner>[] | undefined
    : unknown;
};

export const isList = (inner: JsonMembers | readonly [JsonMembers]): inner is readonly [JsonMembers] =>
  Array.isArray(inner);

/** The document as JSON: only these members, and null for each unknown one. */
export const jsonOf = <const Members extends JsonMembers>(members: Members, document: DocumentOf<Members>): string =>
  JSON.stringify(selected(members, document), undefined, 2);

/** A value as it is in a document: only these members, and null for each unknown one. */
export function selected(members: JsonMembers, value: unknown): object {
  const known = membersOf(value);
  const entries = Object.entries(members).map(([member, inner]): [string, unknown] => {
    const found = known[member];
    if (typeof inner === "string") return [member, found ?? null];
    if (!isList(inner)) return [member, selected(inner, found)];
    return [member, Array.isArray(found) ? found.map((one) => selected(inner[0], one)) : null];
  });
  return Object.fromEntries(entries);
}

/** Which tables a command prints: aligned columns, or tables for a comment or a wiki. */
export type TableFormat = "table" | "markdown";

/** The columns that most users do not need: shown only if a cell of the column has a value. */
const optional = ["PROBLEM", "EXISTS IN", "STACK", "LISTED FOR", "RESOURCE", "SERVICE", "ACCOUNT", "PROVIDER"];

/** The lines of a table: a row for each document, with a dash for each value that is unknown. */
export function table<const Members extends JsonMembers>(
  members: Members,
  documents: readonly DocumentOf<Members>[],
  format: TableFormat = "table",
): string[] {
  const rows = documents.map((document) => Object.fromEntries(cellsOf(members, document)));
  const titles = Object.keys(rows[0] ?? {}).filter(
    (title) => !optional.includes(title) || rows.some((row) => row[title] !== undefined),
  );
  const cells = rows.map((row) => titles.map((title) => row[title] ?? "-"));
  if (format === "markdown") return markdownTable(titles, cells);
  const [header = "", ...lines] = columns([titles, ...cells]);
  return [bold(header), ...lines];
}

/** The titles of the columns, each with the value in it. */
const cellsOf = (members: JsonMembers, document: unknown): [title: string, value: string | undefined][] =>
  Object.entries(members).flatMap(([member, inner]): ReturnType<typeof cellsOf> => {
    const value = membersOf(document)[member];
    if (typeof inner !== "string") return isList(inner) ? [] : cellsOf(inner, value);
    const shown = typeof value === "string" ? value : value === undefined ? undefined : JSON.stringify(value);
    return inner === "" ? [] : [[inner, shown]];
  });

/** Escapes all markup in the cells. */
function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => printable(cell).replace(/[\\`*_{}[\]<>#|@]/g, String.raw`\$&`)).join(" | ")} |`;
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line), ""];
}
