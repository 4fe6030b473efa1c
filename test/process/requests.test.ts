import { declared, startProvider, startService } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";

describe("The provider process", () => {
  let emulator: TestServer;
  beforeEach(async () => (emulator = await startService()));
  afterEach(stopAll);

  test("writes one line of the debug log for each request: time, method, path, status, duration, try, outcome", async () => {
    emulator.inject(
      { kind: "reply", status: 503, on: "sources" },
      { kind: "reply", status: 429, on: "create", headers: { "Retry-After": "0" } },
      { kind: "reset", on: "create" },
    );
    const config = { baseUrl: emulator.baseUrl, token: emulator.token };
    const provider = await startProvider(config, { DATA_CONNECTIVITY_LOG: "debug" });
    await provider.create(declared());
    const lines = (await provider.end()).split("\n").filter((line) => / try=\d/.test(line));
    const prefix = "[data-connectivity] ";
    expect(lines.every((line) => line.startsWith(prefix))).toBe(true);
    const time = /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z /;
    const logged = lines.map((line) => line.slice(prefix.length));
    expect(logged.every((line) => time.test(line))).toBe(true);
    expect(logged.map((line) => line.replace(time, "").replace(/\d+ms/, "0ms"))).toEqual([
      "GET /api/poweredby/sources/list 503 0ms try=1 ambiguous retry=later",
      "GET /api/poweredby/sources/list 200 0ms try=2 answered retry=never",
      "POST /api/job/create 429 0ms try=1 notProcessed retry=later",
      "POST /api/job/create - (the connection broke before a reply came (ECONNRESET)) 0ms try=2 ambiguous retry=never",
    ]);
  });

  test("sends three fields as strings under requestEncoding quoted, as the interface's examples do", async () => {
    const accounts = {
      quoted: { baseUrl: emulator.baseUrl, token: emulator.token, requestEncoding: "quoted" },
      typed: { baseUrl: emulator.baseUrl, token: emulator.token },
    };
    const provider = await startProvider({ accounts });
    await provider.create(declared("A", { account: "quoted", enabled: false }));
    await provider.create(declared("B", { account: "typed" }));
    const [quoted, typed] = emulator.jobs.map(({ body }) => body);
    expect(quoted).toMatchObject({ intervalValue: "4", logVerbosity: "2", enabled: "false", intervalUnit: "Hour" });
    expect(typed).toMatchObject({ intervalValue: 4, logVerbosity: 2, enabled: true });
  });

  test("names the package in each request", async () => {
    const provider = await startProvider({ baseUrl: emulator.baseUrl, token: emulator.token });
    await provider.create(declared());
    const agents = emulator.requests.map(({ userAgent }) => userAgent?.replace(/\d+\.\d+\.\d+\S*/, "x"));
    expect(agents).toEqual(Array(2).fill("pulumi-data-connectivity/x"));
  });
});
