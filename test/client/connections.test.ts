import { listDataSources } from "../../provider/src/client/requests.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { endOf, create, messageOf, sendCreate, clientAt, TOKEN } from "../support/testService.js";

const { HTTPS_PROXY } = process.env;
afterEach(async () => {
  await stopAll();
  if (HTTPS_PROXY === undefined) delete process.env["HTTPS_PROXY"];
  else process.env["HTTPS_PROXY"] = HTTPS_PROXY;
});

test.each(["destroy", "halfClose"] as const)(
  "A service that closes idle connections by %s causes no lost request and no second create",
  async (idleClose) => {
    const emulator = await start({ token: TOKEN, idleTimeoutMs: 20, idleClose });
    const client = clientAt(emulator.baseUrl, { timeoutSeconds: 5 });
    for (let pause = 16; pause < 24; pause += 0.5) {
      expect(await listDataSources(client)).toMatchObject({ kind: "done" });
      await new Promise((resolve) => setTimeout(resolve, pause));
      expect(await create(client)).toMatchObject({ kind: "done" });
    }
    expect([emulator.jobs.length, posts(emulator.requests)]).toEqual([16, 16]);
    const ports = emulator.requests.filter(({ method }) => method === "POST").map(({ remotePort }) => remotePort);
    expect(new Set(ports).size).toBe(16);
  },
);

test.each(["http://user:hunter2@[proxy", "http://user:hunter2@proxy:port", "user:hunter2@proxy:99999"])(
  "A create is known not to be sent, and is not tried again, where the address of the proxy is %s",
  async (address) => {
    process.env["HTTPS_PROXY"] = address;
    const outcome = await sendCreate(clientAt("https://service.invalid"));
    expect([endOf(outcome), messageOf(outcome)]).toEqual([
      "notCreated",
      "POST /api/job/create failed: the proxy address in HTTPS_PROXY or ALL_PROXY is not a URL. No job was created. " +
        "Check the address (data-connectivity:baseUrl), the network and the proxy settings, then run pulumi up again.",
    ]);
  },
);
