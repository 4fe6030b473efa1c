import { cachingInputs, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { resending } from "../support/resending.js";

// The engine keeps the pending operation of a killed create until somebody clears it, under whichever name it was sent.

afterEach(stopAll);

const minuteMs = 60_000;

/** A resource whose create got no clear answer, an hour ago. */
async function unconfirmed(jobOperations: string) {
  const { stack, emulator, clock, use, posts } = await fastStack({ jobOperations });
  stack.savedAt = clock.now();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders });
  clock.pass(60 * minuteMs);
  /** A run was killed in the create of the same source under another name. */
  const kill = (name: string) => {
    stack.pending.set(name, cachingInputs(name, "ORDERS"));
    stack.savedAt = clock.now();
  };
  /** One `up` after some minutes, which writes the state. */
  const upAfter = async (minutes: number) => {
    clock.pass(minutes * minuteMs);
    const env = jobOperations === "create" ? resending(clock.now() + 1000, urnIn(orders)) : {};
    use({ jobOperations }, emulator, { env, command: upCommand });
    const preview = await stack.preview({ orders });
    const { steps, text } = await stack.up({ orders });
    stack.savedAt = clock.now();
    return { step: steps["orders"], text, previewed: preview.text, isStopped: preview.failed };
  };
  return { kill, upAfter, emulator, posts };
}

test.each(["create", "all"])(
  "A pending create under another name does not hold a resend back for ever, however often somebody runs up: mode %s",
  async (jobOperations) => {
    const { kill, upAfter, emulator, posts } = await unconfirmed(jobOperations);
    kill("copy");
    const first = await upAfter(1);
    expect(first).toMatchObject({ step: "recorded", isStopped: false });
    expect(first.previewed).toContain('CachingJob "orders": the create of CachingJob "copy" is under way, or');
    expect(first.text).toContain('a run was killed in the create of CachingJob "copy".');
    expect(first.text).not.toContain("Also unconfirmed");
    const [, until = "no time"] = /Wait until (\S+?Z)/.exec(first.text) ?? [];
    const second = await upAfter(5);
    expect(second.step).toBe("failed");
    expect(second.text).toContain(until);
    expect(posts()).toBe(1);
    expect(await upAfter(10)).toMatchObject({ step: "updated" });
    expect([posts(), emulator.jobs.length]).toEqual([2, 1]);
  },
);

test.each(["create", "all"])(
  "A create that a run was killed in after the first sign of another one holds a resend back as well: mode %s",
  async (jobOperations) => {
    const { kill, upAfter, posts } = await unconfirmed(jobOperations);
    kill("copy");
    await upAfter(1);
    await upAfter(5);
    kill("later");
    await upAfter(1);
    // The first one's time is over.
    await upAfter(9);
    expect(posts()).toBe(1);
    expect(await upAfter(15)).toMatchObject({ step: "updated" });
    expect(posts()).toBe(2);
  },
);
