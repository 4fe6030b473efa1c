import { distance } from "fastest-levenshtein";

/**
 * The known name that a mistyped one most likely means; undefined where none is near enough to propose. Near enough are two
 * mistakes at most, in fewer than half of the letters; two swapped letters are near in the shortest name too. Upper and lower
 * case count as the same: `baseurl` can only mean `baseUrl`.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const mistakesFor = (candidate: string) => distance(name.toLowerCase(), candidate.toLowerCase());
  const fewFor = (candidate: string) =>
    mistakesFor(candidate) < name.length / 2 || lettersOf(candidate) === lettersOf(name);
  return known
    .filter((candidate) => mistakesFor(candidate) <= 2 && fewFor(candidate))
    .sort((a, b) => mistakesFor(a) - mistakesFor(b))[0];
}

const lettersOf = (word: string): string => Array.from(word.toLowerCase()).sort().join("");
