/**
 * The module that the engine loads. Every saved resource contains this text:
 * `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").<name>`.
 * Users' state keeps the path and both names forever, so a breaking change needs a `v2` next to this file.
 */
import { cachingJob as cachingKind, scheduledQueryJob as scheduledQueryKind } from "../../jobs/index.js";
import { jobProvider } from "./providerProcess.js";

export const cachingJob = jobProvider(cachingKind);
export const scheduledQueryJob = jobProvider(scheduledQueryKind);
