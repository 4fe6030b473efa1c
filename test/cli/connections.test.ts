import { CONNECTIONS, settingsFor, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { configOf, configuredProject, ownSettings } from "./cliProcess.js";
import { exported, inClear, ofProvider } from "./exportedState.js";

afterEach(stopAll);

const lastModified = "2026-11-20T13:28:23.6280000Z";
const connection = (name: string) => ({ id: `id-of-${name}`, name, dataSource: "Snowflake", lastModified });

/** Runs the command. The configuration has no jobOperations unless `config` says otherwise. */
const list = (service: TestServer, args: readonly string[] = [], config: Readonly<Record<string, string>> = {}) =>
  configuredProject(config).run(["connections", ...args], settingsFor(service));

test("lists the connections in mode create too, with one request, and steers no terminal", async () => {
  const service = await start({ connections: [connection("One"), { ...connection("Two"), name: "T\u001b[2Jwo" }] });
  const { exitCode, lines, stderr } = await list(service);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(lines).toEqual([
    "ID | NAME | DATA SOURCE | LAST MODIFIED",
    `id-of-One | One | Snowflake | ${lastModified}`,
    `id-of-Two | T?[2Jwo | Snowflake | ${lastModified}`,
    "",
  ]);
  expect(service.requests.map(({ path }) => path)).toEqual([CONNECTIONS]);
});

test("asks each account, and a list that is missing fails the command and no other account", async () => {
  const [one, two] = [await start({ connections: [connection("One")] }), await start()];
  const accounts = configOf({ eu: { ...ownSettings(two), credentialsCommand: "echo unknown" }, us: ownSettings(one) });
  const { exitCode, lines, stderr } = await list(one, [], accounts);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Account eu: GET \/api\/poweredby\/connection\/list failed with HTTP 401/);
  expect(lines.slice(0, 3).map((line) => line.split(" | ").at(-1))).toEqual(["ACCOUNT", "-", "us"]);
});

test("asks the providers that the program declared, and the configuration only if it has an address and credentials", async () => {
  const eu = await start({ token: "secret-of-eu" });
  const { id, name } = connection("One");
  eu.inject({ kind: "reply", status: 200, body: { connections: [{ id, name }] } });
  const stack = exported(ofProvider("eu", { baseUrl: eu.baseUrl, token: inClear(eu.token), version: "0.1.0" }));
  const { exitCode, stdout, stderr } = await configuredProject({}, stack).run(["connections", "--json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  // Null stands for what the service did not tell.
  const nulls = { dataSource: null, lastModified: null, account: null };
  expect(JSON.parse(stdout)).toEqual({
    connections: [{ id, name, ...nulls, service: eu.baseUrl, provider: "eu" }],
    notListed: [],
  });
});

test.each([
  [[], /^$/],
  [["--json"], /^\{\n {2}"connections": null,\n {2}"notListed": \[\n\s+\{/],
])("an address without this list is said, with exit code 1 (%j)", async (args, printed) => {
  const { exitCode, stdout, stderr } = await list(await start({ jobOperations: "create" }), args);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^The unnamed account: GET \/api\/poweredby\/connection\/list failed with HTTP 404/);
  expect(stdout).toMatch(printed);
});

test("an account without connections is no failure", async () => {
  const { exitCode, stdout } = await list(await start({ connections: [] }));
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "There are no connections.\n" });
});

test("says of no account that there are no connections while a list is missing", async () => {
  const [one, two] = [await start({ connections: [] }), await start()];
  const accounts = configOf({ eu: { ...ownSettings(two), credentialsCommand: "echo unknown" } });
  const { exitCode, stdout } = await configuredProject(accounts).run(["connections"], settingsFor(one));
  expect([exitCode, stdout]).toEqual([1, ""]);
});
