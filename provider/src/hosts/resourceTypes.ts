import { jobKinds, type JobKind } from "../jobs/index.js";

/** The type of a kind's resources in a dynamic provider, as it stands in every URN. */
export const dynamicType = ({ resource }: Pick<JobKind, "resource">): string =>
  `pulumi-nodejs:dynamic/data-connectivity:${resource}`;

/** The name of a resource, as it stands in its URN. */
export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

/** The type of a kind's resources in the plugin. */
export const pluginType = ({ resource }: Pick<JobKind, "resource">): string => `data-connectivity:index:${resource}`;

/** The kind of job that a resource in a state is; undefined for any other resource. */
export const kindOfType = (type: unknown): JobKind | undefined =>
  jobKinds.find((kind) => type === dynamicType(kind) || type === pluginType(kind));
