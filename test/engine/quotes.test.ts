import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import type { EngineStack } from "../support/engine.js";
import { engineMessages } from "../support/engineMessages.js";
import { readmeProgram } from "../support/pages.js";
import { startStack } from "../support/startStack.js";

describeWithEngine("What the pages quote of the engine is what it says", () => {
  let stack: EngineStack;
  beforeAll(async () => {
    stack = await startStack({ program: readmeProgram(), env: settingsFor(await start()) });
    await stack.up(["--skip-preview"]);
  });
  afterAll(stopAll);

  const state = (...path: readonly string[]) => join(stack.folder, "state/.pulumi", ...path);

  test("of a protected job that leaves the stack", async () => {
    expect((await stack.destroy()).output).toContain(engineMessages.protectedJob);
  });

  test("of a stack that another run locked", async () => {
    const folder = state("locks/organization/acceptance/test");
    mkdirSync(folder, { recursive: true });
    const lock = join(folder, "0.json");
    writeFileSync(lock, JSON.stringify({ pid: 1, username: "u", hostname: "h", timestamp: "2026-01-01T00:00:00Z" }));
    expect((await stack.up(["--skip-preview"])).output).toContain(engineMessages.otherRun);
    rmSync(lock);
  });

  test("of an operation that a killed run left", async () => {
    const file = state("stacks/acceptance/test.json");
    const saved = checkpoint.parse(JSON.parse(readFileSync(file, "utf8")));
    const job = saved.checkpoint.latest.resources.at(-1);
    Object.assign(saved.checkpoint.latest, { pending_operations: [{ type: "creating", resource: job }] });
    writeFileSync(file, JSON.stringify(saved));
    expect((await stack.up(["--skip-preview"])).output).toContain(engineMessages.killedRun);
  });

  test("of a job that is imported", async () => {
    const type = "pulumi-nodejs:dynamic/data-connectivity:CachingJob";
    expect((await stack.run(["import", type, "imported", "some-id", "--yes"])).output).toContain(
      engineMessages.imported,
    );
  });

  test("of a package that is not installed", async () => {
    rmSync(join(stack.folder, "node_modules/pulumi-data-connectivity"));
    expect((await stack.refresh()).output).toContain(engineMessages.packageMissing);
  });
});

const checkpoint = z.looseObject({
  checkpoint: z.looseObject({ latest: z.looseObject({ resources: z.array(z.json()) }) }),
});
