import { secretSignature, signature } from "../../../provider/src/hosts/engineNames.js";
import type { JsonObject } from "../../../provider/src/json.js";
import { declaration } from "../declaration.js";

/** A value that is marked as a secret. */
export const secret = (value: string | JsonObject): JsonObject => ({ [signature]: secretSignature, value });

/** The inputs of a caching job of this table. */
export const inputs = (sourceTable: string | JsonObject = "ORDERS", more: JsonObject = {}): JsonObject => ({
  ...declaration,
  params: { ...declaration.params, sourceTable },
  ...more,
});

/** The URN of a plugin's resource; a name that is a URN already stays. */
export const urnOf = (name: string, type = "CachingJob"): string =>
  name.startsWith("urn:") ? name : `urn:pulumi:test::acceptance::data-connectivity:index:${type}::${name}`;
