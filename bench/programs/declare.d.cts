import type { JsonObject } from "../../provider/src/json.js";

export const count: number;
export function declare(n: number): JsonObject;
