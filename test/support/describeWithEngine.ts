import { engineVersion } from "./pulumiCli.js";

/** `describe` if a `pulumi` CLI is on PATH; otherwise the tests count as skipped. */
export const describeWithEngine = engineVersion() === undefined ? describe.skip : describe;
