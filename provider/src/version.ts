import { membersOf } from "./json.js";

// `require`, because bundlers of a user's program then include the file. A bundle has no package.json beside it.
const manifest: unknown = require("../package.json");
const { version: found } = membersOf(manifest);

/** The version of this package, from its package.json. */
export const version = typeof found === "string" ? found : "unknown";
