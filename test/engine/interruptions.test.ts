import { membersOf, type JsonObject } from "../../provider/src/json.js";
import { declaration } from "../support/declaration.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { matching } from "../support/matchers.js";
import { classes, javascript, yaml, type Program } from "../support/plugin/languages.js";
import { descendantsOf, end } from "../support/processes.js";
import { resending } from "../support/resending.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { caching, inTeam, job, lostReply, ofTable, orders, preview, up, urn } from "../support/scenarios/scenario.js";

const dependsOn = ["${orders}"];
const ordersAndItems = (ofOrders?: JsonObject, ofItems: JsonObject = {}) => ({
  ...orders(ofOrders),
  items: caching({ ...ofTable("ITEMS"), ...ofItems }),
});
const jobs = { ...ordersAndItems(), after: caching(ofTable("AFTER"), { dependsOn }) };

describeWithEngine.each([classes, yaml])("A run that is interrupted in a create: $name", (language) => {
  const engine = engineForEachTest({ language });

  /** Follows the documentation: adopts the job that was created but not recorded, and creates the missing job. */
  async function recover(): Promise<void> {
    const made = [...engine().services[0].jobs];
    expect(made).toHaveLength(1);
    const adopted = { existingJobId: "job-1" };
    expect(engine().pendingOperations()).toBeGreaterThan(0);
    await engine().play({ run: ["refresh", "--yes", "--skip-preview", "--clear-pending-creates"] });
    expect(engine().pendingOperations()).toBe(0);
    const program = made[0]?.name === "ORDERS" ? ordersAndItems(adopted) : ordersAndItems({}, adopted);
    await engine().play({ program, posts: 1 });
    expect(engine().services[0].jobs).toHaveLength(2);
  }

  test("by SIGTERM to all its processes records the create in flight, and begins no other", async () => {
    const program = { ...orders(), after: caching(ofTable("AFTER"), { dependsOn }) };
    const up = await engine().upUntilPosted(program);
    end([...descendantsOf(up.pid), { pid: up.pid ?? 0 }], "SIGTERM");
    await up.outputMatches(/cancel/i);
    up.reply();
    expect((await up.finished).exitCode).toBeGreaterThan(0);
    expect([engine().pendingOperations(), Object.keys(engine().jobs())]).toEqual([0, ["orders"]]);
    await engine().play({ posts: 1 });
    expect(engine().services[0].jobs).toHaveLength(2);
  });

  test("by two SIGINTs leaves pending operations, which are cleared without a second job", async () => {
    const up = await engine().upUntilPosted(jobs);
    up.kill("SIGINT");
    await up.outputMatches(/cancel/i);
    up.kill("SIGINT");
    expect((await up.finished).exitCode).toBeGreaterThan(0);
    await recover();
  });

  test("by the death of the CLI: later runs create none of its jobs until each is resolved", async () => {
    const refused = "so the job may exist. Nothing was sent.";
    // YAML has no components.
    const placed = (program: Program) => (language === classes ? inTeam(program, {}) : program);
    await engine().killInCreate(placed(ordersAndItems()));
    await engine().play({ exitCode: 1, says: ["pulumi cancel"] });
    await engine().play({ run: ["cancel", "--yes"] });
    await engine().play({ run: preview, exitCode: 1, says: [refused] });
    await engine().play({ exitCode: 1, says: [refused] });
    const adopted = { existingJobId: "job-1" };
    const [made] = engine().services[0].jobs;
    const program = made?.name === "ORDERS" ? ordersAndItems(adopted) : ordersAndItems({}, adopted);
    const notClaimed = ["It is sent now"];
    await engine().play({
      program: placed(program),
      exitCode: 1,
      says: ["unconfirmed"],
      saysNot: notClaimed,
    });
    engine().stack.pass(780_000);
    // Either create may have the note with which a run begins no record.
    const [{ urn } = { urn: "" }] = Object.values(engine().jobs());
    const env = resending("<T1>", ...["orders", "items"].map((name) => urn.replace(/[^:]+$/, name)));
    await engine().play({ env, posts: 1 });
    expect(engine().services[0].jobs).toHaveLength(2);
    await engine().play({ run: ["refresh", "--yes", "--skip-preview", "--clear-pending-creates"] });
    await engine().play({});
    expect(engine().pendingOperations()).toBe(0);
  });

  test("by the death of the provider: the next run knows of the create, by its note on this machine", async () => {
    const up = await engine().upUntilPosted(orders());
    end(descendantsOf(up.pid).filter(({ command }) => /dynamic-provider|hosts\/plugin/.test(command)));
    expect((await up.finished).exitCode).toBe(1);
    expect([engine().pendingOperations(), Object.keys(engine().jobs())]).toEqual([0, []]);
    await engine().play({
      exitCode: 1,
      says: ["its create is unconfirmed: a run was killed in it at 20"],
      saysNot: ["or before", "clear"],
    });
    await engine().play({ program: orders({ existingJobId: "job-1" }) });
  });
});

