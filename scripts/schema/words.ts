import type { ModeRules } from "../../provider/src/config/index.js";
import { packageName } from "./specs.js";

/** How the package describes itself, in the schema and in each generated SDK. */
export const aboutPackage = {
  displayName: "Data Connectivity",
  description: "Recurring jobs of a hosted data-connectivity service: caching jobs and scheduled queries.",
  keywords: ["pulumi", packageName, "category/infrastructure", "kind/native"],
  license: "Apache-2.0",
  publisher: "pulumi-data-connectivity",
};

/** The names of the generated SDKs. The npm package of the classes has the name without the suffix `-sdk`. */
export const languages = {
  nodejs: { packageName: "pulumi-data-connectivity-sdk", respectSchemaVersion: true },
  python: { packageName: "pulumi_data_connectivity", respectSchemaVersion: true, pyproject: { enabled: true } },
  go: {
    // This path is no URL: the SDK is generated in the program's folder, and go.mod points to that folder.
    importBasePath: "pulumi-data-connectivity/sdk/go/dataconnectivity",
    respectSchemaVersion: true,
  },
  csharp: { namespaces: { [packageName]: "DataConnectivity" }, respectSchemaVersion: true },
};

export const provider =
  "One account of the service. The inputs of an explicit provider override the environment, and it ignores the configuration of the stack. " +
  "Changing them affects no job. A job cannot move to a provider with another address or account: the preview refuses that.";

export const everyJob = [
  "With the setting `data-connectivity:jobOperations` at `create`, the default, a job can only be created. " +
    "The preview refuses a changed input and lists your options. " +
    "Give each job the options `protect: true` and `retainOnDelete: true`, because a job cannot be deleted: if it leaves the stack, it keeps running at the service.",
  "With `all`, a change is made in place, `pulumi refresh` reads the job, and a job that leaves the stack is deleted.",
  "In both modes, if the response to a create is lost, the job is recorded as unconfirmed. The create is not repeated in that run; an ordinary `pulumi up` resolves it. " +
    "Until then the resource's own `id` is a stand-in: for the job's id at the service, use `jobId`.",
];

export const jobId =
  "The job's id at the service; never secret. It is absent while the create is unconfirmed. " +
  "With `jobOperations: all`, it is known in the preview of a change, so resources that use it show no change.";

export const listedAccount =
  "List the jobs of this configured account; default: the account of jobs that name none. The ids then begin with its name.";

export const listedWith = (member: string): string =>
  `List only jobs with this value of params.${member}. Upper and lower case are equal.`;

/** The description of `protect` for the plugin, which cannot set a resource's options. */
export const protectWithoutOptions =
  "`false`: a job that cannot be deleted may leave the stack and keeps running at the service, so that `pulumi destroy` can empty a test stack. With `true`, its delete is refused";

export const requestEncodings = {
  typed: "Numbers and booleans, as the types of the interface document say.",
  quoted: "Strings, as the examples of the interface document have them.",
};

export const jobOperations: Readonly<Record<ModeRules["name"], string>> = {
  create: "Jobs can only be created: only the two documented operations are used.",
  all: "Jobs can also be changed, deleted, read and adopted, by operations that the vendor publishes elsewhere.",
};
