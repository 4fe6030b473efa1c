import { playedDifferently } from "../support/world/sameTwice.js";
import "../support/testedHost.js";

// Each command `npm run test:world` compares a thousand.
test.each(["all", "create"] as const)(
  "A seed always gives the same run, on any machine and whatever was played before (mode %s)",
  async (mode) => {
    expect(await playedDifferently({ host: globalThis.testedHost, mode }, 1, 40)).toEqual([]);
  },
);
