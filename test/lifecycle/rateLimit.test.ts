import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingInputs } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);

const names = Array.from({ length: 150 }, (_, n) => `job${n}`);
const jobs = (more: Declaration = {}) =>
  Object.fromEntries(names.map((name) => [name, cachingInputs(name, name, more)]));
const each = (step: string) => Object.fromEntries(names.map((name) => [name, step]));

/**
 * How often a service refused a single request, which asked whether the limit was over, and how often several at once,
 * which were in flight when the limit was met.
 */
function refusals(refusedAt: readonly number[]) {
  const near = (one = 0, other = 0) => Math.abs(one - other) < 500;
  const single = refusedAt.filter((at, n) => !near(at, refusedAt[n - 1]) && !near(at, refusedAt[n + 1]));
  const bursts = refusedAt.filter((at, n) => !near(at, refusedAt[n - 1]) && near(at, refusedAt[n + 1]));
  return { asks: single.length, bursts: bursts.length };
}

describe.each([
  ["create", 1],
  ["all", 4],
] as const)("150 jobs at 100 requests a minute, in mode %s", (jobOperations, limits) => {
  test.each([
    ["told when to go on", true, 2],
    ["not told", false, 10],
  ])("are made, changed and deleted with the default settings, %s", async (_name, tells, asksEach) => {
    const { emulator, stack } = await fastStack({ jobOperations }, { limit: { perMinute: 100, tells } });
    expect((await stack.up(jobs())).steps).toEqual(each("created"));
    expect(emulator.jobs).toHaveLength(150);
    if (limits > 1) {
      expect((await stack.up(jobs({ intervalValue: 9 }))).steps).toEqual(each("updated"));
      expect((await stack.up({})).steps).toEqual(each("deleted"));
      expect(emulator.jobs).toEqual([]);
    }
    const { asks, bursts } = refusals(emulator.refusedAt);
    expect(bursts).toBeLessThanOrEqual(limits);
    expect(asks).toBeLessThanOrEqual(asksEach * (limits + 1));
  });
});

test("Creates that wait for a limit share one list in each minute", async () => {
  const { emulator, stack, clock } = await fastStack({}, { limit: { perMinute: 100, tells: true } });
  const began = clock.now();
  const more = Object.fromEntries(names.map((name) => [`more-${name}`, cachingInputs(`more-${name}`, `more-${name}`)]));
  expect((await stack.up({ ...jobs(), ...more })).failed).toBe(false);
  const lists = emulator.requests.filter(({ operation, status }) => operation === "list" && status === 200);
  expect(lists.length).toBeLessThanOrEqual(1 + Math.ceil((clock.now() - began) / 60_000));
});
