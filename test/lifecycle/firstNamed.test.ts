import { cachingInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { inProcessStack } from "../support/all/inProcess.js";
import { type Config, upCommand } from "../support/all/runOptions.js";
import { start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { jwt } from "../support/jwt.js";
import { resending } from "../support/resending.js";

// The team names its accounts from now on, and a resource names the wrong one. Today's settings have the tokens of both.

afterEach(stopAll);

const orders = cachingInputs("orders", "ORDERS");
const inEu = cachingInputs("orders", "ORDERS", { account: "eu" });
const tokenOf = (sub: string): string => jwt({ iss: "https://login.example.com", sub, jti: "1" });

describe.each([
  ["opaque tokens", "kept", "opaque-one", "opaque-two"],
  ["opaque tokens", "moved into it", "opaque-one", "opaque-two"],
  ["tokens with subjects", "kept", tokenOf("acme"), tokenOf("globex")],
  ["tokens with subjects", "moved into it", tokenOf("acme"), tokenOf("globex")],
])("With %s, an account that is named for the first time and is another one, common settings %s,", (...given) => {
  const [, common, own, eu] = given;

  async function place(jobOperations: string) {
    const clock = new FastClock();
    const service = await start({ acceptToken: undefined, tokens: { [own]: "acme", [eu]: "globex" }, now: clock.now });
    const before: Config = { baseUrl: service.baseUrl, timeoutSeconds: 60, jobOperations, token: own };
    let run: { readonly config: Config; readonly env?: Readonly<Record<string, string>> } = { config: before };
    const stack = inProcessStack(() => ({ ...run, clock, command: upCommand }));
    const name = (env = {}) => {
      const { baseUrl } = service;
      const moved = { timeoutSeconds: 60, jobOperations, accounts: { eu: { token: eu, baseUrl } } };
      run = { config: common === "kept" ? { ...before, accounts: { eu: { token: eu } } } : moved, env };
    };
    const accounts = () => service.jobs.map(({ account }) => account);
    return { clock, service, stack, name, accounts };
  }

  test("gets no unconfirmed create of the other one: mode all", async () => {
    const { clock, service, stack, name, accounts } = await place("all");
    const noList = { kind: "reply", status: 404, on: "list", after: 1, times: 40 } as const;
    service.inject({ kind: "reset", processed: true, on: "create" }, noList);
    expect((await stack.up({ orders })).steps).toEqual({ orders: "recorded" });
    clock.pass(200_000);
    service.repair();
    name();
    expect((await stack.up({ orders: inEu })).steps).toEqual({ orders: "failed" });
    expect(accounts()).toEqual(["acme"]);
  });

  test("gets none by the resend command: mode create", async () => {
    const { clock, service, stack, name, accounts } = await place("create");
    service.inject({ kind: "reset", processed: true, on: "create" });
    stack.savedAt = clock.now();
    expect((await stack.up({ orders })).steps).toEqual({ orders: "recorded" });
    stack.savedAt = clock.now();
    clock.pass(200_000);
    name(resending(clock.now(), urnIn(orders)));
    clock.pass(1000);
    expect((await stack.up({ orders: inEu })).steps).toEqual({ orders: "failed" });
    expect(accounts()).toEqual(["acme"]);
  });

  test("gets no second job: mode all", async () => {
    const { clock, stack, name, accounts } = await place("all");
    await stack.up({ orders });
    clock.pass(2_000_000);
    name();
    for (const refresh of [false, true, false])
      expect((await stack.up({ orders: inEu }, { refresh })).failed).toBe(true);
    expect(accounts()).toEqual(["acme"]);
  });

  test.each(["all", "create"])("takes no job of the other one: mode %s", async (mode) => {
    const { clock, stack, name, accounts } = await place(mode);
    expect((await stack.up({ orders })).steps).toEqual({ orders: "created" });
    clock.pass(2_000_000);
    name();
    expect((await stack.up({ orders: inEu })).steps).toEqual({ orders: "failed" });
    expect(accounts()).toEqual(["acme"]);
    expect(JSON.stringify([...stack.state])).not.toContain('"account":"eu"');
  });
});
