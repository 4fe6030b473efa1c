import { withTimeLimit } from "../../provider/src/client/send.js";
import { orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);

const options = { serial: true, continueOnError: true };

describe.each([
  { timeoutSeconds: 60, customTimeouts: 0 },
  { timeoutSeconds: 120, customTimeouts: 0 },
  { timeoutSeconds: 3600, customTimeouts: 0 },
  { timeoutSeconds: 60, customTimeouts: 3600 },
])("The service goes on with a create that the run has given up ($timeoutSeconds s, $customTimeouts s):", (limits) => {
  const { timeoutSeconds, customTimeouts } = limits;

  /** The stack, five seconds after that run. */
  async function givenUp(jobOperations: string) {
    const place = await fastStack({ timeoutSeconds, jobOperations });
    const { stack, emulator, clock } = place;
    emulator.inject({ kind: "silence", on: "create", processed: false });
    const first = await withTimeLimit(customTimeouts, () => stack.up({ orders }, options));
    stack.savedAt = clock.now();
    clock.pass(5000);
    return { ...place, first };
  }

  test.each(["create", "all"])("in mode %s, its message says until when to wait", async (mode) => {
    const { first } = await givenUp(mode);
    expect(first).toMatchObject(did("recorded", "may still be on its way. Wait until"));
  });

  test("the next run does not send it again, before it can no longer be in flight", async () => {
    const { stack, clock, posts } = await givenUp("all");
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", "Wait until"));
    expect(posts()).toBe(1);
    clock.pass(60_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("updated"));
    expect(posts()).toBe(2);
  });

  test("a destroy does not forget it", async () => {
    const { stack } = await givenUp("all");
    expect(await stack.destroy()).toMatchObject({ failed: true });
    expect(stack.state.has("orders")).toBe(true);
  });
});
