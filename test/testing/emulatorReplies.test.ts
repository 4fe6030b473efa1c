import { create, faulty, json, stopAll } from "../support/emulated.js";
import type { ReplyFault } from "../../provider/src/testing/emulator/faults.js";
import type { Received } from "../support/rawHttp.js";

afterEach(stopAll);

describe("A reply of the emulator:", () => {
  const asJson = { "content-type": "application/json; charset=utf-8" };
  const asText = { "content-type": "text/plain; charset=utf-8" };

  test.each<[string, Omit<ReplyFault, "kind">, Received["headers"], string]>([
    ["a bare status", { status: 503 }, {}, ""],
    ["no content", { status: 204 }, {}, ""],
    ["a Retry-After", { status: 429, headers: { "Retry-After": "7" } }, { "retry-after": "7" }, ""],
    [
      "a web page",
      { status: 200, body: "<p>hi", headers: { "Content-Type": "text/html" } },
      { "content-type": "text/html" },
      "<p>hi",
    ],
    ["text", { status: 200, body: "{" }, asText, "{"],
    ["JSON", { status: 200, body: { jobs: null } }, asJson, '{"jobs":null}'],
    ["JSON null", { status: 200, body: null }, asJson, "null"],
    ["a status nobody knows", { status: 799 }, {}, ""],
  ])("%s", async (_name, fault, headers, body) => {
    const emulator = await faulty({ kind: "reply", ...fault });
    const reply = await create(emulator);
    expect(reply).toMatchObject({ status: fault.status, headers });
    expect(reply.body.toString()).toBe(body);
    expect(emulator.jobs).toEqual([]);
    expect(emulator.requests).toMatchObject([{ status: fault.status, fault: "reply", job: undefined }]);
  });

  test("a processed reply has the service's own body unless another one is given", async () => {
    const emulator = await faulty(
      { kind: "reply", status: 504, processed: true },
      { kind: "reply", status: 500, processed: true, body: "no" },
    );
    const reply = await create(emulator);
    expect(reply.status).toBe(504);
    expect(json(reply)).toMatchObject({ jobs: [{ id: emulator.jobs[0]?.id }] });
    expect((await create(emulator)).body.toString()).toBe("no");
    expect(emulator.requests.map(({ job }) => job)).toEqual(emulator.jobs.map(({ id }) => id));
    expect(emulator.jobs).toHaveLength(2);
  });
});
