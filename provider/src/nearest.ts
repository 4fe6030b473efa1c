/**
 * The known name that a mistyped one most likely means; undefined if no known name is close enough.
 *
 * A name is close enough if its distance is at most a third of the mistyped name's length. Case is ignored: `baseurl`
 * can only mean `baseUrl`. Of several equally close names, the first is returned.
 *
 * Not taken from a package: `fastest-levenshtein` counts a swap of two letters as two mistakes, which is too much for a
 * short name (`qurey` for `query`), and packages that count a swap as one mistake have had no release for years.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const [best] = byDistance(name, known);
  return best !== undefined && best.distance <= name.length / 3 ? best.name : undefined;
}

/** All known names, the closest first. */
export const nearestFirst = (name: string, known: Iterable<string>): string[] =>
  byDistance(name, known).map((one) => one.name);

/** Sorts the known names by distance. Equally close names keep their order. */
const byDistance = (name: string, known: Iterable<string>) =>
  [...known]
    .map((candidate) => ({ name: candidate, distance: distanceBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);

/**
 * The Damerau-Levenshtein distance: how many letters must be inserted, removed, replaced or swapped with a neighbour.
 * In this restricted form, no letter is edited twice, which is enough for the few mistakes in one name.
 */
function distanceBetween(a: string, b: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
          swapped && row > 1 && column > 1 ? at(beforePrevious, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
