import { cachingBody } from "../support/all/declarations.js";
import { posts, settingsFor, start, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { jwt } from "../support/jwt.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, javascript, yaml, type Program } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { serviceAndStack, startStack } from "../support/startStack.js";

const all = { jobOperations: "all" };
const [byP1, byP2] = [{ provider: "${p1}" }, { provider: "${p2}" }];

afterEach(stopAll);

describeWith(yaml)("Two providers of one account", () => {
  const providers = { p1: provider(all), p2: provider(all) };
  test("keep a job that the one lets go and the other adopts in the same run", async () => {
    const { service, stack } = await serviceAndStack();
    stack.declare({ ...providers, orders: job(inputs(), byP1) });
    await succeeds(stack.up());
    const existingJobId = service.jobs[0]?.id ?? "";
    stack.declare({ ...providers, sales: job(inputs("ORDERS", { existingJobId }), byP2) });
    await succeeds(stack.up());
    expect(service.jobs.map(({ id }) => id)).toEqual([existingJobId]);
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
    expect(posts(service.requests)).toBe(1);
  });

  test("do not both adopt one job", async () => {
    const { service, stack } = await serviceAndStack();
    const { id } = service.addJob(cachingBody("ORDERS"));
    const adopting = inputs("ORDERS", { existingJobId: id });
    stack.declare({ ...providers, one: job(adopting, byP1), two: job(adopting, byP2) });
    expect(await fails(stack.up(["--skip-preview"]))).toContain(`of this stack already has job ${id}`);
  });

  test.each(["with --refresh", "with refresh: always", "without a refresh"])(
    "take a job from each other in the run in which it is renamed, replaced or adopted: %s",
    async (how) => {
      const { service, stack, sent } = await serviceAndStack();
      if (how === "with refresh: always")
        stack.edit = (text) => text.replace("{", '{ "options": { "refresh": "always" },');
      const up = (more: readonly string[] = []) =>
        stack.up([...(how === "with --refresh" ? ["--refresh"] : []), ...more]);
      const declare = (resources: Program) => {
        stack.declare({ ...providers, ...resources });
      };
      declare({ orders: job(inputs(), byP1) });
      await succeeds(up());
      expect(sent()).toEqual(["POST"]);
      const renamed = { ...byP2, aliases: [{ name: "orders" }] };
      declare({ sales: job(inputs(), renamed) });
      expect(await succeeds(up())).toContain("4 unchanged");
      const replaced = { ...byP1, aliases: [{ name: "sales" }], replaceOnChanges: ["intervalValue"] };
      declare({ orders: job(inputs("ORDERS", { intervalValue: 6 }), replaced) });
      expect(await succeeds(up())).toContain("1 replaced");
      expect([sent(), service.jobs]).toMatchObject([["DELETE", "POST"], [{ intervalValue: 6 }]]);
      const adopting = inputs("ORDERS", { intervalValue: 6, existingJobId: service.jobs[0]?.id ?? "" });
      declare({ sales: job(adopting, byP2) });
      await succeeds(up());
      expect([sent(), service.jobs.length]).toEqual([[], 1]);
    },
  );
});

describeWith(yaml)("An explicit provider", () => {
  test("uses its own address and token, and not those of the environment or of another one", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    const stack = await startStack({
      language: yaml,
      env: { ...settingsFor(first), DATA_CONNECTIVITY_TOKEN: "of the environment" },
    });
    const at = ({ baseUrl, token }: typeof first, more = {}) => provider({ baseUrl, token, ...all, ...more });
    const jobs = { orders: job(inputs(), byP1), items: job(inputs("ITEMS"), byP2) };
    stack.declare({ p1: at(first), p2: at(second), ...jobs });
    await succeeds(stack.up());
    expect([first, second].map((service) => service.jobs.map(({ name }) => name))).toEqual([["ORDERS"], ["ITEMS"]]);
    const state = stack.stateText();
    expect([first, second].map(({ token }) => state.includes(token))).toEqual([false, false]);

    stack.declare({ p1: at(first, { timeoutSeconds: 30 }), p2: at(second, { token: "another" }), ...jobs });
    expect(await succeeds(stack.up())).toMatch(/~ 2 updated\s+3 unchanged/);

    stack.declare({ p1: at(second), p2: at(second), ...jobs });
    const moved = await fails(stack.preview());
    expect(moved).toContain(`baseUrl: ${first.baseUrl} → ${second.baseUrl}`);
    expect(moved).not.toContain("replace");

    stack.declare({ p1: at(first, { baseUrl: "x" }), p2: at(second), ...jobs });
    const malformed = await fails(stack.preview());
    expect(malformed).toContain('the provider\'s input "baseUrl" is');
    expect(malformed).not.toContain("pulumi config");
    expect([first, second].map(({ requests }) => posts(requests))).toEqual([1, 1]);
  });
});

