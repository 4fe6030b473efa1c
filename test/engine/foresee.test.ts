import { cachingBody } from "../support/all/declarations.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { start, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { classes, describeWith, javascript, python, yaml, type Program } from "../support/plugin/languages.js";
import { urn } from "../support/scenarios/scenario.js";
import { pluginType } from "../../provider/src/hosts/engineNames.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { job, jobsOf, provider } from "../support/plugin/declared.js";
import { serviceAndStack, startStack } from "../support/startStack.js";

afterEach(stopAll);

describeWithEngine("The preview of the classes in mode all", () => {
  test("refuses what up would refuse, names the alias of a renamed resource, and passes a taint", async () => {
    const { service, stack, sent } = await serviceAndStack({ language: classes, mode: "all" });
    const preview = (program: Program) => {
      stack.declare(program);
      return stack.preview();
    };
    service.addJob(cachingBody("ITEMS"));
    await succeeds(preview(jobsOf(["ORDERS", "SALES"])));
    expect(sent()).toEqual([]);
    expect(await fails(preview(jobsOf(["ITEMS"])))).toContain("A job for this source exists already");

    const program = { a: job(inputs("ORDERS")), b: job(inputs("CUSTOMERS")) };
    stack.declare(program);
    await succeeds(stack.up());
    const { a, b } = program;
    const renamed = await fails(preview({ renamed: a, b }));
    expect(renamed).toContain('CachingJob "a" of this stack already has the job for this source');
    expect(renamed).toContain('aliases: [{ name: "a" }]');
    const shifted = await fails(preview({ a: b }));
    expect(shifted).toContain('CachingJob "b" of this stack already has the job for this source');

    stack.declare(program);
    await succeeds(stack.run(["state", "taint", urn("a"), "--yes"]));
    await succeeds(stack.run(["up", "--yes"]));
    expect(service.jobs).toHaveLength(3);
  });
});

describe.each([yaml, python])("The preview of the plugin in mode all, of a $name program,", (language) => {
  const testHere = language.isHere ? test : test.skip;
  testHere("refuses what up would refuse, and names the alias of a renamed resource", async () => {
    const { service, stack, sent } = await serviceAndStack({ language, mode: "all" });
    service.addJob(cachingBody("ITEMS"));
    stack.declare({ orders: job(inputs("NOWHERE")) });
    expect(await succeeds(stack.preview())).toContain('the service lists no table "NOWHERE" in schema "PUBLIC"');
    stack.declare({ items: job(inputs("ITEMS")), orders: job(inputs("NOWHERE")) });
    const refused = await fails(stack.preview());
    expect(refused).toContain("A job for this source exists already");
    expect(sent()).toEqual([]);

    const orders = job(inputs("ORDERS"));
    stack.declare({ orders });
    await succeeds(stack.up(["--skip-preview"]));
    stack.declare({ renamed: orders });
    for (const run of [() => stack.preview(), () => stack.up(["--skip-preview"])])
      expect(await fails(run())).toContain('aliases: [{ name: "orders" }]');
  });
});

describeWith(javascript)("The preview of a component of 40 jobs that was renamed", () => {
  test.each([
    // The classes record the new names.
    ["the classes", "pulumi-data-connectivity", "40 updated"],
    ["the plugin", "pulumi-data-connectivity-sdk", "42 unchanged"],
  ])("names the component's alias, with which nothing is sent: %s", async (_host, sdk, says) => {
    const { service, stack, sent } = await serviceAndStack({ language: javascript, mode: "all" });
    const declare = (name: string, options: object = {}) => {
      stack.setProgram(`const { ComponentResource } = require("@pulumi/pulumi");
        const { CachingJob } = require("${sdk}");
        const parent = new ComponentResource("x:index:Team", "${name}", {}, ${JSON.stringify(options)});
        const job = ${JSON.stringify(inputs())};
        for (let n = 1; n <= 40; n += 1)
          new CachingJob("${name}-" + n, { ...job, params: { ...job.params, sourceTable: "T" + n } }, { parent });`);
    };
    declare("sales");
    await succeeds(stack.up(["--skip-preview"]));
    expect(sent()).toHaveLength(40);
    declare("trade");
    const refused = await fails(stack.preview());
    expect(refused).toContain('add to the component\'s options: aliases: [{ name: "sales" }]');
    declare("trade", { aliases: [{ name: "sales" }] });
    expect(await succeeds(stack.up())).toContain(says);
    expect([sent(), service.jobs.length]).toEqual([[], 40]);
  });
});

const type = pluginType(cachingJob).replace(":index", "");

describeWith(yaml)("A job that the program reads by its id", () => {
  test("is not deleted by the run that turns its resource into a get, whatever its provider and account form", async () => {
    const service = await start();
    const { baseUrl, token } = service;
    const stack = await startStack({ language: yaml });
    const all = { baseUrl, token: { "fn::secret": token }, jobOperations: "all" };
    const providers = { p1: provider(all), p2: provider({ ...all, accounts: { eu: { baseUrl, token } } }) };
    const protectedJob = job(inputs("ORDERS"), { provider: "${p1}" });
    stack.declare({ ...providers, orders: protectedJob });
    await succeeds(stack.up());
    const [{ id } = { id: "" }] = service.jobs;
    stack.declare({ ...providers, seen: { type, get: { id: `eu/${id}` }, options: { provider: "${p2}" } } });
    await succeeds(stack.up());
    expect(service.jobs).toHaveLength(1);
  });

  test("keeps its own id under its own name", async () => {
    const { service, stack } = await serviceAndStack({ mode: "all" });
    const { baseUrl, token } = service;
    await stack.setConfig({ "data-connectivity:accounts": { secret: JSON.stringify({ eu: { baseUrl, token } }) } });
    const properties = inputs("ORDERS", { account: "eu" });
    stack.declare({ orders: job(properties, { protect: true }) });
    await succeeds(stack.up());
    const [{ id } = { id: "" }] = service.jobs;
    stack.declare({ orders: { type, get: { id: `eu/${id}` } } });
    await succeeds(stack.up());
    await succeeds(stack.up(["--refresh"]));
    expect(service.jobs).toHaveLength(1);
    expect(stack.state.resources.filter((saved) => saved.urn.endsWith("::orders"))).toMatchObject([{ id }]);
  });

  test("does not take the place of a resource with another job, which the engine would forget", async () => {
    const { service, stack, sent } = await serviceAndStack({ mode: "all" });
    stack.declare({ orders: job(inputs("ORDERS")) });
    await succeeds(stack.up());
    const [{ id } = { id: "" }] = service.jobs;
    const other = service.addJob(cachingBody("ITEMS"));
    stack.declare({ orders: { type, get: { id: other.id } } });
    sent();
    for (const run of [() => stack.preview(), () => stack.up(["--skip-preview"])])
      expect(await fails(run())).toContain(`the state has job ${id} under this name`);
    expect(sent()).toEqual([]);
    expect(stack.state.resources.filter((saved) => saved.urn.endsWith("::orders"))).toMatchObject([{ id }]);
  });
});
