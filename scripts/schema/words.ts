import { packageName } from "./types.js";

/** What the package says of itself, in the schema and in each generated SDK. */
export const aboutPackage = {
  displayName: "Data Connectivity",
  description: "Recurring jobs of a hosted data-connectivity service: caching jobs and scheduled queries.",
  keywords: ["pulumi", packageName, "category/infrastructure", "kind/native"],
  license: "Apache-2.0",
  publisher: "pulumi-data-connectivity",
};

/** What the generated SDKs are called. The npm package of the classes has the name without an ending. */
export const languages = {
  nodejs: { packageName: "pulumi-data-connectivity-sdk", respectSchemaVersion: true },
  python: { packageName: "pulumi_data_connectivity", respectSchemaVersion: true, pyproject: { enabled: true } },
  go: {
    // Not a host: the SDK is made beside the program, and go.mod says where.
    importBasePath: "pulumi-data-connectivity/sdk/go/dataconnectivity",
    respectSchemaVersion: true,
  },
  csharp: { namespaces: { [packageName]: "DataConnectivity" }, respectSchemaVersion: true },
};

export const provider =
  "One account of the service. The inputs of an explicit provider win over the environment, and it gets nothing from the configuration of the stack. " +
  "A change of them touches no job. A job cannot move to a provider with another address or account: that is refused at preview.";

/** What is true of every kind of job. */
export const everyJob = [
  "With the setting `data-connectivity:jobOperations` at `create`, the default, a job can be created and nothing more. " +
    "A change of an input is refused at preview, with the ways to go on. " +
    "Give each job the options `protect: true` and `retainOnDelete: true`: a job cannot be deleted, and keeps running at the service when it leaves the stack.",
  "With `all` a change is made in place, `pulumi refresh` reads the job, and a job that leaves the stack is deleted.",
  "In both, a create whose answer was lost is recorded as unconfirmed, is not repeated in that run, and is resolved by an ordinary `pulumi up`. " +
    "Until then the resource's own `id` is a stand-in: use `jobId` where the id of the job is needed.",
];

export const jobId =
  "The job's id at the service; never secret. It is absent while the create is unconfirmed. " +
  "With `jobOperations: all` the preview of a change knows it, so what uses it shows no change.";

/** The setting `protect`, where no class can set the options of a resource. */
export const protectWithoutOptions =
  "`false`: a job that cannot be deleted may leave the stack, so that `pulumi destroy` can empty a stack of tests, and it keeps running at the service. With `true` its delete is refused";