describeWith(yaml)("Two providers of two accounts at one address", () => {
  test.each(["create", "all"])("pass no job from one to the other in mode %s: the preview refuses it", async (mode) => {
    const { service, stack } = await serviceAndStack({ acceptToken: () => true });
    const of = (sub: string) =>
      provider({ jobOperations: mode, token: jwt({ iss: "https://login.example.com", sub }) });
    const providers = { p1: of("one"), p2: of("two") };
    stack.declare({ ...providers, orders: job(inputs(), byP1) });
    await succeeds(stack.up());
    const { length } = service.requests;
    stack.declare({ ...providers, orders: job(inputs(), byP2) });
    for (const command of ["preview", "up"] as const)
      expect(await fails(stack[command](command === "up" ? ["--skip-preview"] : []))).toContain(
        "account: that of the token that last saw the job → another one",
      );
    expect(service.requests).toHaveLength(length);
    stack.declare({ ...providers, orders: job(inputs(), byP1) });
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
  });
});

describeWith(yaml)("An import", () => {
  test("takes a job of another account by the account's name, and one of an explicit provider by the provider", async () => {
    const [own, other] = await Promise.all([start(), start()]);
    const stack = await startStack({
      language: yaml,
      config: {
        "data-connectivity:jobOperations": "all",
        "data-connectivity:accounts.eu.baseUrl": other.baseUrl,
      },
      env: { ...settingsFor(own), DATA_CONNECTIVITY_TOKEN_EU: other.token },
    });
    const [orders, items] = ["ORDERS", "ITEMS"].map((table) => other.addJob(cachingBody(table)).id);
    const type = "data-connectivity:index:CachingJob";
    const take = (name: string, id: string, more: readonly string[] = []) =>
      stack.run(["import", type, name, id, "--yes", "--protect=false", "--suppress-progress", ...more]);

    await succeeds(take("orders", `eu/${orders ?? ""}`));
    const p1 = provider({ baseUrl: other.baseUrl, token: other.token, ...all });
    stack.declare({ p1, orders: job(inputs("ORDERS", { account: "eu" })) });
    await succeeds(stack.up());
    const { resources } = stack.state;
    const urn = resources.find(({ urn: each }) => each.endsWith("::p1"))?.urn ?? "";
    await succeeds(take("items", items ?? "", ["--provider", `p1=${urn}`]));
    stack.declare({ p1, orders: job(inputs("ORDERS", { account: "eu" })), items: job(inputs("ITEMS"), byP1) });
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
    expect([own, other].map(({ requests }) => posts(requests))).toEqual([0, 0]);
  });
});

describeWith(javascript)("The classes and the plugin in one program", () => {
  test("leave a job that the one lets go and the other adopts", async () => {
    const { service, stack } = await serviceAndStack({ language: javascript, mode: "all" });
    const run = (text: string) => {
      const preamble =
        'const classes = require("pulumi-data-connectivity"); const sdk = require("pulumi-data-connectivity-sdk");';
      stack.setProgram(`${preamble}\n${text}`);
      return stack.up(["--skip-preview"]);
    };
    const declared = JSON.stringify(inputs());
    await succeeds(run(`new classes.CachingJob("orders", ${declared});`));
    const existingJobId = service.jobs[0]?.id ?? "";
    const adopted = JSON.stringify(inputs("ORDERS", { existingJobId }));
    await succeeds(run(`new sdk.CachingJob("sales", ${adopted});`));
    expect(service.jobs.map(({ id }) => id)).toEqual([existingJobId]);
    await succeeds(run(`new classes.CachingJob("orders", ${adopted});`));
    expect(service.jobs.map(({ id }) => id)).toEqual([existingJobId]);
    expect(posts(service.requests)).toBe(1);
  });
});
