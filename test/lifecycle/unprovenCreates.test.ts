import { cachingInputs, orders } from "../support/all/declarations.js";
import { through } from "../support/all/editedReplies.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

// A recorded create of which the list does not show that it made no job, in whatever form the service tells its source.

afterAll(stopAll);

const sales = cachingInputs("sales", "ORDERS");

/** The service tells a table by a qualified name, so that its reply to the create is about another job. */
const qualified = ({ body }: { body: string }) => ({ body: body.replaceAll('"ORDERS"', '"SALES.PUBLIC.ORDERS"') });

const services = {
  "tells its source in another form": through({ create: qualified, list: qualified, get: qualified }),
  "answers 202, and lists nothing": through({
    create: () => ({ status: 202 }),
    list: () => ({ body: '{"jobs":[]}' }),
  }),
};

/** A stack with an unconfirmed create of `orders`, ten minutes later. */
async function recorded(transport: ReturnType<typeof through>) {
  const place = await fastStack();
  place.use({}, place.emulator, { transport });
  expect((await place.stack.up({ orders })).steps).toEqual({ orders: "recorded" });
  place.clock.pass(600_000);
  place.use({}, place.emulator, { transport });
  return place;
}

describe.each(Object.entries(services))("A create whose service %s", (_what, transport) => {
  test("is not made again under another name", async () => {
    const { emulator, stack, posts } = await recorded(transport);
    const says = "its last create or change is unconfirmed";
    expect(await stack.preview({ sales })).toMatchObject(did({ sales: "failed" }, says));
    expect((await stack.up({ sales })).steps["sales"]).toBe("failed");
    expect([posts(), emulator.jobs.length]).toEqual([1, 1]);
  });

  test.each([true, false])("is not made again for who takes its source (serial: %s)", async (serial) => {
    const { emulator, stack, posts } = await recorded(transport);
    await stack.up({ sales, orders: cachingInputs("orders", "ITEMS") }, { serial });
    expect([posts(), emulator.jobs.length]).toEqual([1, 1]);
  });
});
