import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachingBody } from "../support/all/declarations.js";
import { stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

describeWith(yaml)("One job, without a program", () => {
  test("is listed, changed and deleted by pulumi do, and a dry run sends nothing", async () => {
    const { service, stack, sent } = await serviceAndStack();
    const [{ id }] = [service.addJob(cachingBody("ORDERS")), service.addJob(cachingBody("ITEMS"))];
    writeFileSync(join(stack.folder, "all.pp"), 'jobOperations = "all"\n');
    const plugin = join(stack.folder, "plugin/pulumi-resource-data-connectivity");
    const run = (...args: string[]) =>
      stack.run(["do", "--package", plugin, "data-connectivity:index:CachingJob", ...args, "--stateless"]);
    const all = ["--provider-file", "all.pp"];

    expect(JSON.parse(await succeeds(run("list", "--source-table", "ORDERS", ...all)))).toEqual([
      { id, name: "ORDERS" },
    ]);
    const patch = ["patch", id, "--interval-value", "9"];
    expect(await succeeds(run(...patch, "--dry-run", ...all))).toContain("~ intervalValue: 4 => 9");
    await run("delete", id, "--dry-run", ...all);
    expect(await fails(run("delete", id, "--yes"))).toContain("documents no way to read a job");
    expect(sent()).toEqual([]);

    await succeeds(run(...patch, "--yes", ...all));
    expect(service.jobs).toMatchObject([{ id, intervalValue: 9 }, {}]);
    await succeeds(run("delete", id, "--yes", ...all));
    expect(service.jobs).toMatchObject([{ params: { sourceTable: "ITEMS" } }]);
    expect(sent()).toEqual(["PUT", "DELETE"]);
  });
});
