import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RecordedError, RefusedError, whyUnrecordable } from "../../provider/src/hosts/dynamic/sdkHost.js";
import { declared, startProvider, startService, tally, textOf } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { TOKEN } from "../support/testService.js";

const folder = temporaryFolder();
afterEach(stopAll);

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

describe("In a process whose host records no create that failed", () => {
  /** Changes the host's file for everyone who reads it, Node included. */
  const withoutRecords = () => {
    const patch = join(folder(), "patch.cjs");
    writeFileSync(
      patch,
      `const fs = require("node:fs");
       const read = fs.readFileSync;
       fs.readFileSync = (path, ...rest) => {
         const text = read(path, ...rest);
         return String(path) === ${JSON.stringify(real)} ? String(text).replaceAll("e.id", "undefined") : text;
       };`,
    );
    return { NODE_OPTIONS: `--require ${JSON.stringify(patch)}` };
  };

  test("a create is refused in words, and nothing is sent", async () => {
    const service = await startService({ faults: [{ kind: "reset", on: "create", processed: true, times: -1 }] });
    const provider = await startProvider({ baseUrl: service.baseUrl, token: TOKEN }, withoutRecords());
    const results = [await provider.create(declared("A")), await provider.create(declared("B"))];
    expect(service.requests).toEqual([]);
    expect(tally(results)).toEqual({ created: 0, notCreated: 2, unconfirmed: 0 });
    for (const result of results) {
      expect(textOf(result)).toMatch(
        /^CachingJob "orders[AB]": The installed @pulumi\/pulumi .* the create was not sent\. .*npm install/,
      );
    }
  });
});
