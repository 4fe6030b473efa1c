import { setTimeout as sleep } from "node:timers/promises";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { Lab } from "../support/engineFixture.js";
import { descendantsOf, end } from "../support/processes.js";
import { job } from "../support/scenarios/scenario.js";

jest.setTimeout(240_000);

const saying = (text: string) => expect.stringContaining(text) as unknown;
const slow = { kind: "delay", on: "create", ms: 3000 } as const;
const items = (more = "") => job("items", `params: params({ sourceTable: "ITEMS" }), ${more}`);
const jobs = `const orders = ${job("orders")} ${items()}
  ${job("after", 'params: params({ sourceTable: "AFTER" })', "dependsOn: [orders]")}`;
const clearPending = ["refresh", "--yes", "--skip-preview", "--clear-pending-creates"];

describeWithEngine("A run that is interrupted in a create", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.start();
  });
  afterEach(() => lab.stop());

  /** The job that was made and not recorded is taken over, and the other one is made: as the README says. */
  async function settle(): Promise<void> {
    const [made] = lab.services[0].jobs;
    const [orders, rest] = made?.name === "ORDERS" ? ['existingJobId: "job-1"', ""] : ["", 'existingJobId: "job-1"'];
    expect(lab.pendingOperations()).toBeGreaterThan(0);
    expect(await lab.run(clearPending)).toMatchObject({ exitCode: 0, posts: 0 });
    expect(lab.pendingOperations()).toBe(0);
    expect(await lab.up(job("orders", orders) + items(rest))).toMatchObject({ exitCode: 0, posts: 1 });
    expect(lab.services[0].jobs).toHaveLength(2);
  }

  test("by one SIGINT records what is under way and starts no more", async () => {
    const up = await lab.upUntilPosted({ program: jobs, faults: [slow] });
    up.kill("SIGINT");
    expect((await up.finished).exitCode).toBe(1);
    expect(Object.keys(lab.jobs()).sort()).toEqual(["items", "orders"]);
    expect([lab.pendingOperations(), lab.services[0].jobs.length]).toEqual([0, 2]);
  });

  test("by two SIGINTs leaves pending operations, which are settled without a second job", async () => {
    const up = await lab.upUntilPosted({ program: jobs, faults: [{ ...slow, ms: 30_000 }] });
    up.kill("SIGINT");
    await up.outputMatches(/cancel/i);
    up.kill("SIGINT");
    expect((await up.finished).exitCode).toBeGreaterThan(0);
    expect(lab.services[0].jobs).toHaveLength(1);
    await settle();
  });

  test("by the death of the CLI sends nothing that waits, and is settled without a second job", async () => {
    const up = await lab.upUntilPosted({ program: jobs, faults: [slow] });
    const left = descendantsOf(up.pid);
    up.kill("SIGKILL");
    // That nothing more is sent has no event: the waiting create would follow the reply at once.
    await sleep(slow.ms + 1000);
    end(left);
    expect(lab.services[0].jobs).toHaveLength(1);
    expect(await lab.up(jobs)).toMatchObject({ posts: 0, output: saying("pulumi cancel") });
    expect(await lab.run(["cancel", "--yes"])).toMatchObject({ exitCode: 0 });
    await settle();
  });

  test("by the death of the provider fails, and the next run creates again: the limit that the README names", async () => {
    const up = await lab.upUntilPosted({ program: job("orders"), faults: [slow] });
    end(descendantsOf(up.pid).filter(({ command }) => command.includes("dynamic-provider")));
    expect((await up.finished).exitCode).toBe(1);
    expect([lab.pendingOperations(), Object.keys(lab.jobs())]).toEqual([0, []]);
    expect(await lab.up(job("orders"))).toMatchObject({ exitCode: 0, posts: 1 });
  });

  test("by an onError hook that asks again sends once, fails, and keeps the doubt", async () => {
    const program = `const again = new pulumi.ErrorHook("again", async () => true);
      ${job("orders", "", "hooks: { onError: [again] }")}`;
    const first = await lab.up(program, [], { faults: [{ kind: "reset", on: "create", processed: true }] });
    expect(first).toMatchObject({ exitCode: 1, posts: 1, output: saying('CachingJob "orders" is in doubt') });
    const next = await lab.up(program);
    expect(next).toMatchObject({ exitCode: 1, posts: 0, output: saying("is still in doubt") });
    expect(lab.jobs()).toMatchObject({ orders: { outputs: { job: {}, origin: { outcome: "unconfirmed" } } } });
  });
});
