import { secretSignature, signature } from "../hosts/engineValues.js";
import { isObject, parseJson } from "../json.js";

/** A secret value. Its plain value is known only where the export was made with `--show-secrets`. */
export class Secret {
  constructor(readonly plain: unknown) {}
}

/** A value of an export with each secret in it, encrypted or in clear, replaced by a {@link Secret}. */
export function markSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markSecrets);
  if (!isObject(value)) return value;
  if (value[signature] === secretSignature) {
    const { plaintext } = value;
    return new Secret(typeof plaintext === "string" ? markSecrets(parseJson(plaintext)) : undefined);
  }
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, markSecrets(inner)]));
}

/** A member of a value; each member of a secret is secret too. */
export function memberOf(value: unknown, member: string): unknown {
  if (value instanceof Secret) return value;
  return isObject(value) ? value[member] : undefined;
}

/** Whether a value of an export holds a secret. */
export function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsSecret);
}
