import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, token } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { inComponent, job, otherService, service, type Step } from "../support/scenarios/scenario.js";

const listCall = { method: "GET", path: "/api/poweredby/sources/list" };

const program = (ofItems: string, ofList = "eu"): string => `
  ${job("orders")}
  ${inComponent("", job("items", ofItems, "parent"))}
  module.exports = getDataSources({ account: "${ofList}" }).then(({ dataSources }) => ({ count: dataSources.length }));`;

describeWithEngine("Several accounts in one program", () => {
  const engine = engineForAllTests({
    config: { "data-connectivity:accounts.eu.baseUrl": otherService },
    env: { DATA_CONNECTIVITY_TOKEN_EU: token },
  });

  test("create each job at its own service, with one list call for each account", async () => {
    const made = await engine().up(program('account: "eu"'));
    expect(made).toMatchObject({ exitCode: 0, posts: 2 });
    // Two list calls are by the provider, before its first create at each account; the third is by the program, to `eu`.
    expect(made.requests.filter(({ method }) => method === "GET")).toEqual([listCall, listCall, listCall]);
    expect(engine().services.map(({ jobs }) => jobs.length)).toEqual([1, 1]);
    expect(engine().jobs()).toMatchObject({
      orders: { id: "job-1", outputs: { origin: { baseUrl: service } } },
      items: { id: "job-x1", outputs: { origin: { baseUrl: otherService, account: "eu" } } },
    });
  });

  test("do not move a job: a change of the account is refused at preview, and refresh ignores it", async () => {
    const moved = await engine().preview(program(""));
    expect(moved).toMatchObject({ exitCode: 1, output: saying("account: eu → none") });
    expect(moved.output).toContain(`baseUrl: ${otherService} → ${service}`);
    const refreshed = await engine().run(["refresh", "--yes", "--skip-preview", "--run-program"]);
    expect(refreshed).toMatchObject({ exitCode: 0, posts: 0 });
    const unnamed = await engine().run(["refresh", "--yes", "--skip-preview"], {
      env: { DATA_CONNECTIVITY_TOKEN_EU: "" },
    });
    expect(unnamed).toMatchObject({ exitCode: 0, posts: 0 });
  });

  test("refuse an account that no setting names", async () => {
    const declared = await engine().preview(program('account: "us"'));
    expect(declared).toMatchObject({
      exitCode: 1,
      output: saying('CachingJob "items": No setting names the account "us". Set its credentials: pulumi'),
    });
    const listed = await engine().preview(program('account: "eu"', "us"));
    expect(listed).toMatchObject({
      exitCode: 1,
      output: saying("error: getDataSources: No setting names the account"),
    });
  });
});

/** Two jobs that share one constant for changedAtService. */
const both = (text: string): string =>
  `const changedAtService = ${text}; job("orders", { changedAtService }); job("items", { changedAtService, params: params({ sourceTable: "ITEMS" }) });`;

describeWithEngine("A move of the whole service to another address", () => {
  const engine = engineForAllTests();

  test("is recorded for all jobs by one shared changedAtService", async () => {
    await engine().up(both("undefined"));
    const config: Step["config"] = { "data-connectivity:baseUrl": otherService };
    expect(await engine().up(both("undefined"), [], { config })).toMatchObject({ exitCode: 1, posts: 0 });
    const moved = await engine().up(both('"moved to the other service"'));
    expect(moved).toMatchObject({ exitCode: 0, posts: 0, output: saying("2 updated") });
    const place = { outputs: { origin: { outcome: "created", baseUrl: otherService } } };
    expect(engine().jobs()).toMatchObject({ orders: place, items: place });
    const back = { "data-connectivity:baseUrl": service };
    expect(await engine().preview(both('"moved to the other service"'), [], { config: back })).toMatchObject({
      exitCode: 1,
    });
  });
});
