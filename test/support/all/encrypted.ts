import { secretSignature, signature } from "../../../provider/src/hosts/engineNames.js";
import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";

/** A secret as the engine exports it. */
export const encrypted = { [signature]: secretSignature, ciphertext: "v1:abc:def" };

/**
 * What the engine exports of a resource's inputs or outputs: with any secret, the whole record of the job is one. Which of
 * the `params` are secret, the class does not say.
 */
export function exportedMembers(members: Declaration): Declaration {
  const secrets = Object.keys(members).filter((member) => !isPlain(members, member));
  const others = secrets.filter((member) => member !== "params" && member !== "additionalParams");
  const hidden = secrets.length > 0 && "job" in members ? [...others, "job"] : others;
  return { ...members, ...Object.fromEntries(hidden.map((member) => [member, encrypted])) };
}
