import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest, type PlayedStep } from "../support/engineFixture.js";
import { inComponent, job, preview, refresh, urn, withPreview } from "../support/scenarios/scenario.js";

const config = { "data-connectivity:jobOperations": "all" };
const first = { program: job("orders"), posts: 1 };

describeWithEngine("With jobOperations: all", () => {
  const engine = engineForEachTest({ config });
  const service = () => engine().services[0];

  test("a change after a rename in the state shows what changes, and no member that only the provider reads", async () => {
    await engine().play(first);
    await engine().play({ run: ["state", "rename", urn("orders"), "sales", "--yes"] });
    const program = job("sales", 'params: params({ sourceTable: "ITEMS" })');
    await engine().play({ program, run: preview, says: ["[diff: ~params]"] });
    const { output } = await engine().play({ run: [...preview, "--diff"] });
    expect(output).not.toMatch(/"orders"|"sales"|plain/);
  });

  test("a preview of a change tells no old value of the record, with secrets too, and jobId stays known in it", async () => {
    const program = (intervalValue: number) => `
      const orders = ${job("orders", `intervalValue: ${intervalValue}`)}
      const secret = ${job("secret", `intervalValue: ${intervalValue}, params: params({ sourceTable: pulumi.secret("HUSH") })`)}
      ${job("after", "params: params({ sourceTable: orders.jobId, sourceSchema: secret.jobId })")}
      for (const [name, { id, jobId, job, origin }] of Object.entries({ orders, secret })) {
        exports[name] = { id, jobId, interval: job.intervalValue, next: job.nextRunTime, own: job.apply((own) => own.id), at: origin.at };
      }`;
    await engine().play({ program: program(4), posts: 3 });
    const shown = { run: [...preview, "--diff"], requests: [], says: ["2 to update"] };
    const { output } = await engine().play({ program: program(6), ...shown });
    expect(output).not.toMatch(/intervalValue *: 4$|interval *: 4|HUSH|=> null/m);
    await engine().play({ says: ["interval: 4 => 6"] });
    await engine().play({ run: preview, says: ["4 unchanged"] });
  });

  test("drift is shown by its member, fails where no changes are expected, and is changed back", async () => {
    await engine().play(first);
    service().changeJob(engine().live("job-1"), { intervalValue: 9 });
    const drift = await engine().stack.refresh(["--skip-preview", "--expect-no-changes", "--diff"]);
    expect(drift.output).toContain("intervalValue: 4 => 9");
    expect(drift.exitCode).not.toBe(0);
    await engine().play({ run: refresh });
    // The list shows the members that the program does not declare, and that the change keeps.
    await engine().play({ requests: [{ method: "GET", path: "/api/job/list" }, { method: "PUT" }] });
    expect(service().jobs).toMatchObject([{ intervalValue: 4 }]);
    await engine().play({ run: [...refresh, "--expect-no-changes"] });
  });

  test("a table that is secret stays encrypted, whatever changes at the service, and no message shows it", async () => {
    const program = (more = "") =>
      job("orders", `params: params({ sourceTable: pulumi.secret("HUSH_TABLE") }), ${more}`);
    const play = async (step: PlayedStep) => {
      await engine().play({ ...step, saysNot: ["HUSH"] });
      expect(engine().stack.stateText()).not.toContain("HUSH");
    };
    const run = [...withPreview, "--diff"];
    await play({ program: program(), run, posts: 1 });
    const elsewhere = { params: { sourceTable: "HUSH_OTHER" } };
    const changed = (more = {}) => ({ atService: { job: "job-1", changes: { ...elsewhere, ...more } } });
    await play({ ...changed({ intervalValue: 9 }), run: [...refresh, "--diff"] });
    // A change of the table changes the job's source, so the preview checks whether another job has this source and
    // whether the service lists it, and the update checks again.
    const list = { method: "GET", path: "/api/job/list" };
    const connections = { method: "GET", path: "/api/poweredby/connection/list" };
    await play({ run, requests: [list, connections, { method: "GET" }, list, { method: "PUT" }] });
    await play({ ...changed(), run: [...run, "--refresh"] });
    expect(service().jobs).toMatchObject([{ params: { sourceTable: "HUSH_TABLE" } }]);
    // Two refusals: another resource has the job, and the service refuses the change.
    const renamed = `job("renamed", { params: params({ sourceTable: pulumi.secret("HUSH_TABLE") }) });`;
    await play({ program: program() + renamed, run, exitCode: 1 });
    const refusal = { kind: "reply", status: 400, on: "update", body: { error: "no HUSH_TABLE here" } } as const;
    await play({ program: program("intervalValue: 6"), faults: [refusal], run, exitCode: 1 });
  });

  test("a component's protect and retainOnDelete reach its jobs, also through another one, and a job's own false wins", async () => {
    const items = 'params: params({ sourceTable: "ITEMS" })';
    const jobs = job("orders", "", "parent") + job("items", items, "parent, protect: false, retainOnDelete: false");
    await engine().play({
      program: inComponent("protect: true, retainOnDelete: true", jobs),
      posts: 2,
      state: { orders: { protect: true, retainOnDelete: true }, items: { protect: false, retainOnDelete: false } },
    });
    await engine().play({ program: inComponent("retainOnDelete: true", jobs) });
    await engine().play({ program: "", requests: [{ method: "DELETE" }], state: {} });
    expect(service().jobs).toMatchObject([{ params: { sourceTable: "ORDERS" } }]);
  });
});
