import { describeWithEngine } from "../support/describeWithEngine.js";
import { Lab, token } from "../support/engineFixture.js";
import { job, otherService, service, type Step } from "../support/scenarios/scenario.js";

jest.setTimeout(240_000);

const saying = (text: string) => expect.stringContaining(text) as unknown;
const listing = { method: "GET", path: "/api/poweredby/sources/list" };

const program = (ofItems: string, ofList = "eu"): string => `
  class Team extends pulumi.ComponentResource {
    constructor(name) {
      super("x:index:Team", name);
      job("items", { ${ofItems} }, { parent: this });
    }
  }
  ${job("orders")}
  new Team("team");
  module.exports = getDataSources({ account: "${ofList}" }).then(({ dataSources }) => ({ count: dataSources.length }));`;

describeWithEngine("Several accounts in one program", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start({
      config: { "data-connectivity:accounts.eu.baseUrl": otherService },
      env: { DATA_CONNECTIVITY_TOKEN_EU: token },
    });
  });
  afterAll(() => lab.stop());

  test("make each job at its own service, with one list for each account", async () => {
    const made = await lab.up(program('account: "eu"'));
    expect(made).toMatchObject({ exitCode: 0, posts: 2 });
    // The provider asks each account before its first create, the program asks its own.
    expect(made.requests.filter(({ method }) => method === "GET")).toEqual([listing, listing, listing]);
    expect(lab.services.map(({ jobs }) => jobs.length)).toEqual([1, 1]);
    expect(lab.jobs()).toMatchObject({
      orders: { id: "job-1", outputs: { origin: { baseUrl: service } } },
      items: { id: "job-x1", outputs: { origin: { baseUrl: otherService, account: "eu" } } },
    });
  });

  test("are no way to move a job: refused at preview, and never by a refresh", async () => {
    const moved = await lab.preview(program(""));
    expect(moved).toMatchObject({ exitCode: 1, output: saying("account: eu → none") });
    expect(moved.output).toContain(`baseUrl: ${otherService} → ${service}`);
    const refreshed = await lab.run(["refresh", "--yes", "--skip-preview", "--run-program"]);
    expect(refreshed).toMatchObject({ exitCode: 0, posts: 0 });
    const unnamed = await lab.run(["refresh", "--yes", "--skip-preview"], { env: { DATA_CONNECTIVITY_TOKEN_EU: "" } });
    expect(unnamed).toMatchObject({ exitCode: 0, posts: 0 });
  });

  test("are refused by the name of one that no setting knows", async () => {
    const declared = await lab.preview(program('account: "us"'));
    expect(declared).toMatchObject({
      exitCode: 1,
      output: saying('No setting knows the account "us". Set it: pulumi'),
    });
    const listed = await lab.preview(program('account: "eu"', "us"));
    expect(listed).toMatchObject({ exitCode: 1, output: saying("error: No setting knows the account") });
  });
});

/** A run of two jobs of which one constant says where they are. */
const both = (text: string): string =>
  `const changedAtService = ${text}; job("orders", { changedAtService }); job("items", { changedAtService, params: params({ sourceTable: "ITEMS" }) });`;

describeWithEngine("A move of the whole service to another address", () => {
  test("is one shared constant in the program", async () => {
    const lab = await Lab.start();
    try {
      await lab.up(both("undefined"));
      const config: Step["config"] = { "data-connectivity:baseUrl": otherService };
      expect(await lab.up(both("undefined"), [], { config })).toMatchObject({ exitCode: 1, posts: 0 });
      const moved = await lab.up(both('"moved to the other service"'));
      expect(moved).toMatchObject({ exitCode: 0, posts: 0, output: saying("2 updated") });
      const place = { outputs: { origin: { outcome: "created", baseUrl: otherService } } };
      expect(lab.jobs()).toMatchObject({ orders: place, items: place });
      const back = { "data-connectivity:baseUrl": service };
      expect(await lab.preview(both('"moved to the other service"'), [], { config: back })).toMatchObject({
        exitCode: 1,
      });
    } finally {
      await lab.stop();
    }
  });
});
