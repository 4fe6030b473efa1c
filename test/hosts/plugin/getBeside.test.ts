import { cachingBody } from "../../support/all/declarations.js";
import { pluginHere } from "../../support/driver/here.js";
import { start, stopAll } from "../../support/emulated.js";
import { inputs, secret, urnOf } from "../../support/plugin/inputs.js";

afterEach(stopAll);

test.each([
  ["a job", "job-7", "created", "has job job-7 under this name"],
  ["an unconfirmed create", undefined, "unconfirmed", "has an unconfirmed create under this name"],
])(
  "A get under the name of a resource with %s is refused: the engine would forget it",
  async (_what, jobId, outcome, says) => {
    const service = await start();
    const { baseUrl, token } = service;
    const other = service.addJob(cachingBody("ITEMS"));
    const origin = { outcome, baseUrl, at: "2026-01-01T00:00:00Z" };
    const type = "data-connectivity:index:CachingJob";
    const id = jobId ?? "unconfirmed-1";
    const job = jobId === undefined ? {} : { id: jobId };
    const saved = { urn: urnOf("orders"), type, id, inputs: inputs(), outputs: { ...inputs(), job, origin } };
    const exportStack = () => Promise.resolve(JSON.stringify({ deployment: { resources: [saved] } }));
    const plugin = pluginHere(() => undefined, {}, { exportStack });
    await plugin.configure({ baseUrl, token: secret(token), jobOperations: "all" });
    await expect(plugin.get("orders", other.id)).rejects.toThrow(says);
    expect((await plugin.get("seen", other.id)).id).toBe(other.id);
  },
);

test.each(["import", "get", "refresh"] as const)(
  "One late read does not show that a job is missing: %s",
  async (how) => {
    const service = await start();
    const { baseUrl, token } = service;
    const { id } = service.addJob(cachingBody("ORDERS"));
    const plugin = pluginHere(() => undefined);
    await plugin.configure({ baseUrl, token: secret(token), jobOperations: "all" });
    const { outputs } = how === "refresh" ? await plugin.get("seen", id) : { outputs: undefined };
    service.inject({ kind: "reply", on: "get", status: 404 });
    const read = how === "import" ? plugin.import("orders", id) : plugin.get("seen", id, outputs);
    await expect(read).rejects.toThrow("its list of jobs has it");
  },
);
