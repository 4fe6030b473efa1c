import { ProviderHost } from "../../provider/src/hosts/dynamic/host.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { secretSignature, signature } from "../../provider/src/hosts/engineNames.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";

const settings: Readonly<Record<string, string>> = { "data-connectivity:baseUrl": "https://one.example.com" };

// Mode `create` adopts without a request.
const adopting = { ...declaration, existingJobId: "job-1" };

async function outputsWith(seen: typeof declaration) {
  const host = new ProviderHost({
    isEngineAlive: () => Promise.resolve(true),
    report: () => undefined,
    config: { get: (key) => settings[key] },
    environment: {},
  });
  const members = { ...adopting, __provider: "x", __resource: identityFor("orders", seen) };
  const { outs = {} } = await host.provider(cachingJob).create(members);
  return outs;
}

test("A value that the class has not seen makes `job` a secret: ignoreChanges or a transform may have put a secret there", async () => {
  const seen = { ...declaration, params: { ...declaration.params, timeCheckColumn: "placeholder" } };
  expect((await outputsWith(seen))["job"]).toEqual({ [signature]: secretSignature, value: { id: "job-1" } });
});

test("`job` is plain if the class has seen all values, and none may be a secret", async () => {
  expect((await outputsWith(declaration))["job"]).toEqual({ id: "job-1" });
});
