import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProviderHost } from "../../provider/src/hosts/dynamic/host.js";
import { RecordedError, RefusedError, whyUnrecordable } from "../../provider/src/hosts/dynamic/sdkHost.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const folder = temporaryFolder();

const real = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

/** The files of a host: the file of the SDK's host with a part changed. */
function changed(part: string | RegExp, into: string): string[] {
  const text = readFileSync(real, "utf8");
  expect(text).toMatch(part);
  const file = join(folder(), "cmd/dynamic-provider/index.js");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll(part, into));
  return [file];
}

test.each([
  ["the SDK that is installed", () => [real]],
  ["an SDK that names the thrown error otherwise", () => changed(/\be\.(?=id|properties|reasons)/g, "thrown.")],
  ["several files", () => [__filename, real]],
])("the host of %s is known", (_, files) => {
  expect(whyUnrecordable(files())).toBeUndefined();
});

test.each(["e.id", "e.properties", "e.reasons", "ErrorResourceInitFailed", "grpc-status-details-bin"])(
  "a host without %s is not known",
  (part) => {
    expect(whyUnrecordable(changed(part, "undefined"))?.what).toMatch("@pulumi/pulumi");
  },
);

test("a process without the SDK's host is not known", () => {
  expect(whyUnrecordable([])?.what).toMatch("@pulumi/pulumi");
});

test("the host can hand over an error whose text has half a surrogate pair", () => {
  const message = "no \ud83d";
  const origin = { outcome: "created", account: undefined, baseUrl: "", at: "2026-01-01T00:00:00Z" } as const;
  const state = { declared: {}, job: {}, origin };
  const recorded = new RecordedError({ kind: "recorded", id: "7", message, state }, {});
  for (const error of [new RefusedError(message, "x"), recorded]) expect(error.message).toBe("no \ufffd");
  expect(recorded.reasons).toEqual(["no \ufffd"]);
});

test("A create is refused in words where the host would not record it, and nothing is sent", async () => {
  // This process has an engine, but not the SDK's host.
  const { create } = new ProviderHost({
    engine: { host: "127.0.0.1", port: 1 },
    isEngineAlive: () => Promise.resolve(true),
    config: { get: () => undefined },
    environment: { DATA_CONNECTIVITY_BASE_URL: "http://127.0.0.1:1", DATA_CONNECTIVITY_TOKEN: "t" },
  }).provider(cachingJob);
  await expect(create({ ...declaration, __resource: { name: "orders" } })).rejects.toThrow(
    /^CachingJob "orders": The installed @pulumi\/pulumi .* the create was not sent\. .*npm install/,
  );
});
