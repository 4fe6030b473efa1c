import { queryBody, queryInputs } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";

// A query's name is sent as it is declared, and a program may declare a number.

afterEach(stopAll);

const options = { serial: true, continueOnError: true };
const query = (name: string, of: string | number) => queryInputs(name, { name: of, query: "select 1" });

/** A service with another stack's query of that name. */
async function besideOthers() {
  const place = await fastStack();
  place.emulator.addJob(queryBody({ name: "4711", query: "select 1" }));
  place.clock.pass(3_600_000);
  return place;
}

test.each(["4711", 4711])("A second query of another stack's name is not made: %p", async (name) => {
  const { emulator, stack, posts } = await besideOthers();
  const { steps } = await stack.up({ q: query("q", name) }, options);
  expect([steps, posts(), emulator.jobs.length]).toEqual([{ q: "failed" }, 0, 1]);
});

test.each(["4711", 4711])("A query of this name is adopted by it: %p", async (name) => {
  const { emulator, stack, use } = await besideOthers();
  use({}, emulator, { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } });
  const { steps } = await stack.up({ q: query("q", name) }, options);
  expect([steps, emulator.jobs.length]).toEqual([{ q: "created" }, 1]);
});

test.each(["4711", 4711])("A change gives no query the name of another stack's: %p", async (name) => {
  const { emulator, stack, posts } = await besideOthers();
  await stack.up({ q: query("q", "daily") }, options);
  expect((await stack.up({ q: query("q", name) }, options)).steps).toEqual({ q: "failed" });
  expect([posts(), emulator.jobs.length]).toEqual([1, 2]);
});

test.each([
  ["create", "4711"],
  ["create", 4711],
  ["all", "4711"],
  ["all", 4711],
] as const)("In mode %s, two resources of one stack make one query of a name: %p", async (jobOperations, name) => {
  const { emulator, stack, clock, use } = await fastStack({ jobOperations });
  await stack.up({ q: query("q", name) }, options);
  stack.savedAt = clock.now();
  clock.pass(3_600_000);
  use({ jobOperations }, emulator, { command: upCommand });
  const renamed = query("renamed", name);
  expect((await stack.preview({ renamed }, options)).steps["renamed"]).toBe("failed");
  expect((await stack.up({ q: query("q", name), renamed }, options)).steps["renamed"]).toBe("failed");
  expect(emulator.jobs).toHaveLength(1);
});
