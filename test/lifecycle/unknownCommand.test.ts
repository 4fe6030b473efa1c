import { commandIn } from "../../provider/src/hosts/cliCommand.js";
import { orders, queryInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);

const options = { serial: true, continueOnError: true };

test.each([
  ["create", orders],
  ["all", queryInputs("orders", { query: "SELECT 1" })],
] as const)(
  "On a machine that does not show the CLI's command, up prints the command that leads out: mode %s",
  async (mode, declared) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: mode });
    // The CLI was killed after the service made the job: only the engine's pending operation is left.
    stack.savedAt = clock.now();
    await stack.up({ orders: declared }, options);
    stack.state.delete("orders");
    stack.pending.set("orders", declared);
    const up = async (env: Readonly<Record<string, string>> = {}) => {
      use({ jobOperations: mode }, emulator, { env, command: commandIn(undefined, {}) });
      const result = await stack.up({ orders: declared }, options);
      stack.savedAt = clock.now();
      return result;
    };
    expect(await up()).toMatchObject(did("recorded"));
    clock.pass(780_000);
    const { messages } = await up();
    expect(messages["orders"]).toContain("First see whether a run of this stack is still going");
    const [, time = ""] =
      /DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE=(\S+) pulumi up/.exec(messages["orders"] ?? "") ?? [];
    const before = time.startsWith("2") ? time : new Date(clock.now() + 1000).toISOString();
    expect(time).not.toBe("");
    expect(await up({ DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: before })).toMatchObject(did("updated"));
  },
);
