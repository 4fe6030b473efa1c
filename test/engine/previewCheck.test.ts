import { describeWithEngine } from "../support/describeWithEngine.js";
import { JOB, settingsFor, start, stopAll } from "../support/emulated.js";
import type { EngineStack } from "../support/engine.js";
import { saying } from "../support/matchers.js";
import { readmeProgram } from "../support/pages.js";
import { startStack } from "../support/startStack.js";

describeWithEngine("A green preview that pulumi up would refuse", () => {
  afterEach(stopAll);

  test("is seen by jobs --at-service --check", async () => {
    const service = await start();
    service.addJob(JOB, { id: "job-1" });
    const stack = await startStack({
      program: readmeProgram(),
      config: { "data-connectivity:jobOperations": "all" },
      env: settingsFor(service),
    });
    const check =
      "pulumi preview --json --show-sames > preview.json && pulumi-data-connectivity jobs --at-service --check preview.json";
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

  const head = `
const { CachingJob } = require("pulumi-data-connectivity");
const params = { sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", sourceName: "S", sourceSchema: "P" };
const job = (name, sourceTable, more = {}, options = {}) => new CachingJob(name,
  { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params: { ...params, sourceTable }, ...more }, options);
`;
  const refused = async (of: EngineStack, program: string, ...flags: string[]) => {
    of.setProgram(head + program);
    const preview = ["pulumi preview --json", ...flags].join(" ");
    const { stdout, stderr } = await of.shell(`${preview} | pulumi-data-connectivity jobs --at-service --check -`);
    return `${stdout}${stderr}`.trimEnd().split("\n");
  };

  test("is seen where two resources of the program are in each other's way", async () => {
    const tables = ["OLD", "ITEMS", "MOVED", "ELSEWHERE", "NEW", "FREE"];
    const service = await start({
      tables: tables.map((table) => ({ connection: "Snowflake1", schema: "P", table })),
    });
    const stack = await startStack({
      program: `${head} job("old", "OLD"); job("first", "ITEMS"); job("moved", "MOVED");`,
      config: { "data-connectivity:jobOperations": "all" },
      env: settingsFor(service),
    });
    expect(await stack.up(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    const id = (table: string) => service.jobs.find(({ name }) => name === table)?.id ?? "";
    const adopts = (table: string) => `"${table}", { existingJobId: "${id(table)}" }`;
    const kept = 'job("old", "OLD"); job("first", "ITEMS");';
    const moves = `${kept} const moved = job("moved", "ELSEWHERE");`;
    const same = `${kept} job("moved", "MOVED");`;
    const seen = [
      await refused(stack, `${same} job("a", "NEW"); job("b", "NEW");`, "--show-sames"),
      await refused(stack, `${same} job("b", ${adopts("ITEMS")});`, "--show-sames"),
      await refused(stack, `${moves} job("b", "MOVED");`, "--show-sames"),
      await refused(stack, `${moves} job("b", "MOVED", {}, { dependsOn: moved });`, "--show-sames"),
      await refused(stack, 'job("first", "ITEMS"); job("moved", "MOVED"); job("new", "OLD");', "--show-sames"),
      await refused(stack, `${same} job("b", "NEW");`),
    ];
    expect(seen.map(([line]) => line)).toEqual([
      saying("is creating a job for the same source"),
      saying(`CachingJob "b": nothing was sent. CachingJob "first" of this program already has job ${id("ITEMS")}`),
      saying('CachingJob "b": CachingJob "moved" of this program already has the job for this source'),
      "The preview creates or adopts 1 job. pulumi up would refuse 0.",
      saying('CachingJob "new": looks like a rename of CachingJob "old"'),
      saying("Add --show-sames: pulumi preview --json --show-sames"),
    ]);
    service.addJob(
      { ...JOB, params: { ...JOB.params, sourceName: "S", sourceSchema: "P", sourceTable: "FREE" } },
      { id: "job-free" },
    );
    const free = '"FREE", { existingJobId: "job-free" }';
    const [line] = await refused(stack, `${same} job("a", ${free}); job("b", ${free});`, "--show-sames");
    expect(line).toMatch(/of this program already has job job-free/);
  });

  test("is a rename of a protected job", async () => {
    const service = await start();
    const stack = await startStack({
      program: `${head} job("old", "ORDERS");`,
      env: settingsFor(service),
    });
    expect(await stack.up(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    const [line] = await refused(stack, 'job("new", "ORDERS");', "--show-sames");
    expect(line).toMatch(/CachingJob "new": looks like a rename of CachingJob "old"/);
  });
});
