import { isDeepStrictEqual } from "node:util";
import { isObject, membersOf } from "../../provider/src/json.js";

type Members = Readonly<Record<string, unknown>>;

/** How programs use the members of an object: they set inputs, and read outputs. */
interface Use {
  readonly isInput: boolean;
  readonly isOutput: boolean;
}

const asInput: Use = { isInput: true, isOutput: false };
const asOutput: Use = { isInput: false, isOutput: true };

/**
 * What a package schema breaks for programs that were written against an older one: what was removed, renamed or got
 * another type, inputs that became required, and outputs that may now be absent. Additions break nothing.
 */
export function breaksBetween(older: unknown, newer: unknown): string[] {
  const [was, now] = [membersOf(older), membersOf(newer)];
  const inputTypes = typesIn(was, [...sectionOf(was, "resources"), ...sectionOf(was, "functions")].map(inputsOf));
  return [
    ...["name", "language"].flatMap((member) =>
      isDeepStrictEqual(was[member], now[member]) ? [] : [`${member}: changed`],
    ),
    ...properties("config", membersOf(was["config"])["variables"], membersOf(now["config"])["variables"]),
    ...properties(
      "provider",
      membersOf(was["provider"])["inputProperties"],
      membersOf(now["provider"])["inputProperties"],
    ),
    ...each(was, now, "resources", (path, old, today) => [
      ...properties(path, old["inputProperties"], today["inputProperties"]),
      ...requirements(path, asInput, old["requiredInputs"], today["requiredInputs"]),
      ...properties(path, old["properties"], today["properties"]),
      ...requirements(path, asOutput, old["required"], today["required"]),
      ...lost(path, valuesOf(old["aliases"], "type"), valuesOf(today["aliases"], "type")),
    ]),
    ...each(was, now, "functions", (path, old, today) => [
      ...ofObject(`${path} inputs`, asInput, membersOf(old["inputs"]), membersOf(today["inputs"])),
      ...ofObject(`${path} outputs`, asOutput, membersOf(old["outputs"]), membersOf(today["outputs"])),
    ]),
    ...each(was, now, "types", (path, old, today) => [
      ...ofObject(path, { isInput: inputTypes.has(path), isOutput: true }, old, today),
      ...lost(path, valuesOf(old["enum"], "value"), valuesOf(today["enum"], "value")),
      ...(old["type"] === today["type"] ? [] : [`${path}: another type`]),
    ]),
  ];
}

const sectionOf = (schema: Members, section: string) => Object.values(membersOf(schema[section])).map(membersOf);

const inputsOf = (spec: Members): unknown => [spec["inputProperties"], spec["inputs"]];

/** The tokens of the types that a part of a schema refers to, also through other types. */
function typesIn(schema: Members, part: unknown, found = new Set<string>()): ReadonlySet<string> {
  for (const [, token = ""] of JSON.stringify(part).matchAll(/"#\/types\/([^"]+)"/g)) {
    if (found.has(token)) continue;
    found.add(token);
    typesIn(schema, membersOf(schema["types"])[token], found);
  }
  return found;
}

function each(was: Members, now: Members, section: string, of: (path: string, was: Members, now: Members) => string[]) {
  const today = membersOf(now[section]);
  return Object.entries(membersOf(was[section])).flatMap(([token, old]) =>
    token in today ? of(token, membersOf(old), membersOf(today[token])) : [`${token}: removed`],
  );
}

const ofObject = (path: string, use: Use, was: Members, now: Members): string[] => [
  ...properties(path, was["properties"], now["properties"]),
  ...requirements(path, use, was["required"], now["required"]),
];

function properties(path: string, was: unknown, now: unknown): string[] {
  const today = membersOf(now);
  return Object.entries(membersOf(was)).flatMap(([member, spec]) => {
    if (!(member in today)) return [`${path}.${member}: removed`];
    return isDeepStrictEqual(typeOf(spec), typeOf(today[member])) ? [] : [`${path}.${member}: another type`];
  });
}

/** A property without what only describes it. */
const typeOf = (spec: unknown) =>
  Object.fromEntries(
    Object.entries(membersOf(spec)).filter(
      ([member]) => !["description", "deprecationMessage", "secret"].includes(member),
    ),
  );

function requirements(path: string, { isInput, isOutput }: Use, was: unknown, now: unknown): string[] {
  const [old, today] = [namesIn(was), namesIn(now)];
  return [
    ...(isInput ? today.filter((name) => !old.includes(name)).map((name) => `${path}.${name}: now required`) : []),
    ...(isOutput
      ? old.filter((name) => !today.includes(name)).map((name) => `${path}.${name}: may be absent now`)
      : []),
  ];
}

const lost = (path: string, was: readonly string[], now: readonly string[]): string[] =>
  was.filter((value) => !now.includes(value)).map((value) => `${path}: ${value} removed`);

const namesIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);

const valuesOf = (list: unknown, member: string): string[] =>
  Array.isArray(list) ? list.filter(isObject).map((entry) => String(entry[member])) : [];
