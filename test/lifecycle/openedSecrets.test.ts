import { queryInputs } from "../support/all/declarations.js";
import { exportedWith } from "../support/all/exports.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { signature } from "../../provider/src/hosts/engineNames.js";

// The host marks a record by today's declaration: what only an earlier one had as a secret would be saved in clear text.

afterEach(stopAll);

const options = { serial: true, continueOnError: true };
const hidden = "select 'hunter2'";
const plain = queryInputs("report", { name: "daily", query: "select 1" });
const declared = queryInputs("report", { name: "daily", query: hidden });
const secret = { ...declared, __resource: identityFor("report", declared, ["params"]) };

test("A found job whose change fails is not recorded with a secret that is plain by now", async () => {
  const { stack, emulator, clock } = await fastStack({}, { lagMs: 60_000 });
  emulator.inject({ kind: "reset", on: "create", processed: true });
  expect((await stack.up({ report: secret }, options)).steps).toEqual({ report: "recorded" });
  clock.pass(600_000);
  emulator.inject({ kind: "reply", on: "update", status: 400, processed: false });
  const before = stack.state.get("report");
  expect((await stack.up({ report: plain }, options)).steps).toEqual({ report: "failed" });
  // The engine keeps the marks of what it keeps.
  expect(stack.state.get("report")).toBe(before);
  // The next run finds the job again.
  expect((await stack.up({ report: plain }, options)).steps).toEqual({ report: "updated" });
  expect(emulator.jobs.map(({ params }) => params)).toEqual([expect.objectContaining({ query: "select 1" })]);
});

test("The record that a refused update renews keeps no secret that is plain by now", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  emulator.inject({ kind: "reset", on: "create", processed: false });
  stack.savedAt = clock.now();
  expect((await stack.up({ report: secret }, options)).steps).toEqual({ report: "recorded" });
  const inputs = { ...declared, params: { [signature]: "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" } };
  const exportStack = () => Promise.resolve(exportedWith(stack, "updating", ["report", inputs]));
  clock.pass(7_200_000);
  use({ jobOperations: "create" }, emulator, { exportStack, command: upCommand });
  expect((await stack.up({ report: plain }, options)).steps).toEqual({ report: "recorded" });
  expect(JSON.stringify([...stack.state])).not.toContain("hunter2");
});
