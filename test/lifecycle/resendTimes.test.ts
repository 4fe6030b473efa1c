import { orders } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { resendIn } from "../support/resending.js";

// A time allows a resend only if it is later than the state's last write, whoever wrote it.

afterEach(stopAll);

const config = { jobOperations: "create" };

/** Pastes the command of each message until the create is resent, and returns the steps of these runs. */
async function pasted(secondsUntilWritten: number | undefined) {
  const clock = new FastClock(undefined, Date.now());
  const { stack, emulator, use, posts } = await fastStack(config, {}, clock);
  emulator.inject({ kind: "reset", on: "create", processed: false });
  use(config, emulator, { command: upCommand });
  let { text } = await stack.up({ orders });
  stack.savedAt = clock.now();
  clock.pass(300_000);
  const steps: (string | undefined)[] = [];
  while (posts() < 2 && steps.length < 5) {
    // Somebody looks at the service, and pastes the command a minute later.
    clock.pass(60_000);
    const exportStack = () => {
      if (secondsUntilWritten !== undefined) {
        clock.pass(secondsUntilWritten * 1000);
        stack.savedAt = clock.now();
      }
      return Promise.resolve(stack.export());
    };
    use(config, emulator, { command: upCommand, env: resendIn(text)?.env ?? {}, exportStack });
    const result = await stack.up({ orders });
    text = result.text;
    steps.push(result.steps["orders"]);
    stack.savedAt = clock.now();
  }
  return steps;
}

test("The printed command works at the first paste", async () => {
  expect(await pasted(undefined)).toEqual(["updated"]);
});

test.each([0, 30, 150])(
  "It works at the second one if each run changes something else first, and comes to the job %d seconds later",
  async (seconds) => {
    expect(await pasted(seconds)).toEqual(["failed", "updated"]);
  },
);
