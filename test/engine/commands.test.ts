import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { membersOf } from "../../provider/src/json.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, engineForEachTest } from "../support/engineFixture.js";
import { matching } from "../support/matchers.js";
import { classes, yaml } from "../support/plugin/languages.js";
import { job, lostReply, orders, otherService, preview, service, up, urn } from "../support/scenarios/scenario.js";

describeWithEngine("The engine's commands", () => {
  const engine = engineForAllTests();
  const ofTable = (name: string, more = "") =>
    job(name, `params: params({ sourceTable: "${name.toUpperCase()}" }), ${more}`);
  const items = ofTable("items");
  const program = job("orders", 'changedAtService: "May"') + items;
  beforeAll(() => engine().play({ program: job("orders") + items, posts: 2 }));

  test("rename a resource, in state or by an alias, and send nothing", async () => {
    await engine().play({ run: ["state", "rename", urn("orders"), "sales", "--yes"] });
    await engine().play({ program: job("sales") + items, says: ["1 updated", "2 unchanged"] });
    const aliased = job("orders", "", 'aliases: [{ name: "sales" }]') + items;
    const state = { orders: { id: matching(/^job-\d$/), protect: true }, items: {} };
    await engine().play({ program: aliased, says: ["1 updated", "2 unchanged"], state });
  });

  test("--target updates one job and leaves another changed job alone", async () => {
    const program = job("orders", 'changedAtService: "May"') + ofTable("items", "intervalValue: 5") + ofTable("fresh");
    await engine().play({
      program,
      run: [...up, "--target", urn("orders")],
      says: ["1 updated"],
      state: { orders: { outputs: { changedAtService: "May" } }, items: { outputs: { intervalValue: 4 } } },
    });
    await engine().play({ run: preview, exitCode: 1, says: ["intervalValue: 4 → 5"] });
  });

  test("state taint would replace the job, which protect refuses", async () => {
    await engine().play({ run: ["state", "taint", urn("orders"), "--yes"] });
    await engine().play({ program, exitCode: 1, says: ["marked for protection"] });
    await engine().play({ run: ["state", "untaint", urn("orders"), "--yes"] });
    await engine().play({ says: ["3 unchanged"] });
  });

  test("--continue-on-error creates the other jobs beside an unconfirmed one", async () => {
    const withLost = { run: [...up, "--continue-on-error"], exitCode: 1, posts: 1 } as const;
    await engine().play({
      ...withLost,
      program: program + ofTable("lost"),
      faults: [lostReply],
    });
    await engine().play({
      ...withLost,
      program: program + ofTable("lost") + ofTable("fresh"),
      says: ['CachingJob "lost": nothing was sent. Its create is still unconfirmed'],
      state: { orders: {}, items: {}, lost: { outputs: { job: {} } }, fresh: { outputs: { job: { name: "FRESH" } } } },
    });
  });
});

describeWithEngine.each([classes, yaml])("An up that refreshes first: $name", (language) => {
  const engine = engineForEachTest({ language });

  /** Each way to refresh first must end like this, and again in the next run. */
  async function failsEachTime(says: readonly string[]) {
    const setOptions = (options: object) => {
      const path = join(engine().stack.folder, "Pulumi.yaml");
      const project = membersOf(parse(readFileSync(path, "utf8")));
      writeFileSync(path, JSON.stringify({ ...project, options }));
    };
    const older = { PULUMI_ENABLE_LEGACY_REFRESH_DIFF: "true" };
    for (const env of [{}, older]) await engine().play({ run: [...up, "--refresh"], env, exitCode: 1, says });
    setOptions({ refresh: "always" });
    await engine().play({ exitCode: 1, says });
    setOptions({});
  }

  test("fails for an unconfirmed create, and for a job at another address", async () => {
    const faults = [{ ...lostReply, processed: true }];
    await engine().play({ program: orders(), faults, exitCode: 1, posts: 1 });
    await failsEachTime(["is still unconfirmed (unconfirmed-"]);
    await engine().play({ program: orders({ existingJobId: "job-1" }) });
    await engine().play({ config: { "data-connectivity:baseUrl": otherService }, run: preview, exitCode: 1 });
    await failsEachTime([`baseUrl: ${service} → ${otherService}`]);
  });
});
