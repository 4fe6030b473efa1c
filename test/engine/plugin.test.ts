import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachingBody } from "../support/all/declarations.js";
import { posts, stopAll } from "../support/emulated.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { javascript, python, yaml } from "../support/plugin/languages.js";
import { fails, job, jobsOf, succeeds } from "../support/plugin/pluginStack.js";
import { serviceAndStack } from "../support/startStack.js";

const secretTable = { "fn::secret": "HUSH" };
const type = "data-connectivity:index:CachingJob";
const unprotected = ["--yes", "--protect=false", "--suppress-progress"];

describe.each([yaml, python, javascript])("With the plugin a $name program", (language) => {
  const testHere = language.isHere ? test : test.skip;
  afterEach(stopAll);

  testHere("of mode all creates a job, changes it, repairs drift, and deletes it", async () => {
    const { stack, service } = await serviceAndStack({ language, mode: "all" });
    const seen = () => service.jobs.map(({ intervalValue }) => intervalValue);

    stack.declare({ orders: job(inputs(secretTable)) });
    await succeeds(stack.up());
    stack.declare({ orders: job(inputs(secretTable, { intervalValue: 6 })) });
    expect(await succeeds(stack.up(["--diff"]))).toContain("~ intervalValue: 4 => 6");
    expect(seen()).toEqual([6]);

    service.changeJob(service.jobs[0]?.id ?? "", { intervalValue: 9 });
    expect(await succeeds(stack.refresh(["--diff"]))).toContain("~ intervalValue: 6 => 9");
    await succeeds(stack.up());
    expect(seen()).toEqual([6]);
    expect(stack.stateText()).not.toContain("HUSH");

    await succeeds(stack.destroy());
    expect(service.jobs).toEqual([]);
    expect(posts(service.requests)).toBe(1);
  });

  testHere(
    "of mode all imports jobs by command, by file and by option, and declares them without a change",
    async () => {
      const { stack, service } = await serviceAndStack({ language, mode: "all" });
      const ids = ["ORDERS", "ITEMS", "PRICES", "STORES"].map((table) => service.addJob(cachingBody(table)).id);
      const [orders = "", items = "", prices = "", stores = ""] = ids;

      await succeeds(stack.run(["import", type, "orders", orders, "--out", "imported.txt", ...unprotected]));
      stack.declareImported(readFileSync(join(stack.folder, "imported.txt"), "utf8"));
      expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
      const file = { resources: [{ type, name: "items", id: items }] };
      writeFileSync(join(stack.folder, "import.json"), JSON.stringify(file));
      await succeeds(stack.run(["import", "--file", "import.json", ...unprotected]));
      const imported = { orders: job(inputs("ORDERS")), items: job(inputs("ITEMS")) };
      stack.declare({
        ...imported,
        prices: job(inputs("PRICES"), { import: prices }),
        stores: job(inputs("STORES", { intervalValue: 6 }), { import: stores }),
      });
      const output = await succeeds(stack.up());
      expect(output).toMatch(/1 updated\s+= 2 imported/);
      stack.declare({
        ...imported,
        prices: job(inputs("PRICES")),
        stores: job(inputs("STORES", { intervalValue: 6 })),
      });
      expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("5 unchanged");
      expect(posts(service.requests)).toBe(0);
    },
  );

  testHere(
    "of mode all that is interrupted by Ctrl-C sends no create that waits, and goes on in the next run",
    async () => {
      const { stack, service, watch } = await serviceAndStack({ language, mode: "all", delayMs: 300 });
      const tables = Array.from({ length: 10 }, (_, n) => `table${n}`);
      stack.declare(jobsOf(tables));
      const up = stack.spawn(["up", "--yes", "--skip-preview", "--suppress-progress"]);
      const interrupted = fails(up.finished);
      await Promise.race([watch.until(() => posts(service.requests) > 0), interrupted]);
      up.kill("SIGINT");
      expect(await interrupted).toContain("The run was cancelled. No job was created: the create was not sent.");
      expect(posts(service.requests)).toBe(1);
      expect(stack.state.pending_operations).toEqual([]);
      expect(stack.state.resources.filter((saved) => saved.type === type)).toHaveLength(1);
      await succeeds(stack.up());
      expect([posts(service.requests), service.jobs.length]).toEqual([10, 10]);
    },
  );

  testHere("of mode create refuses a change, and records, refuses and resolves an unconfirmed create", async () => {
    const faults = [{ kind: "reply", on: "create", status: 503, processed: true }] as const;
    const { stack, service } = await serviceAndStack({ language, faults });
    const options = { protect: true, retainOnDelete: true };

    stack.declare({ orders: job(inputs(), options) });
    expect(await fails(stack.up())).toContain("unconfirmed");
    expect(await fails(stack.up(["--skip-preview"]))).toContain("nothing was sent");

    const existingJobId = service.jobs[0]?.id ?? "";
    stack.declare({ orders: job(inputs("ORDERS", { existingJobId }), options) });
    await succeeds(stack.up());
    stack.declare({ orders: job(inputs("ITEMS", { existingJobId }), options) });
    expect(await fails(stack.preview())).toContain("params.sourceTable");
    expect(posts(service.requests)).toBe(1);
  });
});
