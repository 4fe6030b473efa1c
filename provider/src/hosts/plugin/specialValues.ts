import { isObject } from "../../json.js";
import { unknownValue } from "../../unknown.js";
import { secretSignature, signature } from "../engineValues.js";

const output = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const resourceReference = "5cf8f73096256a8f31e491e813e4eb8e";
const asset = "c44067f5952c0a294b673a41bacd8c17";
const archive = "0def7320c3a5731c473e5ecbe6d01bc7";

/** What stands for a value that is not known yet: one for each type, and the core tells none of them from another. */
const unknowns: ReadonlySet<unknown> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // a boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // a number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // an array
  "030794c1-ac77-496b-92df-f27374a8bd58", // an asset
  "e48ece36-62e2-4504-bad9-02848725956a", // an archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // an object
]);

/** A value that the protocol wraps: what is in it, or what it is, in words, where no job can have it. */
export type Special = { readonly value: unknown; readonly secret: boolean } | { readonly refused: string };

/** Undefined for an ordinary value. */
export function unwrapSpecial(wrapped: unknown): Special | undefined {
  if (unknowns.has(wrapped)) return { value: unknownValue, secret: false };
  // YAML and the protocol have NaN and infinity, JSON has not: a request would have null in their place.
  if (typeof wrapped === "number" && !Number.isFinite(wrapped)) return { refused: String(wrapped) };
  if (!isObject(wrapped) || !(signature in wrapped)) return undefined;
  const { value, urn, id } = wrapped;
  switch (wrapped[signature]) {
    case secretSignature:
      return { value, secret: true };
    case output:
      return { value: "value" in wrapped ? value : unknownValue, secret: wrapped["secret"] === true };
    case resourceReference:
      // An id that is not known yet is empty.
      return { value: id === undefined ? urn : id === "" ? unknownValue : id, secret: false };
    case asset:
      return { refused: "an asset (a file or a text)" };
    case archive:
      return { refused: "an archive (of files)" };
    default:
      return { refused: "a value of a kind that this version does not know" };
  }
}

export const wrapSecret = (value: unknown): Readonly<Record<string, unknown>> => ({
  [signature]: secretSignature,
  value,
});
