import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { inComponent, job, refresh, urn } from "../support/scenarios/scenario.js";

const config = { "data-connectivity:jobOperations": "all" };
const ids = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => id);

describeWithEngine("With jobOperations: all", () => {
  const engine = engineForEachTest({ config });
  const service = () => engine().services[0];

  test("a change after a rename in the state shows what changes, and no member that only the provider reads", async () => {
    await engine().up(job("orders"));
    await engine().run(["state", "rename", urn("orders"), "sales", "--yes"]);
    const program = job("sales", 'params: params({ sourceTable: "ITEMS" })');
    const { exitCode, output } = await engine().preview(program);
    expect([exitCode, output]).toEqual([0, saying("[diff: ~params]")]);
    expect((await engine().preview(program, ["--diff"])).output).not.toMatch(/"orders"|"sales"|plain/);
  });

  test("a preview of a change tells no old value of the record, with secrets too, and jobId stays known in it", async () => {
    const program = (intervalValue: number) => `
      const orders = ${job("orders", `intervalValue: ${intervalValue}`)}
      const secret = ${job("secret", `intervalValue: ${intervalValue}, params: params({ sourceTable: pulumi.secret("HUSH") })`)}
      ${job("after", "params: params({ sourceTable: orders.jobId, sourceSchema: secret.jobId })")}
      for (const [name, { id, jobId, job, origin }] of Object.entries({ orders, secret })) {
        exports[name] = { id, jobId, interval: job.intervalValue, next: job.nextRunTime, own: job.apply((own) => own.id), at: origin.at };
      }`;
    expect(await engine().up(program(4))).toMatchObject({ exitCode: 0, posts: 3 });
    const preview = await engine().preview(program(6), ["--diff"]);
    expect(preview).toMatchObject({ exitCode: 0, requests: [], output: saying("2 to update") });
    expect(preview.output).not.toMatch(/intervalValue *: 4$|interval *: 4|HUSH|=> null/m);
    expect(await engine().up(program(6))).toMatchObject({ exitCode: 0, output: saying("interval: 4 => 6") });
    expect(await engine().preview(program(6))).toMatchObject({ exitCode: 0, output: saying("4 unchanged") });
  });

  test("drift is shown by its member, fails where no changes are expected, and is changed back", async () => {
    await engine().up(job("orders"));
    const [id = ""] = ids(service().jobs);
    service().changeJob(id, { intervalValue: 9 });
    const drift = await engine().run([...refresh, "--expect-no-changes", "--diff"]);
    expect(drift.output).toContain("intervalValue: 4 => 9");
    expect(drift.exitCode).not.toBe(0);
    await engine().run(refresh);
    expect(await engine().up(job("orders"))).toMatchObject({ exitCode: 0, requests: [{ method: "PUT" }] });
    expect(service().jobs).toMatchObject([{ id, intervalValue: 4 }]);
    expect(await engine().run([...refresh, "--expect-no-changes"])).toMatchObject({ exitCode: 0 });
  });

  test("a table that is secret stays encrypted, whatever changes at the service, and no message shows it", async () => {
    const program = (more = "") =>
      job("orders", `params: params({ sourceTable: pulumi.secret("HUSH_TABLE") }), ${more}`);
    const texts: string[] = [];
    const run = async (...args: Parameters<ReturnType<typeof engine>["run"]>) => {
      const result = await engine().run(...args);
      texts.push(result.output, engine().stack.stateText());
      return result;
    };
    const up = ["up", "--yes", "--suppress-progress", "--diff"];
    expect(await run(up, { program: program() })).toMatchObject({ exitCode: 0 });
    const [id = ""] = ids(service().jobs);
    service().changeJob(id, { intervalValue: 9, params: { sourceTable: "HUSH_OTHER" } });
    expect(await run([...refresh, "--diff"])).toMatchObject({ exitCode: 0 });
    // A change of the table changes the job's source, so the provider first checks whether another job has this source.
    const changedBack = { exitCode: 0, requests: [{ method: "GET", path: "/api/job/list" }, { method: "PUT" }] };
    expect(await run(up, { program: program() })).toMatchObject(changedBack);
    service().changeJob(id, { params: { sourceTable: "HUSH_OTHER" } });
    expect(await run([...up, "--refresh"])).toMatchObject({ exitCode: 0 });
    expect(service().jobs).toMatchObject([{ id, params: { sourceTable: "HUSH_TABLE" } }]);
    // Two refusals: another resource has the job, and the service refuses the change.
    const renamed = `job("renamed", { params: params({ sourceTable: pulumi.secret("HUSH_TABLE") }) });`;
    expect(await run(up, { program: program() + renamed })).toMatchObject({ exitCode: 1 });
    service().inject({ kind: "reply", status: 400, on: "update", body: { error: "no HUSH_TABLE here" } });
    expect(await run(up, { program: program("intervalValue: 6") })).toMatchObject({ exitCode: 1 });
    for (const text of texts) expect(text).not.toContain("HUSH");
  });

  test("a job that is moved under another parent, and adopted there, is not deleted with its old place", async () => {
    await engine().up(job("orders"));
    const [id] = ids(service().jobs);
    const moved = await engine().up(inComponent("", job("orders", 'existingJobId: "job-1"', "parent")));
    expect(moved).toMatchObject({ exitCode: 0, posts: 0, output: saying("belongs to another resource") });
    expect(ids(service().jobs)).toEqual([id]);
    expect(Object.keys(engine().jobs())).toEqual(["orders"]);
  });

  test("a component's protect and retainOnDelete reach its jobs, also through another one, and a job's own false wins", async () => {
    const items = 'params: params({ sourceTable: "ITEMS" })';
    const jobs = job("orders", "", "parent") + job("items", items, "parent, protect: false, retainOnDelete: false");
    await engine().up(inComponent("protect: true, retainOnDelete: true", jobs));
    expect(engine().jobs()).toMatchObject({
      orders: { protect: true, retainOnDelete: true },
      items: { protect: false, retainOnDelete: false },
    });
    await engine().up(inComponent("retainOnDelete: true", jobs));
    const removed = await engine().up("");
    expect(removed).toMatchObject({ exitCode: 0, requests: [{ method: "DELETE" }] });
    expect(service().jobs).toMatchObject([{ params: { sourceTable: "ORDERS" } }]);
    expect(engine().jobs()).toEqual({});
  });

  test("a switch to create and back keeps the jobs, and asks only what may be asked", async () => {
    await engine().up(job("orders"));
    const create = { "data-connectivity:jobOperations": "create" };
    const refused = await engine().up(job("orders", "intervalValue: 6"), [], { config: create });
    expect(refused).toMatchObject({ exitCode: 1, requests: [] });
    expect(await engine().up(job("orders"))).toMatchObject({ exitCode: 0, requests: [] });
    expect(await engine().run(["destroy", "--yes", "--skip-preview"])).toMatchObject({ exitCode: 1, requests: [] });
    expect(await engine().up(job("orders", "intervalValue: 6"), [], { config })).toMatchObject({ exitCode: 0 });
    const destroyed = await engine().run(["destroy", "--yes", "--skip-preview"]);
    expect(destroyed).toMatchObject({ exitCode: 0, output: saying("orders deleted") });
    expect(service().jobs).toEqual([]);
  });
});
