const paint = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);

/** Rows as lines with aligned columns, two spaces apart. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map((row) => row.map(printable));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  return clean.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** A string without control characters, because text from outside must not control the terminal. */
export const printable = (text: string): string => text.replace(/[\r\n\t]+/g, " ").replace(/[\p{Cc}\p{Cf}]/gu, "?");

/** A duration in its two largest units: `3 h 20 min`. */
export function duration(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const counts = { days: seconds / 86_400, h: (seconds / 3600) % 24, min: (seconds / 60) % 60, s: seconds % 60 };
  const units = Object.entries(counts).map(([unit, count]) => ({ unit, count: Math.floor(count) }));
  const first = units.findIndex(({ count }) => count > 0);
  const parts = units.slice(first, first + 2).filter(({ count }) => count > 0);
  return first < 0 ? "0 s" : parts.map(({ count, unit }) => `${count} ${unit}`).join(" ");
}

export const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/** Text as lines of at most `width` characters. A no-break space joins words, and is printed as a space. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < width) lines.splice(-1, 1, `${line} ${word}`);
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll("\u00a0", " "));
}
