import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachingBody } from "../support/all/declarations.js";
import { posts, stopAll } from "../support/emulated.js";
import { succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, javascript, python, yaml } from "../support/plugin/languages.js";
import { job } from "../support/plugin/declared.js";
import { serviceAndStack } from "../support/startStack.js";

const secretTable = { "fn::secret": "HUSH" };
const type = "data-connectivity:index:CachingJob";
const unprotected = ["--yes", "--protect=false", "--suppress-progress"];

afterEach(stopAll);

// The scenarios have YAML, pluginMoves.test.ts has JavaScript, and examplesWithPlugin.test.ts has Go, with the SDK that the
// CLI makes.
describeWith(python)("With the plugin a Python program of mode all", () => {
  test("creates a job, changes it, repairs drift, and deletes it", async () => {
    const { stack, service } = await serviceAndStack({ language: python, mode: "all" });
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
});

describe.each([yaml, python, javascript])("With the plugin a $name program of mode all", (language) => {
  const testHere = language.isHere ? test : test.skip;

  testHere("imports jobs by command, by file and by option, and declares them without a change", async () => {
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
  });
});
