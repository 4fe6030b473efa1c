import { isObject } from "../json.js";

const accepted = {
  baseUrl: "the address of the service, such as startEmulator's baseUrl",
  token: "the bearer token, a string that is not empty, such as startEmulator's token",
} as const;

/**
 * Refuses options that cannot work, before anything is changed: JavaScript has no compiler to refuse them.
 *
 * @throws TypeError that names each wrong option and the kind of its value, but not the value, which may be a token.
 */
export function checkMocksOptions(options: unknown): void {
  if (!isObject(options)) {
    const are = options === undefined ? "are missing" : `are ${kindOf(options)}`;
    throw new TypeError(`setProviderMocks: options ${are}. Accepted: an object with baseUrl and token.`);
  }
  const problems = (["baseUrl", "token"] as const).flatMap((member) => {
    const value = options[member];
    return typeof value === "string" && value !== ""
      ? []
      : [`setProviderMocks: ${member} is ${kindOf(value)}. Accepted: ${accepted[member]}.`];
  });
  if (problems.length > 0) throw new TypeError(problems.join("\n"));
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
