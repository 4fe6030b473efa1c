import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One line of the catalogue. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly everyHours: number;
  readonly timeCheckColumn: string;
}

/** Reads a catalogue whose cells are plain words. If yours has quotes, use a CSV library such as csv-parse. */
export function readCatalogue(file: string): Table[] {
  const [, ...lines] = readFileSync(join(__dirname, file), "utf8").trim().split(/\r?\n/);
  return lines.map((line) => {
    if (!/^\w+,\w+,\d+,\w*$/.test(line)) throw new Error(`${file} has a line that is not understood: ${line}`);
    const [schema = "", name = "", everyHours, timeCheckColumn = ""] = line.split(",");
    return { schema, name, everyHours: Number(everyHours), timeCheckColumn };
  });
}
