import { cachingInputs, items, orders } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";

// In mode create, a job keeps its source under whatever name, token or subject its account is met again.

afterEach(stopAll);

const options = { serial: true, continueOnError: true };
const config = { jobOperations: "create" };
const hourMs = 3_600_000;

test.each(["beside a new resource", "beside an unconfirmed create"])(
  "A job of an account with a new subject has its source: a rename without an alias, %s",
  async (how) => {
    const { stack, emulator, clock, use } = await fastStack(config, { acceptToken: () => true });
    const as = (sub: string) => {
      use(config, { ...emulator, token: jwt({ iss: "parent", sub }) }, { command: upCommand });
    };
    as("one");
    await stack.up({ orders, items }, options);
    clock.pass(hourMs);
    as("two");
    const changed = { ...items, intervalValue: 7, changedAtService: "2026-11-30" };
    const parts = cachingInputs("parts", "PARTS");
    await stack.up({ orders, items: changed }, options);
    if (how === "beside an unconfirmed create") {
      emulator.inject({ kind: "reset", on: "create", processed: false });
      as("two");
      await stack.up({ orders, items: changed, parts }, options);
    }
    stack.savedAt = clock.now();
    clock.pass(hourMs);
    as("two");
    const { steps, messages } = await stack.preview(
      { items: changed, parts, renamed: cachingInputs("renamed", "ORDERS") },
      options,
    );
    expect(steps["renamed"]).toBe("failed");
    expect(messages["renamed"]).toContain('CachingJob "orders" of this stack has a job for this source');
  },
);

test.each([
  { now: "us", how: "token" },
  { now: "us", how: "credentialsCommand" },
  { now: "emea", how: "token" },
  { now: "emea", how: "credentialsCommand" },
])("A job of the account eu has its source in the account $now too, which is the same ($how)", async ({ now, how }) => {
  const { stack, emulator, clock, use } = await fastStack(config, { acceptToken: () => true });
  const names = (...all: readonly string[]) => {
    const tokens = all.map((name, jti) => [name, jwt({ iss: "parent", sub: "one", jti })] as const);
    const accounts = tokens.map(
      ([name, token]) => [name, { [how]: how === "token" ? token : `echo ${token}` }] as const,
    );
    use({ ...config, accounts: Object.fromEntries(accounts) }, emulator, { command: upCommand });
  };
  names("eu", "us");
  await stack.up({ orders: { ...orders, account: "eu" } }, options);
  stack.savedAt = clock.now();
  clock.pass(hourMs);
  names(...(now === "us" ? ["eu", now] : [now]));
  const { steps } = await stack.up({ renamed: cachingInputs("renamed", "ORDERS", { account: now }) }, options);
  expect([steps["renamed"], emulator.jobs.length]).toEqual(["failed", 1]);
});
