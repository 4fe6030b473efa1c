import { cachingInputs, queryInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { JOB, stopAll } from "../support/emulated.js";

afterEach(stopAll);

const serial = { serial: true, continueOnError: true };
const jobs = {
  create: (name: string) => cachingInputs(name, "ORDERS"),
  all: (name: string) => queryInputs(name, { query: "SELECT 1" }),
};

describe.each(["create", "all"] as const)("In mode %s, a duplicate of a job whose create is unconfirmed", (mode) => {
  const job = jobs[mode];

  async function unconfirmed() {
    const used = await fastStack({ jobOperations: mode });
    const { stack, emulator, clock } = used;
    await recordUnconfirmed(stack, emulator, job("orders"), true, { clock });
    clock.pass(3_600_000);
    const [{ id } = { id: "" }] = emulator.jobs;
    return { ...used, id };
  }

  test("is created once the job has been adopted in this run", async () => {
    const { emulator, stack, id } = await unconfirmed();
    const both = { orders: { ...job("orders"), existingJobId: id }, two: job("two") };
    expect(await stack.up(both, serial)).toMatchObject(did({ orders: "updated", two: "created" }));
    expect(emulator.jobs).toHaveLength(2);
  });

  test("is refused if the job has not been adopted", async () => {
    const { emulator, stack } = await unconfirmed();
    const both = { orders: job("orders"), two: job("two") };
    expect(await stack.up(both, serial)).toMatchObject({ steps: { two: "failed" } });
    expect(emulator.jobs).toHaveLength(1);
  });
});

test("A duplicate is refused if the adoption is, because the job is another one", async () => {
  const { stack, emulator, clock } = await fastStack();
  await recordUnconfirmed(stack, emulator, jobs.all("orders"), true, { clock });
  clock.pass(3_600_000);
  const { id } = emulator.addJob(JOB);
  const both = { orders: { ...jobs.all("orders"), existingJobId: id }, two: jobs.all("two") };
  expect(await stack.up(both, serial)).toMatchObject(did({ orders: "failed", two: "failed" }));
});
