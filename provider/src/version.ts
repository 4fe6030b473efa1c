import { readFileSync } from "node:fs";
import { join } from "node:path";
import { membersOf, parseJson } from "./json.js";

const manifest = membersOf(parseJson(readFileSync(join(__dirname, "..", "package.json"), "utf8")));

/** The version of this package, from its package.json. */
export const version = typeof manifest["version"] === "string" ? manifest["version"] : "unknown";
