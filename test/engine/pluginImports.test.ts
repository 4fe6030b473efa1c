import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { inputs, urnOf } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { serviceAndStack, startStack } from "../support/startStack.js";

afterEach(stopAll);

const type = "data-connectivity:index:CachingJob";
const unprotected = ["--yes", "--protect=false", "--suppress-progress"];

describeWith(yaml)("One job that is imported twice", () => {
  test("is refused within one run, and else by the next run, and the job stays until no resource has it", async () => {
    const { service, stack, sent } = await serviceAndStack({ mode: "all" });
    const { id } = service.addJob(cachingBody("ORDERS"));
    const take = (name: string) => stack.run(["import", type, name, id, ...unprotected]);
    const names = () =>
      stack.state.resources.flatMap((saved) => (saved.type === type ? [saved.urn.split("::").pop()] : []));
    const hasIt = (name: string) => `CachingJob "${name}" of this stack already has job ${id}`;

    const file = { resources: ["orders", "sales"].map((name) => ({ type, name, id })) };
    writeFileSync(join(stack.folder, "import.json"), JSON.stringify(file));
    expect(await fails(stack.run(["import", "--file", "import.json", ...unprotected]))).toContain(
      "of this stack already has",
    );
    expect(names()).toEqual([]);

    // An import command asks the provider only about the imported job, and about nothing else in the state.
    await succeeds(take("orders"));
    await succeeds(take("sales"));
    const orders = job(inputs());
    stack.declare({ orders, sales: orders });
    const refused = await fails(stack.up());
    expect(refused).toContain("of this stack already has");
    expect(refused).toContain("pulumi state delete --force --yes '<urn>'");
    await succeeds(stack.run(["state", "delete", "--force", "--yes", urnOf("sales")]));
    stack.declare({ orders });
    await succeeds(stack.up());
    expect([names(), service.jobs.length]).toEqual([["orders"], 1]);

    await succeeds(take("sales"));
    expect(await succeeds(stack.up(["--refresh"]))).toContain(
      `another resource of this stack (CachingJob "orders") has job ${id}`,
    );
    expect([names(), service.jobs.length]).toEqual([["orders"], 1]);

    stack.declare({ orders, sales: job(inputs(), { import: id, dependsOn: ["${orders}"] }) });
    expect(await fails(stack.up())).toContain(hasIt("orders"));
    expect(names()).toEqual(["orders"]);

    // The other resource is not among the targets, but in the state.
    await succeeds(take("sales"));
    expect(await succeeds(stack.destroy(["--target", urnOf("sales")]))).toContain(
      `another resource of this stack (CachingJob "orders") has job ${id}`,
    );
    expect([names(), service.jobs.length]).toEqual([["orders"], 1]);
    await succeeds(take("sales"));
    stack.declare({ orders });
    expect(await succeeds(stack.up(["--target", urnOf("sales")]))).toContain(
      `another resource of this stack (CachingJob "orders") has job ${id}`,
    );
    expect([names(), service.jobs.length]).toEqual([["orders"], 1]);

    await succeeds(take("sales"));
    await succeeds(stack.destroy());
    expect([names(), service.jobs]).toEqual([[], []]);
    expect(new Set(sent())).toEqual(new Set(["DELETE"]));
  });
});

describeWith(yaml)("The jobs of a provider that the program declares", () => {
  test("are imported for that provider by the file that the command prints, and nothing is to change then", async () => {
    const service = await start({ token: "token-of-eu" });
    const stack = await startStack({
      language: yaml,
      env: { TOKEN_EU: service.token, DATA_CONNECTIVITY_TOKEN: "of another account" },
    });
    const eu = {
      ...provider({ baseUrl: service.baseUrl, jobOperations: "all" }),
      options: { envVarMappings: { TOKEN_EU: "DATA_CONNECTIVITY_TOKEN" } },
    };
    const ofEu = { provider: "${eu}" };
    const orders = job(inputs(), ofEu);
    stack.declare({ eu, orders });
    await succeeds(stack.up());
    expect(await succeeds(stack.shell("pulumi-data-connectivity doctor"))).toContain("All checks passed");
    service.addJob(cachingBody("ITEMS"));
    const jobs = "pulumi-data-connectivity jobs --at-service - --as-import";
    await succeeds(stack.shell(`pulumi stack export --show-secrets | ${jobs} > jobs.json`));
    await succeeds(stack.run(["import", "--file", "jobs.json", "--yes", "--skip-preview", "--protect=false"]));
    stack.declare({ eu, orders, items: job(inputs("ITEMS"), ofEu) });
    expect(await succeeds(stack.up(["--expect-no-changes"]))).toContain("4 unchanged");
    expect(service.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});
