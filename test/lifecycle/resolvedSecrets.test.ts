import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { signature } from "../../provider/src/hosts/engineNames.js";
import { parseJson } from "../../provider/src/json.js";
import { cachingInputs } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { ofPlugin, urnIn } from "../support/all/hosts.js";
import { configFor, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { pluginHere } from "../support/driver/here.js";
import { stopAll } from "../support/emulated.js";

// Once an unconfirmed create is resolved, its resource keeps the stand-in until a refresh, and the state its job encrypted.

afterEach(stopAll);

const hidden = "HUSH_HUSH";
const options = { serial: true, continueOnError: true };

/** A stack with such a job, of a resource that has `members` as secrets. */
async function resolved(jobOperations: string, table: string, members: readonly string[], isRefreshed: boolean) {
  const place = await fastStack({ jobOperations }, { lagMs: 60_000 });
  const { stack, emulator, clock, use } = place;
  const declared = cachingInputs("orders", table, { additionalParams: { password: hidden } });
  const program = { orders: { ...declared, __resource: identityFor("orders", declared, members) } };
  emulator.inject({ kind: "reset", on: "create", processed: true });
  await stack.up(program, options);
  clock.pass(7_200_000);
  const id = emulator.jobs[0]?.id ?? "";
  const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(declared)]: id }) };
  use({ jobOperations }, emulator, { env });
  expect((await stack.up(program, options)).steps).toEqual({ orders: "updated" });
  clock.pass(7_200_000);
  use({ jobOperations }, emulator);
  if (isRefreshed) await stack.refresh();
  stack.savedAt = clock.now();
  const exported = JSON.stringify(parseJson(stack.export()), (member, value: unknown) =>
    member === "job" || members.includes(member) ? encrypted : value,
  );
  use({ jobOperations }, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
  return { ...place, exported, id };
}

describe.each([true, false])("A job with secrets whose create was unconfirmed (refreshed since: %s)", (isRefreshed) => {
  test("is known by its id: an adoption under another name shows and saves none of its secrets", async () => {
    const { stack, id } = await resolved("all", hidden, ["params", "additionalParams"], isRefreshed);
    const differs = await stack.up({ other: cachingInputs("other", "ORDERS", { existingJobId: id }) }, options);
    expect(differs.text).toContain("params.sourceTable (values are not shown");
    const { steps, text } = await stack.up({ other: cachingInputs("other", hidden, { existingJobId: id }) }, options);
    expect([steps["other"], text.includes("params.password")]).toEqual(["failed", true]);
  });

  test("is named by the alias for a resource that was renamed: mode create", async () => {
    const { stack } = await resolved("create", "ORDERS", ["additionalParams"], isRefreshed);
    const { text } = await stack.preview({ renamed: cachingInputs("renamed", "ORDERS") }, options);
    expect(text).toContain('aliases: [{ name: "orders" }]');
  });

  test("is not called unconfirmed: mode all", async () => {
    const { stack } = await resolved("all", "ORDERS", ["additionalParams"], isRefreshed);
    const { text } = await stack.preview({ renamed: cachingInputs("renamed", "ORDERS") }, options);
    expect(text).toContain("already has the job for this source");
  });

  test.each(["get", "import"] as const)("is marked where the plugin reads it: %s", async (call) => {
    const { emulator, clock, exported, id } = await resolved("all", hidden, ["params"], isRefreshed);
    const exportStack = () => Promise.resolve(exported);
    const calls = pluginHere(() => undefined, {}, { clock, exportStack, command: upCommand });
    await calls.configure(ofPlugin.settings(configFor(emulator)));
    const { outputs } = await calls[call]("lookup", id);
    for (const member of ["params", "job"]) expect(outputs[member]).toHaveProperty([signature]);
  });
});
