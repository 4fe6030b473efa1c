import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";
import { setProviderMocks } from "pulumi-data-connectivity/testing";
import { deferred } from "../support/deferred.js";
import { declaration } from "../support/declaration.js";
import { startTestServer, type TestServer } from "../support/emulator/index.js";
import { RequestWatch } from "../support/requestWatch.js";

describe("Each setProviderMocks is a run of its own", () => {
  const watch = new RequestWatch();
  let service: TestServer;
  const posts = () => service.requests.filter(({ method }) => method === "POST").length;

  beforeEach(async () => {
    service = await startTestServer({ onRequest: watch.onRequest });
  });
  afterEach(async () => {
    pulumi.runtime.setAllConfig({});
    for (const name of ["NODE_OPTIONS", "DATA_CONNECTIVITY_TOKEN", "DATA_CONNECTIVITY_BASE_URL"])
      Reflect.deleteProperty(process.env, name);
    await service.stop();
  });

  /** The result of declaring one job: its id, or the reason why there is no id. */
  const declare = (failed: Promise<string>) =>
    Promise.race([failed, new Promise<string>((resolve) => void declared().id.apply(resolve))]);
  const declared = () => new CachingJob("orders", declaration);

  async function declareUnderMocks(target: TestServer = service): Promise<string> {
    const { promise, resolve } = deferred<string>();
    const mocks = await setProviderMocks({ ...target, onFailure: resolve });
    const result = await declare(promise);
    await mocks.stop();
    return result;
  }

  test("it creates the same declaration anew, with the configuration of its time", async () => {
    const first = await declareUnderMocks();
    pulumi.runtime.setAllConfig({ "data-connectivity:timeoutSeconds": "0" });
    expect(await declareUnderMocks()).toContain("timeoutSeconds");
    pulumi.runtime.setAllConfig({});
    const second = await declareUnderMocks();
    expect(service.jobs.map(({ id }) => id)).toEqual([first, second]);
  });

  test("it knows nothing of the address that failed before", async () => {
    const broken = await startTestServer({ faults: [{ kind: "reply", on: "create", status: 401, times: -1 }] });
    expect(await declareUnderMocks(broken)).toContain("HTTP 401");
    await broken.stop();
    expect(await declareUnderMocks()).toBe(service.jobs[0]?.id);
  });

  test("it starts no process", async () => {
    process.env["NODE_OPTIONS"] = "--no-such-option";
    expect(await declareUnderMocks()).toBe(service.jobs[0]?.id);
  });

  test("after stop() it sends nothing, to its own service or to the developer's", async () => {
    process.env["DATA_CONNECTIVITY_TOKEN"] = "of the developer";
    process.env["DATA_CONNECTIVITY_BASE_URL"] = service.baseUrl;
    const failures = [deferred<string>(), deferred<string>()];
    const waiting = failures.map(({ resolve }) => resolve);
    const mocks = await setProviderMocks({ ...service, onFailure: (reason) => waiting.shift()?.(reason) });
    const stopped = deferred();
    const refusal = { status: 429, headers: { "Retry-After": "1" }, until: stopped.promise };
    service.inject({ kind: "reply", on: "create", ...refusal });
    declared();
    await watch.until(() => posts() === 1);
    await mocks.stop();
    stopped.resolve();
    new CachingJob("late", declaration).job.apply(() => undefined);
    const [late, first] = await Promise.all(failures.map(({ promise }) => promise));
    expect(late).toContain("resource 'late' is declared after stop(). No job was created.");
    expect(first).toContain("No job was created.");
    expect(posts()).toBe(1);
  });
});

describe("A refused declaration", () => {
  /** A program that declares three jobs, one of them wrong, and prints what happens. */
  const programWith = (onFailure: string) => `
    const { CachingJob } = require("pulumi-data-connectivity");
    const { setProviderMocks, startEmulator } = require("pulumi-data-connectivity/testing");
    process.on("unhandledRejection", ({ message }) => console.log("rejected: " + message));
    (async () => {
      const service = await startEmulator();
      const mocks = await setProviderMocks({ ...service, onFailure: ${onFailure} });
      const declare = (name, intervalValue, more) => {
        const job = new CachingJob(name, { ...${JSON.stringify(declaration)}, intervalValue, ...more });
        for (const output of [job.id, job.jobId, job.job, job.origin]) output.apply(() => console.log(name));
        return job;
      };
      const refused = declare("refused", 0);
      declare("after", 4, { existingJobId: refused.jobId });
      await new Promise((resolve) => declare("last", 4).jobId.apply(resolve));
      await mocks.stop();
      await service.stop();
    })();`;
  const reason = `pulumi-nodejs:dynamic/data-connectivity:CachingJob resource 'refused' has a problem: CachingJob "refused": intervalValue is 0. Accepted: a whole number from 1 to 2147483647.`;

  test.each([
    ["fails the program once", "undefined", `rejected: ${reason}`],
    ["is told once, and leaves nothing that the SDK waits for", "(reason) => console.log(reason)", reason],
  ])("%s", (_what, onFailure, told) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", programWith(onFailure)], {
      cwd: resolve(__dirname, "../.."),
      encoding: "utf8",
    });
    const lines = stdout.trim().split("\n");
    expect([status, stderr, lines.filter((line) => line.length > 9)]).toEqual([0, "", [told]]);
    expect(lines).toContain("last");
    expect(lines).not.toContain("refused");
  });
});