describeWithEngine.each([classes, yaml])(
  "A run of many creates that was killed on another machine: $name",
  (language) => {
    const folder = temporaryFolder();

    describe.each(["create", "all"])("mode %s", (jobOperations) => {
      const engine = engineForEachTest({ language, config: { "data-connectivity:jobOperations": jobOperations } });

      test("is told by one run, which records each of its creates", async () => {
        const names = ["orders", "items", "parts", "sales", "staff"];
        const program = Object.fromEntries(names.map((name) => [name, caching(ofTable(name.toUpperCase()))]));
        await engine().killInCreate(program, names.length);
        await engine().play({ run: ["cancel", "--yes"] });
        // Without the notes of the killed run.
        const env = { TMPDIR: folder() };
        const step = { program, env, exitCode: 1 } as const;
        const { output } = await engine().play({ ...step, says: ["recorded as unconfirmed"] });
        const recorded = Object.values(engine().jobs()).filter(({ outputs }) =>
          JSON.stringify(outputs).includes('"isAtOrBefore":true'),
        );
        expect([recorded.length, output]).toEqual([names.length, output]);
      });
    });
  },
);

// scenarios/interrupted.ts has the plugin, which the engine tells of the first SIGINT.
describeWithEngine("A run of the classes that is interrupted in a create", () => {
  const engine = engineForEachTest();

  test("by one SIGINT records what is under way and starts no more", async () => {
    const up = await engine().upUntilPosted(jobs);
    up.kill("SIGINT");
    await up.outputMatches(/cancel/i);
    up.reply();
    expect((await up.finished).exitCode).toBe(1);
    expect(Object.keys(engine().jobs()).sort()).toEqual(["items", "orders"]);
    expect([engine().pendingOperations(), engine().services[0].jobs.length]).toEqual([0, 2]);
  });

  test("by an onError hook that repeats the create sends one request, fails and stays unconfirmed", async () => {
    const program = `let calls = 0;
      const again = new pulumi.ErrorHook("again", async () => (calls += 1) < 4);
      ${job("orders", "", "hooks: { onError: [again] }")}`;
    const faults = [{ ...lostReply, processed: true }];
    await engine().play({
      program,
      faults,
      exitCode: 1,
      posts: 1,
      says: ["is recorded as unconfirmed-"],
    });
    const state = { orders: { outputs: { job: {}, origin: { outcome: "unconfirmed" } } } };
    await engine().play({ exitCode: 1, says: ["is still unconfirmed"], state });
  });
});

describeWithEngine.each([classes, javascript])("An onError hook that always repeats: $name", (language) => {
  const engine = engineForEachTest({ language });
  const head =
    'const pulumi = require("@pulumi/pulumi"); const { CachingJob } = require("pulumi-data-connectivity-sdk");';
  const program = `${language === classes ? "" : head}
    const again = new pulumi.ErrorHook("again", async () => true);
    new CachingJob("orders", ${JSON.stringify(declaration)}, { hooks: { onError: [again] } });`;
  const saved = () => engine().stack.state.resources.find(({ urn }) => urn.endsWith("::orders"));
  const originAt = () => String(membersOf(saved()?.outputs["origin"])["at"]);

  test("sends a create once and its resend once, records both, and fails the runs", async () => {
    const lost = {
      program,
      faults: [lostReply],
      exitCode: 1,
      posts: 1,
      says: ["is recorded as unconfirmed-"],
    } as const;
    await engine().play(lost);
    const first = originAt();
    await engine().play({ exitCode: 1, says: ["maximum number of error hook retries"] });
    await engine().play({ ...lost, env: resending("<T1>", saved()?.urn ?? "") });
    expect(saved()).toMatchObject({ id: matching(/^unconfirmed-/), outputs: { origin: { outcome: "unconfirmed" } } });
    expect(Date.parse(originAt())).toBeGreaterThan(Date.parse(first));
    await engine().play({ env: resending("<T2>", saved()?.urn ?? ""), posts: 1 });
    expect(engine().services[0].jobs).toHaveLength(1);
    await engine().play({ says: ["2 unchanged"] });
  });
});

describeWithEngine.each([-20_000, 20_000])("With a service whose clock is %d ms ahead, an onError hook", (aheadMs) => {
  const engine = engineForEachTest({ now: () => Date.now() + aheadMs });

  test("that always repeats fails its own run, and no later one", async () => {
    const hook = 'const again = new pulumi.ErrorHook("again", async () => true);';
    const hooked = hook + job("orders", "", "hooks: { onError: [again] }");
    const repeated = "an onError hook repeated it again and again";
    await engine().play({ program: hooked, faults: [lostReply], exitCode: 1, posts: 1, says: [repeated] });
    const items = job("items", 'params: params({ sourceTable: "ITEMS" })');
    const run = [...up, "--target", urn("items")];
    await engine().play({ program: job("orders") + items, run, posts: 1, saysNot: [repeated] });
    const state = { orders: { outputs: { origin: { outcome: "unconfirmed" } } }, items: {} };
    await engine().play({ exitCode: 1, says: ["is still unconfirmed"], state });
  });
});

describeWithEngine.each([classes, yaml])("A run of the stack that --stack names: $name", (language) => {
  const engine = engineForEachTest({ language });

  test("prints the resend for that stack, which another selected one does not change", async () => {
    await engine().play({ program: orders(), faults: [lostReply], exitCode: 1, posts: 1, says: [] });
    await engine().play({ run: ["stack", "init", "other"] });
    const run = ["up", "--yes", "--skip-preview", "--stack", "organization/acceptance/test"];
    await engine().play({ run, exitCode: 1, says: [" pulumi up --stack organization/acceptance/test"] });
  });
});
