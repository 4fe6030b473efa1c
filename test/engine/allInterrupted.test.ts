import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { job } from "../support/scenarios/scenario.js";

describeWithEngine("With jobOperations: all, a CLI that is killed in a create", () => {
  const engine = engineForEachTest({ config: { "data-connectivity:jobOperations": "all" } });

  test("leaves a job that the next up names, and that is then adopted: no second job", async () => {
    await engine().killInCreate(job("orders"));
    await engine().run(["cancel", "--yes"]);
    const refused = await engine().up(job("orders"));
    expect(refused).toMatchObject({ exitCode: 1, posts: 0, output: saying('existingJobId: "job-1"') });
    expect(await engine().up(job("orders", 'existingJobId: "job-1"'))).toMatchObject({ exitCode: 0, posts: 0 });
    expect(engine().services[0].jobs).toHaveLength(1);
    expect(engine().jobs()).toMatchObject({ orders: { id: "job-1", outputs: { job: { name: "ORDERS" } } } });
  });
});
