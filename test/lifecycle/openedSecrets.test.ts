import { cachingInputs, queryInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
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

describe.each(["DATA_CONNECTIVITY_ADOPT_UNCONFIRMED", "existingJobId"])("An adoption of an own create by %s", (by) => {
  /** Adopts the job of a create whose reply was lost, and which had a secret. */
  async function adoptAfter(withSecret: ReturnType<typeof queryInputs>, now: typeof plain) {
    const { stack, emulator, clock, use } = await fastStack({}, { lagMs: 60_000 });
    emulator.inject({ kind: "reset", on: "create", processed: true });
    expect((await stack.up({ report: withSecret }, options)).steps).toEqual({ report: "recorded" });
    clock.pass(600_000);
    const { id } = emulator.jobs[0] ?? { id: "?" };
    const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(now)]: id }) };
    const isNamed = by !== "existingJobId";
    use({}, emulator, { command: upCommand, ...(isNamed && { env }) });
    const result = await stack.up({ report: isNamed ? now : { ...now, existingJobId: id } }, options);
    return { ...result, state: JSON.stringify([...stack.state]) };
  }

  test("shows no value that the create had as a secret", async () => {
    const sent = cachingInputs("report", "hunter2");
    const marked = { ...sent, __resource: identityFor("report", sent, ["params"]) };
    const { steps, text } = await adoptAfter(marked, cachingInputs("report", "ORDERS"));
    expect([steps, text]).toEqual([{ report: "failed" }, expect.stringContaining("params.sourceTable")]);
    expect(text).not.toContain("hunter2");
  });

  test("is refused while the job has a secret that is declared no more, and would be saved in clear text", async () => {
    const now = cachingInputs("report", "ORDERS");
    const withPin = cachingInputs("report", "ORDERS", { additionalParams: { pin: "hunter2" } });
    const marked = { ...withPin, __resource: identityFor("report", withPin, ["additionalParams"]) };
    const before = await adoptAfter(marked, marked);
    expect(before.steps).toEqual({ report: "updated" });
    const { steps, text } = await adoptAfter(marked, now);
    expect([steps, text]).toEqual([{ report: "failed" }, expect.stringContaining("params.pin")]);
    expect(text).not.toContain("hunter2");
  });
});

test("After a change that made a value secret got no clear answer, a refresh is not advised: it would save the value", async () => {
  const { stack, emulator, clock } = await fastStack();
  expect((await stack.up({ report: plain }, options)).steps).toEqual({ report: "created" });
  clock.pass(600_000);
  emulator.inject({ kind: "reset", on: "update", processed: true, times: 9 });
  const { text } = await stack.up({ report: secret }, options);
  expect(text).toMatch(/Run pulumi up again(?![^]*Or run pulumi refresh)[^]*Do not run pulumi refresh before that/);
});
