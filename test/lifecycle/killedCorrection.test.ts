import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { exportedWith } from "../support/all/exports.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);

// The reply to a create is lost, the next run has a corrected source and is killed, and the correction is taken back. The
// engine drops the pending update with its next write, so that only the record tells of it.
describe.each(["change of the found job", "resend"])("A killed %s for a corrected source", (killedIn) => {
  test.each(["up", "refresh"] as const)("is asked about after the correction is taken back: %s", async (command) => {
    const { stack, emulator, clock, use, posts } = await fastStack();
    stack.savedAt = clock.now() - 1000;
    const isFound = killedIn !== "resend";
    await recordUnconfirmed(stack, emulator, orders, isFound, { clock });
    clock.pass(300_000);
    const [own] = emulator.jobs;
    if (own === undefined) emulator.addJob(cachingBody("ITEMS"));
    else emulator.changeJob(own.id, { params: { ...own.params, sourceTable: "ITEMS" } });
    stack.savedAt = clock.now();
    const exported = exportedWith(stack, "updating", ["orders", cachingInputs("orders", "ITEMS")]);
    clock.pass(5000);
    use({}, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
    await (command === "up" ? stack.up({ orders }) : stack.refresh());
    stack.savedAt = clock.now();
    use({}, emulator, { command: upCommand });
    clock.pass(4_400_000);
    expect((await stack.up({ orders })).text).toContain("only you can tell");
    expect([posts(), emulator.jobs.length]).toEqual([0, 1]);
  });
});
