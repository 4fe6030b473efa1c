import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, token } from "../support/engineFixture.js";
import { inComponent, job, otherService, preview, refresh, service } from "../support/scenarios/scenario.js";

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
    const state = {
      orders: { id: "job-1", outputs: { origin: { baseUrl: service } } },
      items: { id: "job-x1", outputs: { origin: { baseUrl: otherService, account: "eu" } } },
    };
    const { requests } = await engine().play({ program: program('account: "eu"'), posts: 2, state });
    // Two list calls are by the provider, before its first create at each account; the third is by the program, to `eu`.
    expect(requests.filter(({ method }) => method === "GET")).toEqual([listCall, listCall, listCall]);
    expect(engine().services.map(({ jobs }) => jobs.length)).toEqual([1, 1]);
  });

  test("do not move a job: a change of the account is refused at preview, and refresh ignores it", async () => {
    const says = ["account: eu → none", `baseUrl: ${otherService} → ${service}`];
    await engine().play({ program: program(""), run: preview, exitCode: 1, says });
    await engine().play({ run: [...refresh, "--run-program"] });
    await engine().play({ run: refresh, env: { DATA_CONNECTIVITY_TOKEN_EU: "" } });
  });

  test.each([
    ["us", "eu", 'CachingJob "items": No setting names the account "us". Set its credentials: pulumi'],
    ["eu", "us", "error: getDataSources: No setting names the account"],
  ])("refuse an account that no setting names: %s of the job, %s of the list", async (ofItems, ofList, text) => {
    const named = program(`account: "${ofItems}"`, ofList);
    await engine().play({ program: named, run: preview, exitCode: 1, says: [text] });
  });
});
