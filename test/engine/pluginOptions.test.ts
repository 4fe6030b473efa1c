import type { JsonObject } from "../../provider/src/json.js";
import { stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { job } from "../support/plugin/declared.js";
import { inputs, urnOf } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

const afterOrders = { dependsOn: ["${orders}"] };

/** A stack with three jobs, each created by a run of its own, and with a changed declaration. */
async function threeJobs(mode: string) {
  const { service, stack } = await serviceAndStack({ mode });
  const tables = new Map<string, string>();
  let seen = 0;
  /** The requests since the last call, except reads: the method and, unless it is a create, the table of the job. */
  const sent = () => {
    for (const { id, name } of service.jobs) tables.set(id, name);
    const requests = service.requests.slice(seen).filter(({ method }) => method !== "GET");
    seen = service.requests.length;
    return requests.map(({ method, path }) => [method, tables.get(path.split("/")[3] ?? "")].join(" ").trim()).sort();
  };
  const declare = (jobs: Readonly<Record<string, JsonObject>>, intervalValue = 4) => {
    const declared = Object.entries(jobs).map(
      ([name, options]) => [name, job(inputs(name.toUpperCase(), { intervalValue }), options)] as const,
    );
    stack.declare(Object.fromEntries(declared));
  };
  /** Runs `pulumi up`, which must send exactly these requests. */
  const upSends = async (args: readonly string[], ...requests: readonly string[]) => {
    await succeeds(stack.up(args));
    expect(sent()).toEqual(requests);
  };
  const jobs = { orders: {}, items: {}, prices: afterOrders };
  declare(jobs);
  await upSends(["--target", urnOf("orders")], "POST");
  await upSends(["--exclude", urnOf("items")], "POST");
  await upSends([], "POST");
  declare(jobs, 5);
  return { service, stack, jobs, sent, upSends, declare };
}

const unchanged = ["--expect-no-changes"];

describeWith(yaml)("With the plugin, the engine's options of a command and of a resource", () => {
  test("touch in mode all the jobs that they name, and no other one", async () => {
    const { service, stack, jobs, sent, upSends, declare } = await threeJobs("all");
    await upSends(["--target", urnOf("orders")], "PUT ORDERS");
    declare(jobs, 6);
    await upSends(["--target", urnOf("orders"), "--target-dependents"], "PUT ORDERS", "PUT PRICES");
    await upSends(["--exclude", urnOf("orders")], "PUT ITEMS");
    await succeeds(stack.destroy(["--target", urnOf("orders"), "--target-dependents"]));
    expect(sent()).toEqual(["DELETE ORDERS", "DELETE PRICES"]);

    const items = { ignoreChanges: ["intervalValue"] };
    declare(
      {
        items,
        orders: { replaceOnChanges: ["intervalValue"] },
        prices: { protect: true },
        stores: { retainOnDelete: true },
      },
      6,
    );
    await upSends([], "POST", "POST", "POST");
    declare({ items, orders: { replaceOnChanges: ["intervalValue"] }, prices: { protect: true } }, 7);
    await upSends([], "DELETE ORDERS", "POST", "PUT PRICES");
    declare({ items, orders: {} }, 7);
    expect(await fails(stack.up())).toContain("protect");
    expect(sent()).toEqual([]);
    stack.declare({
      sales: job(inputs("ORDERS", { intervalValue: 7 }), { aliases: [{ name: "orders" }] }),
      items: job(inputs("ITEMS", { intervalValue: 6 })),
      prices: job(inputs("PRICES", { intervalValue: 7 })),
    });
    await upSends([]);

    expect(await fails(stack.up(["--replace", urnOf("sales")]))).toContain("deleteBeforeReplace: true");
    expect(sent()).toEqual([]);
    declare({ prices: { deleteBeforeReplace: true }, items: { deletedWith: "${prices}" } }, 7);
    await upSends(["--replace", urnOf("prices")], "DELETE ORDERS", "DELETE PRICES", "POST", "PUT ITEMS");
    await succeeds(stack.preview(unchanged));
    declare({});
    // The engine does not call the plugin for a job that is deleted with another resource.
    await succeeds(stack.up());
    expect([sent(), service.jobs.map(({ name }) => name)]).toEqual([["DELETE PRICES"], ["ITEMS", "STORES"]]);
  });

  test("touch in mode create no job at all, but those that they create", async () => {
    const { service, stack, sent, declare } = await threeJobs("create");
    const refused = await fails(stack.up(["--target", urnOf("orders")]));
    expect(refused).toContain('CachingJob "orders": the declaration differs');
    expect(refused).not.toContain("items");
    expect(await fails(stack.up(["--exclude", urnOf("orders")]))).toContain(
      'CachingJob "items": the declaration differs',
    );
    const ignored = { ignoreChanges: ["intervalValue"] };
    declare({ orders: ignored, items: ignored, prices: { ...ignored, ...afterOrders } }, 5);
    await succeeds(stack.preview(unchanged));
    expect(await fails(stack.destroy(["--target", urnOf("orders"), "--target-dependents"]))).toContain(
      "documents no way to delete a job",
    );

    stack.declare({
      sales: job(inputs("ORDERS"), { aliases: [{ name: "orders" }], protect: true }),
      items: job(inputs("ITEMS"), { retainOnDelete: true }),
      prices: job(inputs("PRICES"), { deletedWith: "${sales}" }),
    });
    await succeeds(stack.up());
    stack.declare({});
    expect(await fails(stack.up())).toContain("protect");
    stack.declare({
      sales: job(inputs("ORDERS")),
      prices: job(inputs("PRICES"), { deletedWith: "${sales}" }),
    });
    expect(await succeeds(stack.up())).toContain("items delete[retain]");
    stack.declare({});
    expect(await fails(stack.up())).toContain('CachingJob "sales": the service documents no way to delete a job');
    expect([sent(), service.jobs.length]).toEqual([[], 3]);
  });
});
