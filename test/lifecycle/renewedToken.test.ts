import { join } from "node:path";
import { cachingInputs, orders } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { first, token } from "../support/all/oneAddress.js";
import { stopAll } from "../support/emulated.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

// A token that the run gets later may be of another account, also if it does not say so.

afterAll(stopAll);

const folder = temporaryFolder();
const items = cachingInputs("items", "ITEMS");

/** A command that prints the first token once, and then the second one, which is of account b. */
async function changing(second: string, jobOperations = "all") {
  const place = await fastStack({}, { tokens: { [first]: "a", [second]: "b" } });
  const { emulator, clock, use } = place;
  const using = (credentialsCommand: string) => () => {
    use(
      { account: "main", accounts: { main: { credentialsCommand, jobOperations } } },
      { ...emulator, token: "unused" },
    );
  };
  const same = using(`echo ${first}`);
  same();
  await place.stack.up({ items });
  clock.pass(3_600_000);
  const flag = join(folder(), "printed");
  using(`if mkdir '${flag}' 2>/dev/null; then echo ${first}; else echo ${second}; fi`)();
  return { ...place, same };
}

describe.each([
  ["opaque", "0paque-token-of-b"],
  ["without a subject", token("parent-1", "", { sub: undefined })],
])("A renewed token that is %s", (_what, second) => {
  test.each(["refresh", "destroy"] as const)("shows no job of the account to be gone: %s", async (command) => {
    const { emulator, stack } = await changing(second);
    emulator.inject({ kind: "reply", status: 401, on: command === "refresh" ? "list" : "delete" });
    expect((await stack[command]()).text).toContain("perhaps for a different account");
    expect([emulator.jobs.length, stack.state.size]).toEqual([1, 1]);
  });

  test.each(["create", "all"])("makes no job in the other account: mode %s", async (mode) => {
    const { emulator, stack, same } = await changing(second, mode);
    emulator.inject({ kind: "reply", status: 401, on: "create" });
    await stack.up({ items, orders });
    same();
    await stack.up({ items, orders });
    expect(emulator.jobs.map(({ account }) => account)).toEqual(["a", "a"]);
  });
});
