import { ambiguities, nameOf, nonsense, refusals } from "../support/all/clientFaults.js";
import { cachingInputs } from "../support/all/declarations.js";
import { configFor, inProcessStack } from "../support/all/inProcess.js";
import { Repairable } from "../support/all/repairable.js";
import { stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";

afterAll(stopAll);

const orders = cachingInputs("orders", "ORDERS");
const cases = [
  ...refusals.map((fault) => ({ fault, processed: false, first: "failed" })),
  ...[...ambiguities, ...nonsense].flatMap((fault) => [
    { fault, processed: true, first: "created" },
    { fault, processed: false, first: "recorded" },
  ]),
].map((row) => ({ ...row, name: nameOf(row.fault) + (row.processed ? ", processed" : "") }));

/** Sends one create under a fault. Two minutes after this create, without faults, the stack runs again. */
async function outcomeUnder({ fault, processed }: (typeof cases)[number]): Promise<object> {
  const clock = new FastClock();
  const service = await Repairable.start(clock);
  const stack = inProcessStack(() => ({ config: configFor(service.emulator, { timeoutSeconds: 2 }), clock }));
  service.emulator.inject({ ...fault, on: "create", processed });
  const first = await stack.up({ orders });
  const [posts, made] = [
    service.emulator.requests.filter(({ method }) => method === "POST").length,
    service.emulator.jobs.length,
  ];
  const { token } = service.emulator;
  await service.repair();
  clock.pass(130_000);
  const second = await stack.up({ orders });
  return {
    first: first.steps["orders"],
    posts,
    made,
    second: second.failed,
    jobs: service.emulator.jobs.length,
    showsToken: `${first.text}${second.text}`.includes(token),
  };
}

describe("A create is sent once, is found if it was made, and made by the next run if it was not:", () => {
  // Concurrent, because each case mostly waits for timeouts.
  test.concurrent.each(cases)("$name", async (row) => {
    expect(await outcomeUnder(row)).toEqual({
      first: row.first,
      posts: 1,
      made: row.processed ? 1 : 0,
      second: false,
      jobs: 1,
      showsToken: false,
    });
  });
});
