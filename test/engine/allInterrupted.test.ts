import { setTimeout as sleep } from "node:timers/promises";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { descendantsOf, end } from "../support/processes.js";
import { job } from "../support/scenarios/scenario.js";

const slow = { kind: "delay", on: "create", ms: 3000 } as const;

describeWithEngine("With jobOperations: all, a CLI that is killed in a create", () => {
  const engine = engineForEachTest({ config: { "data-connectivity:jobOperations": "all" } });

  test("leaves a job that the next up names, and that is then adopted: no second job", async () => {
    const up = await engine().upUntilPosted({ program: job("orders"), faults: [slow] });
    const left = descendantsOf(up.pid);
    up.kill("SIGKILL");
    // That nothing more is sent has no event.
    await sleep(slow.ms + 1000);
    end(left);
    await engine().run(["cancel", "--yes"]);
    const refused = await engine().up(job("orders"));
    expect(refused).toMatchObject({ exitCode: 1, posts: 0, output: saying('existingJobId: "job-1"') });
    expect(await engine().up(job("orders", 'existingJobId: "job-1"'))).toMatchObject({ exitCode: 0, posts: 0 });
    expect(engine().services[0].jobs).toHaveLength(1);
    expect(engine().jobs()).toMatchObject({ orders: { id: "job-1", outputs: { job: { name: "ORDERS" } } } });
  });
});
