import { createServer, type IncomingHttpHeaders } from "node:http";
import { startEmulator, type Emulator } from "../../provider/src/testing/emulator/index.js";
import { close, listen, portOf } from "../support/testService.js";
import { declared, HIDDEN, outcomeOf, running, stopAll, tables, textOf } from "../support/configuredProvider.js";

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln"&+/=';

/** Every form of the token in which a server could send it back. */
const echoes = [TOKEN, encodeURIComponent(TOKEN), `Bearer ${TOKEN}`, TOKEN.replaceAll('"', "&quot;")];
const secrets = [
  ...echoes,
  "eyJhbGciOiJIUzI1NiJ9",
  "c2ln",
  Buffer.from(TOKEN).toString("base64").slice(4, -4),
  Buffer.from(TOKEN).toString("hex"),
];
const statuses = [200, 201, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 503];

afterEach(stopAll);

test("No token is in a message, a record, the log or the output, whatever the server sends back", async () => {
  const received: IncomingHttpHeaders[] = [];
  // It answers the list, and each create with the next status, the token in every part of the reply.
  const server = createServer((request, response) => {
    received.push(request.headers);
    if (request.method === "GET") {
      response.end(JSON.stringify({ dataSources: [] }));
      return;
    }
    request.resume().once("end", () => {
      const status = statuses[received.length % statuses.length] ?? 500;
      const texts = [
        ...echoes,
        Buffer.from(`x Bearer ${TOKEN}`).toString("base64"),
        Buffer.from(TOKEN).toString("hex"),
      ];
      const job = { id: `id ${TOKEN}`, name: texts.join(" "), params: { [TOKEN]: texts, nested: { deep: texts } } };
      const body = received.length % 2 === 0 ? { jobs: [job], message: texts.join(" ") } : { error: texts.join(" ") };
      const echo = encodeURIComponent(TOKEN);
      response.writeHead(status, `No ${echo}`, {
        "Content-Type": `application/json; token=${echo}`,
        Location: `https://${TOKEN.slice(0, 20)}.example/${echo}`,
        "Retry-After": "0",
        "X-Token": echo,
      });
      response.end(JSON.stringify(body));
    });
  });
  await listen(server);
  const accounts = Object.fromEntries(
    tables(26).map((_, n) => [
      `a${n}`,
      { baseUrl: `http://127.0.0.1:${portOf(server)}`, token: TOKEN, timeoutSeconds: 1 },
    ]),
  );
  const provider = await running({ accounts }, { DATA_CONNECTIVITY_LOG: "debug" });
  const results = [];
  for (const account of Object.keys(accounts)) {
    results.push(await provider.create(declared(HIDDEN, { account })));
  }
  await close(server);
  expect(new Set(results.map(outcomeOf))).toEqual(new Set(["created", "notCreated", "unconfirmed"]));
  expect(received.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true);
  const shown = [JSON.stringify(results), results.map(textOf).join("\n"), provider.stderr(), provider.stdout()].join(
    "\n",
  );
  expect(shown).toContain("<token>");
  for (const secret of secrets) expect(shown).not.toContain(secret);
  expect(provider.stderr()).not.toContain(HIDDEN);
  expect(results.map(textOf).join("\n")).not.toContain(HIDDEN);
});

describe("With an emulated service", () => {
  let emulator: Emulator;
  beforeEach(async () => (emulator = await startEmulator({ token: "t0ken-of-this-test" })));
  afterEach(() => emulator.stop());

  test("each request is one line of the debug log: time, method, path, status, duration, try, outcome", async () => {
    emulator.inject(
      { kind: "reply", status: 503, on: "list" },
      { kind: "reply", status: 429, on: "create", headers: { "Retry-After": "0" } },
      { kind: "reset", on: "create" },
    );
    const config = { baseUrl: emulator.baseUrl, token: emulator.token };
    const provider = await running(config, { DATA_CONNECTIVITY_LOG: "debug" });
    await provider.create(declared());
    await provider.stop();
    const lines = provider
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("[data-connectivity]"));
    const time = /^\[data-connectivity\] \d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z /;
    expect(lines.every((line) => time.test(line))).toBe(true);
    expect(lines.map((line) => line.replace(time, "").replace(/\d+ms/, "0ms"))).toEqual([
      "GET /api/poweredby/sources/list 503 0ms try=1 again",
      "GET /api/poweredby/sources/list 200 0ms try=2 answered",
      "POST /api/job/create 429 0ms try=1 again",
      "POST /api/job/create - (the connection broke before a reply came (ECONNRESET)) 0ms try=2 doubtful",
    ]);
  });

  test("nothing is logged without the setting", async () => {
    const provider = await running({ baseUrl: emulator.baseUrl, token: emulator.token });
    expect(outcomeOf(await provider.create(declared()))).toBe("created");
    await provider.stop();
    expect(provider.stderr()).toBe("");
  });

  test("requestEncoding quoted sends three fields as texts, as the interface's examples do", async () => {
    const accounts = {
      quoted: { baseUrl: emulator.baseUrl, token: emulator.token, requestEncoding: "quoted" },
      typed: { baseUrl: emulator.baseUrl, token: emulator.token },
    };
    const provider = await running({ accounts });
    await provider.create(declared("A", { account: "quoted", enabled: false }));
    await provider.create(declared("B", { account: "typed" }));
    const [quoted, typed] = emulator.jobs.map(({ body }) => body);
    expect(quoted).toMatchObject({ intervalValue: "4", logVerbosity: "2", enabled: "false", intervalUnit: "Hour" });
    expect(typed).toMatchObject({ intervalValue: 4, logVerbosity: 2, enabled: true });
  });

  test("a request says who sends it and what it takes, and a create comes on a connection of its own", async () => {
    const provider = await running({ baseUrl: emulator.baseUrl, token: emulator.token });
    for (const table of tables(3)) await provider.create(declared(table));
    expect(new Set(emulator.requests.map(({ userAgent }) => userAgent?.replace(/\d+\.\d+\.\d+\S*/, "x")))).toEqual(
      new Set(["pulumi-data-connectivity/x"]),
    );
    expect(new Set(emulator.requests.map(({ remotePort }) => remotePort)).size).toBe(4);
  });
});
