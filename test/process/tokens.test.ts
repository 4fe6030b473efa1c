import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tokens } from "../../provider/src/client/token.js";
import {
  declared,
  outcomeOf,
  posts,
  running,
  start,
  stopAll,
  tables,
  tally,
  textOf,
} from "../support/configuredProvider.js";

const jwt = (name: string, secondsLeft: number): string =>
  [{ alg: "none" }, { sub: name, exp: Math.floor(Date.now() / 1000) + secondsLeft }, name]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");

/** A service that notes which tokens it saw, and accepts those that the test says. */
async function startService(accepts: (token: string) => boolean) {
  const seen: string[] = [];
  const acceptToken = (token: string) => {
    seen.push(token);
    return accepts(token);
  };
  const emulator = await start({ acceptToken });
  return { emulator, seen };
}

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "token-"))));
afterEach(async () => {
  await stopAll();
  await rm(folder, { recursive: true });
});

/** A command that prints what its file holds, and notes that it ran; without the file it fails. */
const command = (name = "token") => `echo ${name} >> '${join(folder, "runs")}'; cat '${join(folder, name)}'`;
const give = (token: string, name = "token") => writeFile(join(folder, name), `${token}\n`);
const runs = async (): Promise<number> => (await readFile(join(folder, "runs"), "utf8")).split("\n").length - 1;
const until = (time: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
const createAll = (provider: Awaited<ReturnType<typeof running>>, count: number, from = 0) =>
  Promise.all(
    tables(from + count)
      .slice(from)
      .map((table) => provider.create(declared(table))),
  );

test("A run that outlives its token continues with the next one, which parallel creates share", async () => {
  const [first, second] = [jwt("first", 10), jwt("second", 3600)];
  const expiry = (Math.floor(Date.now() / 1000) + 10) * 1000;
  const { emulator, seen } = await startService(() => true);
  await give(first);
  const provider = await running({ baseUrl: emulator.baseUrl, credentialsCommand: command() });
  expect(tally(await createAll(provider, 5)).created).toBe(5);
  expect(await runs()).toBe(1);

  await give(second);
  // The last fifth of its life has begun, the end has not come.
  await until(expiry - 500);
  expect(tally(await createAll(provider, 20, 5)).created).toBe(20);
  expect(await runs()).toBe(2);
  expect([seen.filter((token) => token === first).length, seen.filter((token) => token === second).length]).toEqual([
    6, 20,
  ]);
});

test("Requests that find the token due at the same moment share one renewal", async () => {
  await give(jwt("first", 3));
  const tokens = new Tokens({
    name: undefined,
    baseUrl: "http://127.0.0.1",
    requestEncoding: "typed",
    timeoutSeconds: 1,
    credentials: { from: "the test", command: command() },
    setCredentials: "",
  });
  const first = await tokens.get();
  await give("second");
  await until(Date.now() + 3000);
  const all = await Promise.all(Array.from({ length: 20 }, () => tokens.get()));
  expect([first === "second", new Set(all), await runs()]).toEqual([false, new Set(["second"]), 2]);
});

test("A renewal that fails early leaves the old token in use, for it has not expired", async () => {
  const { emulator } = await startService(() => true);
  await give(jwt("only", 5));
  const provider = await running({ baseUrl: emulator.baseUrl, credentialsCommand: command() });
  expect(tally(await createAll(provider, 1)).created).toBe(1);
  await rm(join(folder, "token"));
  await until(Date.now() + 4500);
  expect(tally(await createAll(provider, 3, 1)).created).toBe(3);
  expect(await runs()).toBeGreaterThan(1);
});

test("A token that is refused is replaced once, and parallel creates share that", async () => {
  let revoked = false;
  const { emulator, seen } = await startService((token) => token !== "first" || !revoked);
  await give("first");
  const provider = await running({ baseUrl: emulator.baseUrl, credentialsCommand: command() });
  expect(tally(await createAll(provider, 3)).created).toBe(3);
  revoked = true;
  await give("second");
  expect(tally(await createAll(provider, 20, 3))).toEqual({ created: 20, notCreated: 0, unconfirmed: 0 });
  expect([await runs(), emulator.jobs.length]).toEqual([2, 23]);
  expect(seen.filter((token) => token === "second")).toHaveLength(20);
});

test("A refused token that the command prints again costs one run of the command for all creates together", async () => {
  let revoked = false;
  const { emulator } = await startService(() => !revoked);
  await give("only");
  const provider = await running({ baseUrl: emulator.baseUrl, credentialsCommand: command() });
  expect(tally(await createAll(provider, 1)).created).toBe(1);
  revoked = true;
  expect(tally(await createAll(provider, 20, 1)).notCreated).toBe(20);
  expect([await runs(), posts(emulator.requests)]).toEqual([2, 21]);
});

test("A service that refuses every token gets one more token, and no create is sent", async () => {
  const { emulator, seen } = await startService(() => false);
  const provider = await running({
    baseUrl: emulator.baseUrl,
    credentialsCommand: `${command()} 2>/dev/null; date +%s%N`,
  });
  const results = await createAll(provider, 5);
  expect(tally(results).notCreated).toBe(5);
  expect([await runs(), seen.length, posts(emulator.requests)]).toEqual([2, 2, 0]);
  expect(textOf(results[0] ?? { kind: "error", message: "" })).toMatch(/HTTP 401.*\(2 tries\).*Give a valid token/);
});

test("A message says both that a token was refused and that it could not be replaced, and not that nothing was sent", async () => {
  let revoked = false;
  const { emulator } = await startService(() => !revoked);
  await give("first");
  const provider = await running({
    baseUrl: emulator.baseUrl,
    credentialsCommand: `${command()} || { echo vault is sealed >&2; exit 3; }`,
  });
  expect(tally(await createAll(provider, 1)).created).toBe(1);
  revoked = true;
  await rm(join(folder, "token"));
  const [result] = await createAll(provider, 1, 1);
  const text = textOf(result ?? { kind: "error", message: "" });
  expect(text).toMatch(
    /HTTP 401: .*The command of data-connectivity:credentialsCommand ended with exit code 3\. It said: .*vault is sealed.* No job was created\./s,
  );
  expect(text).not.toContain("nothing was sent");
});

test("An expired JWT is refused before anything is sent, and the message has both times; an opaque token is used as it is", async () => {
  const { emulator, seen } = await startService(() => true);
  const expired = jwt("old", -3600);
  const accounts = {
    expired: { baseUrl: emulator.baseUrl, token: expired },
    printed: { baseUrl: emulator.baseUrl, credentialsCommand: `echo ${expired}` },
    opaque: { baseUrl: emulator.baseUrl, token: "opaque.but.dotted" },
    leeway: { baseUrl: emulator.baseUrl, token: jwt("clock", -30) },
  };
  const provider = await running({ accounts });
  const results = await Promise.all(
    Object.keys(accounts).map((account) => provider.create(declared("T", { account }))),
  );
  expect(results.map(outcomeOf)).toEqual(["notCreated", "notCreated", "created", "created"]);
  const [first = "", second = ""] = results.map(textOf);
  const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
  expect(first).toMatch(
    new RegExp(
      `The token from data-connectivity:accounts\\.expired\\.token expired at ${time}; now it is ${time} here\\. Give a new one.*nothing was sent`,
    ),
  );
  expect(second).toMatch(/The command must print one that is still valid\./);
  expect(first + second).not.toContain("Check the address");
  expect(seen).not.toContain(expired);
});

test("One account's token is never seen by another's service, whatever that answers", async () => {
  const [eu, us] = await Promise.all([startService((token) => token === "eu-2"), startService(() => false)]);
  const env = {
    DATA_CONNECTIVITY_TOKEN: "unnamed",
    DATA_CONNECTIVITY_CREDENTIALS_COMMAND_EU: `echo x >> '${join(folder, "runs")}'; echo eu-$(grep -c x '${join(folder, "runs")}')`,
  };
  const accounts = {
    eu: { baseUrl: eu.emulator.baseUrl },
    us: { baseUrl: us.emulator.baseUrl, token: "us-1" },
    none: { baseUrl: us.emulator.baseUrl },
  };
  const provider = await running({ baseUrl: us.emulator.baseUrl, accounts }, env);
  const results = await Promise.all(
    tables(10).map((table, n) => provider.create(declared(table, { account: ["eu", "us", "none"][n % 3] ?? "" }))),
  );
  expect(results.filter((_, n) => n % 3 === 0).map(outcomeOf)).toEqual(Array(4).fill("created"));
  expect(results.filter((_, n) => n % 3 !== 0).map(outcomeOf)).toEqual(Array(6).fill("notCreated"));
  expect(new Set(eu.seen)).toEqual(new Set(["eu-1", "eu-2"]));
  expect(new Set(us.seen)).toEqual(new Set(["us-1"]));
});
