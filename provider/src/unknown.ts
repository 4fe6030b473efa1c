import { isObject } from "./json.js";

/**
 * What the engine hands over in a preview in place of a value that is not known yet. It is `pulumi.runtime.unknownValue`,
 * written out because the core does not import the SDK; a test holds the two equal.
 */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value is unknown, or holds an unknown at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) && Object.values(value).some(hasUnknown);
}
