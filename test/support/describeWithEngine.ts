import { engineVersion } from "./engine.js";

/** `describe` where a `pulumi` CLI is on PATH; elsewhere its tests are counted as skipped. */
export const describeWithEngine = engineVersion() === undefined ? describe.skip : describe;
