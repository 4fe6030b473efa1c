import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { declaration } from "../support/declaration.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { exampleFolder } from "../support/example.js";
import type { EngineStack } from "../support/engine.js";
import { saying } from "../support/matchers.js";
import { startStack } from "../support/startStack.js";

const { sourceConnection } = declaration.params;

describeWithEngine("An example on the engine", () => {
  afterEach(stopAll);

  test("many-tables: a later day and a later table make one job and no difference for the others", async () => {
    const service = await start();
    const stack = await startStack({
      program: exampleFolder("many-tables"),
      config: { sourceConnection, firstDay: "2026-12-01", "data-connectivity:baseUrl": service.baseUrl },
      env: { DATA_CONNECTIVITY_TOKEN: service.token },
    });
    // The test with mocks runs the whole catalogue. In this test, each line costs engine time.
    const catalogue = join(stack.folder, "tables.csv");
    writeFileSync(catalogue, readFileSync(catalogue, "utf8").split("\n").slice(0, 31).join("\n") + "\n");
    expect((await stack.preview()).stdout).toContain("+ 31 to create");
    expect(service.requests).toEqual([]);

    expect((await stack.up(["--skip-preview"])).stdout).toContain("+ 31 created");
    expect(service.jobs).toHaveLength(30);
    expect(await stack.up(["--skip-preview", "--expect-no-changes"])).toMatchObject({ exitCode: 0 });

    await stack.setConfig({ firstDay: "2027-01-01" });
    appendFileSync(catalogue, "HR,OFFICES,24,\n");
    expect((await stack.up(["--skip-preview"])).stdout).toMatch(/\+ 1 created\s+31 unchanged/);
    expect(posts(service.requests)).toBe(31);
    const added = service.jobs.at(-1);
    expect([added?.name, added?.nextRunTime.slice(0, 10)]).toEqual(["OFFICES", "2027-01-01"]);
  });

  test("several-accounts: each job is made at its own account's address, once", async () => {
    const [eu, us] = [await start(), await start()];
    const stack = await startStack({
      program: exampleFolder("several-accounts"),
      config: {
        "sourceConnections.eu": sourceConnection,
        "sourceConnections.us": sourceConnection,
        "data-connectivity:accounts.eu.baseUrl": eu.baseUrl,
        "data-connectivity:accounts.us.baseUrl": us.baseUrl,
      },
      env: { DATA_CONNECTIVITY_TOKEN_EU: eu.token, DATA_CONNECTIVITY_TOKEN_US: us.token },
    });
    expect((await stack.preview()).stdout).toContain("+ 3 to create");
    expect(await stack.up(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(await stack.up(["--skip-preview", "--expect-no-changes"])).toMatchObject({ exitCode: 0 });
    expect([eu, us].map(({ requests }) => posts(requests))).toEqual([1, 1]);
  });

  test("pipeline: its preview needs no token, and after a killed run its up stops until the state is corrected", async () => {
    const service = await start();
    const stack = await startStack({
      program: exampleFolder("pipeline"),
      config: { sourceConnection, "data-connectivity:baseUrl": service.baseUrl },
    });
    expect(await stack.preview(["--diff"])).toMatchObject({ exitCode: 0 });
    expect(await stack.up(["--skip-preview"], { env: { DATA_CONNECTIVITY_TOKEN: service.token } })).toMatchObject({
      exitCode: 0,
    });

    killInCreate(stack);
    const stopped = await stack.preview();
    expect(stopped).toMatchObject({ exitCode: 1, output: saying("its create is unconfirmed: it is under way, or") });
    const clear = "pulumi refresh --clear-pending-creates --yes --non-interactive";
    expect(await stack.shell(clear, { DATA_CONNECTIVITY_TOKEN: service.token })).toMatchObject({ exitCode: 0 });
    expect(await stack.preview()).toMatchObject({ exitCode: 0 });
  });
});

const checkpoint = z.looseObject({
  checkpoint: z.looseObject({
    latest: z.looseObject({ resources: z.array(z.looseObject({ type: z.string() })) }),
  }),
});

/** Changes the state to what a run leaves if the run is killed while it creates the job. */
function killInCreate(stack: EngineStack): void {
  const file = join(stack.folder, "state/.pulumi/stacks/pipeline/test.json");
  const saved = checkpoint.parse(JSON.parse(readFileSync(file, "utf8")));
  const { latest } = saved.checkpoint;
  const isJob = ({ type }: { type: string }) => type.endsWith(":CachingJob");
  Object.assign(latest, {
    resources: latest.resources.filter((resource) => !isJob(resource)),
    pending_operations: latest.resources.filter(isJob).map((resource) => ({ type: "creating", resource })),
  });
  writeFileSync(file, JSON.stringify(saved));
}
