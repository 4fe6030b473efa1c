/** What a host calls: each function takes what the engine asked about, and answers with a value for the host to encode. */
export { check, type Checked } from "./check.js";
export { newContext, type Context } from "./context.js";
export { create } from "./create.js";
export { diff, type Difference } from "./diff.js";
export { importJob } from "./importJob.js";
export { lookUp } from "./lookUp.js";
export type { ReadBack } from "./operations.js";
export { jobOperationsFor } from "./operationsOf.js";
export { read } from "./read.js";
export { remove } from "./remove.js";
export * from "./resource.js";
export type { Done, Gone, Recorded, Refused, Result } from "./result.js";
export { update } from "./update.js";
