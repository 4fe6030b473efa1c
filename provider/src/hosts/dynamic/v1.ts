/**
 * What the engine loads: every saved resource holds the text `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").<name>`.
 * The path and both names are in users' state for ever; a breaking change is a `v2` beside this file.
 */
import { cachingJob as cachingKind, scheduledQueryJob as scheduledQueryKind } from "../../jobs/index.js";
import { engineAddress } from "../engine.js";
import { jobProvider } from "./host.js";
import { printNoRefusals } from "./sdkHost.js";

if (engineAddress() !== undefined) printNoRefusals();

export const cachingJob = jobProvider(cachingKind);
export const scheduledQueryJob = jobProvider(scheduledQueryKind);
