import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, engineForEachTest, token } from "../support/engineFixture.js";
import { jwt } from "../support/jwt.js";
import { classes, yaml } from "../support/plugin/languages.js";
import {
  caching,
  inComponent,
  job,
  ofTable,
  orders,
  otherService,
  preview,
  refresh,
  service,
} from "../support/scenarios/scenario.js";

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

const ofToken = (secret: string) => ({ "data-connectivity:token": { secret } });
const tokenOf = (sub: string) => ofToken(jwt({ iss: "https://login.example.com", sub }));

describeWithEngine.each([classes, yaml])("A token of another account: $name", (language) => {
  const engine = engineForEachTest({ language, config: tokenOf("one"), acceptToken: () => true });
  const state = { orders: { id: "job-1" } };

  test.each(["create", "all"])("makes no job, and its lists prove nothing, in mode %s", async (mode) => {
    const withMode = { "data-connectivity:jobOperations": mode, "data-connectivity:subject": "two" };
    const refused = { exitCode: 1, requests: [] } as const;
    const says = ['has the subject "one", but data-connectivity:subject is "two"'];
    await engine().play({ ...refused, program: orders(), config: withMode, run: preview, says });
    await engine().play({ ...refused, says, state: {} });
    await engine().play({ run: ["config", "rm", "data-connectivity:subject"] });
    await engine().play({ posts: 1, state });

    const more = { ...orders(), items: caching(ofTable("ITEMS")) };
    const differs = ["the issuer or subject differs"];
    await engine().play({ ...refused, program: more, config: tokenOf("two"), says: differs, state });

    const gone = { atService: { job: "job-1", removed: true }, run: [...refresh, "--run-program"], state } as const;
    const proves = mode === "all" ? ({ exitCode: 1, says: ["The job does not count as gone"] } as const) : {};
    await engine().play({ program: orders(), config: ofToken("opaque"), ...gone, ...proves });
  });
});
