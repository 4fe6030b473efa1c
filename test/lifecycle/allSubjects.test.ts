import { cachingInputs } from "../support/all/declarations.js";
import { configFor, inProcessStack, type Config } from "../support/all/inProcess.js";
import { start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { saying } from "../support/matchers.js";

afterAll(stopAll);

const orders = cachingInputs("orders", "ORDERS");
const changed = { ...orders, intervalValue: 6 };
const token = (iss: string, sub: string, more: object = {}): string => jwt({ iss, sub, ...more });

/** A service that accepts every token; the token of each run is the one that the test has set by then. */
async function oneAddress() {
  const service = await start({ acceptToken: () => true });
  const today: { config: Config } = { config: {} };
  const use = (text: string) => void (today.config = configFor({ ...service, token: text }));
  const stack = inProcessStack(() => today.config);
  return { service, use, stack };
}

describe("A token of another account or sub-account, at the same address", () => {
  test.each([
    ["issuer", token("parent-2", "sub-1")],
    ["subject", token("parent-1", "sub-2")],
  ])("with another %s is used for nothing, and the job stays in the state", async (_what, other) => {
    const { service, use, stack } = await oneAddress();
    use(token("parent-1", "sub-1"));
    await stack.up({ orders });
    const before = new Map(stack.state);
    const { length } = service.requests;
    use(other);
    const refused = { steps: { orders: "failed" }, text: saying("another account or sub-account") };
    expect(await stack.refresh()).toMatchObject(refused);
    expect(await stack.up({ orders: changed })).toMatchObject(refused);
    expect(await stack.destroy()).toMatchObject(refused);
    expect([service.requests.length, new Map(stack.state)]).toEqual([length, before]);
  });

  test("may follow where the user confirms it with changedAtService", async () => {
    const { service, use, stack } = await oneAddress();
    use(token("parent-1", "sub-1"));
    await stack.up({ orders });
    use(token("parent-1", "renamed"));
    await stack.up({ orders: { ...changed, changedAtService: "renamed" } });
    service.changeJob(service.jobs[0]?.id ?? "", { intervalValue: 6 });
    expect(await stack.refresh()).toMatchObject({ steps: { orders: "read" } });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "deleted" } });
    expect(service.jobs).toEqual([]);
  });
});

test.each([
  ["a newer token of the same subject", token("parent-1", "sub-1", { exp: 4_000_000_000 })],
  ["an opaque token, which does not tell", "opaque"],
])("%s is used as before", async (_what, newer) => {
  const { service, use, stack } = await oneAddress();
  use(token("parent-1", "sub-1"));
  await stack.up({ orders });
  use(newer);
  await stack.refresh();
  expect(await stack.up({ orders: changed })).toMatchObject({ steps: { orders: "updated" } });
  expect(service.jobs).toMatchObject([{ intervalValue: 6 }]);
});
