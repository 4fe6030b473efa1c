import { describeWithEngine } from "../support/describeWithEngine.js";
import { JOB, start, stopAll } from "../support/emulated.js";
import { createStack, type EngineStack } from "../support/engine.js";
import { saying } from "../support/matchers.js";
import { readmeProgram } from "../support/pages.js";

describeWithEngine("A green preview that pulumi up would refuse", () => {
  let stack: EngineStack | undefined;

  afterEach(async () => {
    await stack?.dispose();
    await stopAll();
  });

  test("is seen by jobs --at-service --check", async () => {
    const service = await start();
    service.addJob(JOB, { id: "job-1" });
    stack = await createStack({
      program: readmeProgram(),
      config: { "data-connectivity:jobOperations": "all" },
      env: { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token },
    });
    const check =
      "pulumi preview --json > preview.json && pulumi-data-connectivity jobs --at-service --check preview.json";
    expect(await stack.preview()).toMatchObject({ exitCode: 0 });
    expect(await stack.shell(check)).toMatchObject({
      exitCode: 1,
      stdout: saying('CachingJob "orders": job job-1 has its source already.'),
    });
    expect(await stack.up(["--skip-preview"])).toMatchObject({
      exitCode: 1,
      output: saying("A job for this source exists already"),
    });
  });
});
