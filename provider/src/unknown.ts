import { isObject } from "./json.js";

/**
 * Stands for a value that is not known yet in a preview. Repeats `pulumi.runtime.unknownValue`, because the core does
 * not import the SDK. A test checks that the two constants are equal.
 */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value is unknown or contains an unknown value at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) && Object.values(value).some(hasUnknown);
}
