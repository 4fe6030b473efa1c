import * as fc from "fast-check";
import { nearest } from "../provider/src/nearest.js";

const members = ["name", "query", "destinationConnectionName", "destinationSchema", "destinationTable"];
const settings = ["baseUrl", "token", "account", "accounts", "protect"];

test.each([
  ["a letter left out", "qury", members, "query"],
  ["a letter too many", "queryy", members, "query"],
  ["a wrong letter", "quary", members, "query"],
  ["two neighbours swapped", "qurey", members, "query"],
  ["the first two swapped", "uqery", members, "query"],
  ["another case", "BASEURL", settings, "baseUrl"],
  ["two mistakes in a long name", "destinatonSchma", members, "destinationSchema"],
  ["the plural of a known name that is the name of another", "accunts", settings, "accounts"],
  ["a doubled consonant", "proteckt", settings, "protect"],
  ["the name itself", "token", settings, "token"],
])("%s: the known name is found", (_, name, known, expected) => {
  expect(nearest(name, known)).toBe(expected);
});

test.each([
  ["another word", "warehouse", members],
  ["half of a long name", "destination", members],
  ["two mistakes in a short name", "qary", members],
  ["one letter", "q", members],
  ["nothing", "", members],
  ["nothing to choose from", "query", []],
])("%s: nothing is proposed", (_, name, known) => {
  expect(nearest(name, known)).toBeUndefined();
});

test("of two equally near names it is the first", () => {
  expect(nearest("bat", ["cat", "hat"])).toBe("cat");
  expect(nearest("bat", ["hat", "cat"])).toBe("hat");
});

test("one mistake anywhere in a name of four letters or more is forgiven, whatever the name", () => {
  const names = fc.string({ minLength: 4, unit: fc.constantFrom("a", "b", "c", "d", "e", "f") });
  fc.assert(
    fc.property(names, fc.nat(), (name, place) => {
      const cut = place % name.length;
      expect(nearest(name.slice(0, cut) + name.slice(cut + 1), [name])).toBe(name);
      expect(nearest(`${name.slice(0, cut)}z${name.slice(cut)}`, [name])).toBe(name);
      expect(nearest(`${name.slice(0, cut)}z${name.slice(cut + 1)}`, [name])).toBe(name);
      const swapped = `${name.slice(0, cut)}${name[cut + 1] ?? ""}${name[cut] ?? ""}${name.slice(cut + 2)}`;
      expect(nearest(swapped, [name])).toBe(name);
    }),
  );
});
