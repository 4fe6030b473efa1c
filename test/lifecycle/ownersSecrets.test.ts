import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { signature } from "../../provider/src/hosts/engineNames.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingBody, cachingInputs, queryInputs } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { ofPlugin } from "../support/all/hosts.js";
import { configFor, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { pluginHere } from "../support/driver/here.js";
import { PARAMS, start, stopAll } from "../support/emulated.js";

// A job that a resource of the stack has with secrets is met by somebody who does not declare them.

afterEach(stopAll);

const hidden = "HUSH_HUSH";

/** A stack whose `orders` has a job with a secret member, as the next run finds it. */
async function owned(declared: Declaration, member: "params" | "additionalParams") {
  const place = await fastStack({});
  const { stack, emulator, clock, use } = place;
  await stack.up({ orders: { ...declared, __resource: identityFor("orders", declared, [member]) } });
  clock.pass(600_000);
  const exported = stack.export().replaceAll(JSON.stringify(declared[member]), JSON.stringify(encrypted));
  const options = { exportStack: () => Promise.resolve(exported), command: upCommand };
  use({}, emulator, options);
  return { ...place, id: emulator.jobs[0]?.id ?? "", options: { ...options, clock } };
}

test("An adoption under another name does not show a secret source", async () => {
  const { stack, id } = await owned(cachingInputs("orders", hidden), "params");
  const renamed = cachingInputs("renamed", "ORDERS", { existingJobId: id });
  const { steps, text } = await stack.up({ renamed }, { continueOnError: true });
  expect([steps["renamed"], text]).toEqual(["failed", expect.stringContaining("params.sourceTable")]);
  expect(text).not.toContain(hidden);
});

test.each([true, false])("An adoption under another name saves no secret member (it is declared: %s)", async (is) => {
  const additionalParams = { pin: hidden };
  const { stack, id } = await owned(cachingInputs("orders", "ORDERS", { additionalParams }), "additionalParams");
  const plain = cachingInputs("renamed", "ORDERS", { existingJobId: id, ...(is && { additionalParams }) });
  const renamed = is ? { ...plain, __resource: identityFor("renamed", plain, ["additionalParams"]) } : plain;
  const { steps, text } = await stack.up({ renamed }, { continueOnError: true });
  expect(steps["renamed"]).toBe(is ? "created" : "failed");
  if (!is) expect(text).toContain("params.pin");
});

test("A job is adopted though a secret query has the same id at another service", async () => {
  const { stack, options, use, id } = await owned(queryInputs("orders", { name: "daily", query: hidden }), "params");
  const service = await start({ now: options.clock.now });
  service.addJob(cachingBody("ORDERS", { params: { ...PARAMS, sourceTable: "ORDERS", cacheMode: "Full" } }), { id });
  use({}, service, options);
  const { steps } = await stack.up(
    { copy: cachingInputs("copy", "ORDERS", { existingJobId: id }) },
    { continueOnError: true },
  );
  expect(steps["copy"]).toBe("created");
});

test("The plugin marks a job that the program only reads", async () => {
  const { emulator, id, options } = await owned(cachingInputs("orders", hidden), "params");
  const calls = pluginHere(() => undefined, {}, options);
  await calls.configure(ofPlugin.settings(configFor(emulator)));
  const { outputs } = await calls.get("lookup", id);
  for (const member of ["params", "job"]) expect(outputs[member]).toHaveProperty([signature]);
});

const declared = queryInputs("report", { name: "daily", query: hidden });
const secret = { ...declared, __resource: identityFor("report", declared, ["params"]) };
const body = JSON.stringify({ message: `job daily cannot be read: ${hidden}` });

test.each(["refresh", "destroy", "create"])(
  "A list that fails and repeats a secret does not show it: %s",
  async (command) => {
    const { stack, emulator, clock } = await fastStack({});
    if (command !== "create") await stack.up({ report: secret });
    clock.pass(600_000);
    const status = { kind: "reply", status: 500, times: -1, body } as const;
    emulator.inject({ ...status, on: "list" }, { ...status, on: "get" }, { ...status, on: "delete" });
    const { text } = await (command === "refresh"
      ? stack.refresh()
      : command === "destroy"
        ? stack.destroy()
        : stack.up({ report: secret }));
    expect(text).toContain("cannot be read");
    expect(text).not.toContain(hidden);
  },
);

test.each([
  ["an object", { auth: hidden }],
  ["an array", [{ auth: hidden }]],
])("An adoption without a member that has a secret in %s does not save it in clear text", async (_what, headers) => {
  const { stack, emulator, use } = await fastStack({});
  const query = { name: "q", query: "select 1" };
  await stack.up({ old: queryInputs("old", { ...query, headers }) });
  const [{ id } = { id: "" }] = emulator.jobs;
  const exported = () => stack.export().split(JSON.stringify(hidden)).join(JSON.stringify(encrypted));
  use({}, emulator, { exportStack: () => Promise.resolve(exported()), command: upCommand });
  const { steps, text } = await stack.up({ renamed: queryInputs("renamed", query, { existingJobId: id }) });
  expect([steps["renamed"], text]).toEqual(["failed", expect.stringContaining("params.headers")]);
  expect(JSON.stringify(stack.state.get("renamed") ?? {})).not.toContain(hidden);
});
