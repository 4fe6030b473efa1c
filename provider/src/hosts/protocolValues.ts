import { isObject, membersOf } from "../json.js";
import type { IsPlain } from "../jobs/index.js";
import { propertyPath, type PropertyPath } from "../propertyPath.js";
import { unknownValue } from "../unknown.js";
import { secretSignature, signature } from "./engineNames.js";

/** Values decoded for the core, plus what only the engine's protocol knows about them. */
export interface Unmarshalled {
  readonly values: Readonly<Record<string, unknown>>;
  /** Secret paths; none contains another. A secret in an array marks the whole array, because elements may move. */
  readonly secrets: readonly PropertyPath[];
  /**
   * One sentence for each value that no job can have, such as a file. `values` has an unknown value in its place, so
   * that the problem is reported only once.
   */
  readonly problems: readonly string[];
}

/** Decodes the JSON form of a `google.protobuf.Struct`. An absent struct has no values. */
export function unmarshal(properties: unknown): Unmarshalled {
  const secrets: PropertyPath[] = [];
  const problems: string[] = [];

  const unwrap = (value: unknown, path: PropertyPath, isMarked: boolean): unknown => {
    const special = unwrapSpecial(value);
    if (special !== undefined) {
      if ("refused" in special) {
        problems.push(`${propertyPath(path)} is ${special.refused}. Accepted: a plain value.`);
        return unknownValue;
      }
      if (special.secret && !isMarked) secrets.push(path);
      return unwrap(special.value, path, isMarked || special.secret);
    }
    if (Array.isArray(value)) {
      const before = secrets.length;
      const elements = value.map((element: unknown, index) => unwrap(element, [...path, index], isMarked));
      if (secrets.length > before) secrets.splice(before, Infinity, path);
      return elements;
    }
    if (!isObject(value)) return value;
    // Copy an object only if it contains a wrapped value: most do not.
    let unwrapped: Record<string, unknown> | undefined;
    for (const member of Object.keys(value)) {
      const inner = unwrap(value[member], [...path, member], isMarked);
      if (inner !== value[member]) (unwrapped ??= { ...value })[member] = inner;
    }
    return unwrapped ?? value;
  };
  const values = unwrap(properties, [], false);
  return { values: membersOf(values), secrets, problems };
}

/** Whether a member is plain. `additionalParams` are sent in `params`, so a secret there makes `params` secret. */
export const plainIn =
  ({ secrets }: Pick<Unmarshalled, "secrets">): IsPlain =>
  (member, inner) =>
    !secrets.some(([marked, at]) => {
      const isHere = inner === undefined || at === undefined || at === inner;
      return isHere && (marked === member || (member === "params" && marked === "additionalParams"));
    });

/**
 * The reverse of {@link unmarshal}: marks the value at each path in `secrets` as a secret. If the value has another shape by
 * now, marks what is left of the path: the service may report a secret in a text or under another name.
 */
export const marshal = (
  values: Readonly<Record<string, unknown>>,
  secrets: readonly PropertyPath[],
): Readonly<Record<string, unknown>> =>
  marked(
    values,
    secrets.flatMap((path) => leftOf(values, path)),
  );

/** The part of a path that values still have; nothing if a member at the top or of `params` is gone. */
function leftOf(values: Readonly<Record<string, unknown>>, path: PropertyPath): readonly PropertyPath[] {
  let inner: unknown = values;
  for (const [depth, member] of path.entries()) {
    const isThere = isObject(inner) && Object.hasOwn(inner, member);
    if (!isThere) return depth > 1 || (depth === 1 && !isObject(inner)) ? [path.slice(0, depth)] : [];
    inner = membersOf(inner)[member];
  }
  return [path];
}

function marked(
  values: Readonly<Record<string, unknown>>,
  secrets: readonly PropertyPath[],
): Readonly<Record<string, unknown>> {
  if (secrets.length === 0) return values;
  return Object.fromEntries(
    Object.entries(values).map(([member, value]) => {
      const below = secrets.filter(([first]) => first === member).map(([, ...rest]) => rest);
      if (value !== undefined && below.some(({ length }) => length === 0))
        return [member, { [signature]: secretSignature, value }];
      return [member, isObject(value) ? marked(value, below) : value];
    }),
  );
}

const output = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const resourceReference = "5cf8f73096256a8f31e491e813e4eb8e";
const asset = "c44067f5952c0a294b673a41bacd8c17";
const archive = "0def7320c3a5731c473e5ecbe6d01bc7";

/** The placeholders for values that are not known yet, one per type. The core treats all placeholders alike. */
const unknowns: ReadonlySet<unknown> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // a boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // a number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // an array
  "030794c1-ac77-496b-92df-f27374a8bd58", // an asset
  "e48ece36-62e2-4504-bad9-02848725956a", // an archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // an object
]);

/** A value that the protocol wraps: its content or, if no job can have such a value, a description of it. */
type Special = { readonly value: unknown; readonly secret: boolean } | { readonly refused: string };

/** The content of a wrapped value; undefined for an ordinary value. */
function unwrapSpecial(wrapped: unknown): Special | undefined {
  if (unknowns.has(wrapped)) return { value: unknownValue, secret: false };
  // YAML and the protocol have NaN and infinity, but JSON does not: a request would contain null instead.
  if (typeof wrapped === "number" && !Number.isFinite(wrapped)) return { refused: String(wrapped) };
  if (!isObject(wrapped) || !(signature in wrapped)) return undefined;
  const { value, urn, id } = wrapped;
  switch (wrapped[signature]) {
    case secretSignature:
      // A secret without a value is encrypted: it comes from a state, not from the engine.
      return { value: "value" in wrapped ? value : unknownValue, secret: true };
    case output:
      return { value: "value" in wrapped ? value : unknownValue, secret: wrapped["secret"] === true };
    case resourceReference:
      // An empty id means that the id is not known yet.
      return { value: id === undefined ? urn : id === "" ? unknownValue : id, secret: false };
    case asset:
      return { refused: "an asset (a file or a text)" };
    case archive:
      return { refused: "an archive (of files)" };
    default:
      return { refused: "a value of a kind that this version does not know" };
  }
}
