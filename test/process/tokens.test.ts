import {
  createAll,
  declared,
  outcomeOf,
  startProvider,
  startService,
  tables,
  tally,
  textOf,
} from "../support/configuredProvider.js";
import { credentialsCommand } from "../support/credentialsCommand.js";
import { posts, stopAll } from "../support/emulated.js";
import { expiringJwt } from "../support/jwt.js";

/** A service that notes the tokens it sees, and accepts those that the test allows. */
async function startChecking(accepts: (token: string) => boolean) {
  const seen: string[] = [];
  const acceptToken = (token: string) => {
    seen.push(token);
    return accepts(token);
  };
  const emulator = await startService({ acceptToken });
  return { emulator, seen };
}

afterEach(stopAll);
const command = credentialsCommand();

/** A provider whose command prints the token `first`, with which it created jobs and which the service now refuses. */
async function startWithRefusedToken(jobs: number, onFailure = "") {
  let revoked = false;
  const service = await startChecking((token) => token !== "first" || !revoked);
  await command.prints("first");
  const credentialsCommand = command.line() + onFailure;
  const provider = await startProvider({ baseUrl: service.emulator.baseUrl, credentialsCommand });
  expect(tally(await createAll(provider, tables(jobs))).created).toBe(jobs);
  revoked = true;
  return { ...service, provider };
}

test("A token that is refused is replaced once, and parallel creates share that", async () => {
  const { emulator, seen, provider } = await startWithRefusedToken(3);
  await command.prints("second");
  expect(tally(await createAll(provider, tables(23).slice(3)))).toEqual({ created: 20, notCreated: 0, unconfirmed: 0 });
  expect([await command.runs(), emulator.jobs.length]).toEqual([2, 23]);
  expect(seen.filter((token) => token === "second")).toHaveLength(20);
});

test("A refused token that the command prints again costs one run of the command for all creates together", async () => {
  const { emulator, provider } = await startWithRefusedToken(1);
  expect(tally(await createAll(provider, tables(21).slice(1))).notCreated).toBe(20);
  expect([await command.runs(), posts(emulator.requests)]).toEqual([2, 21]);
});

test("A service that refuses every token gets one more token, and no create is sent", async () => {
  const { emulator, seen } = await startChecking(() => false);
  const provider = await startProvider({
    baseUrl: emulator.baseUrl,
    credentialsCommand: `${command.line()} 2>/dev/null; date +%s%N`,
  });
  const results = await createAll(provider, tables(5));
  expect(tally(results).notCreated).toBe(5);
  expect([await command.runs(), seen.length, posts(emulator.requests)]).toEqual([2, 2, 0]);
  expect(textOf(results[0] ?? { kind: "error", message: "" })).toMatch(
    /HTTP 401.*\(2 tries\).*did not accept the token from/,
  );
});

test("A message says both that a token was refused and that it could not be replaced, and not that nothing was sent", async () => {
  const { provider } = await startWithRefusedToken(1, " || { echo vault is sealed >&2; exit 3; }");
  await command.fails();
  const [result] = await createAll(provider, tables(2).slice(1));
  const text = textOf(result ?? { kind: "error", message: "" });
  expect(text).toMatch(
    /HTTP 401: .*The command of data-connectivity:credentialsCommand ended with exit code 3\. It printed: .*vault is sealed.* No job was created\./s,
  );
  expect(text).not.toContain("the create was not sent");
});

test("An expired JWT is refused before anything is sent, and the message has both times; an opaque token is used as it is", async () => {
  const { emulator, seen } = await startChecking(() => true);
  const expired = expiringJwt("old", -3600);
  const accounts = {
    expired: { baseUrl: emulator.baseUrl, token: expired },
    printed: { baseUrl: emulator.baseUrl, credentialsCommand: `echo ${expired}` },
    opaque: { baseUrl: emulator.baseUrl, token: "opaque.but.dotted" },
    leeway: { baseUrl: emulator.baseUrl, token: expiringJwt("clock", -30) },
  };
  const provider = await startProvider({ accounts });
  const results = await Promise.all(
    Object.keys(accounts).map((account) => provider.create(declared("T", { account }))),
  );
  expect(results.map(outcomeOf)).toEqual(["notCreated", "notCreated", "created", "created"]);
  const [first = "", second = ""] = results.map(textOf);
  const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
  expect(first).toMatch(
    new RegExp(
      `The token from data-connectivity:accounts\\.expired\\.token expired at ${time}; the time here is ${time}\\. No job was created: the create was not sent\\. Set a working token: pulumi config set --secret --path data-connectivity:accounts\\.expired\\.token`,
    ),
  );
  expect(second).toMatch(
    /Run the command of data-connectivity:accounts\.printed\.credentialsCommand by hand .*: it must print a valid token/,
  );
  expect(first + second).not.toContain("Check the address");
  expect(seen).not.toContain(expired);
});

test("One account's token is never seen by another's service, whatever that answers", async () => {
  const [eu, us] = await Promise.all([startChecking((token) => token === "eu-2"), startChecking(() => false)]);
  const env = {
    DATA_CONNECTIVITY_TOKEN: "unnamed",
    DATA_CONNECTIVITY_CREDENTIALS_COMMAND_EU: command.numbering("eu-"),
  };
  const accounts = {
    eu: { baseUrl: eu.emulator.baseUrl },
    us: { baseUrl: us.emulator.baseUrl, token: "us-1" },
    none: { baseUrl: us.emulator.baseUrl },
  };
  const provider = await startProvider({ baseUrl: us.emulator.baseUrl, accounts }, env);
  const results = await Promise.all(
    tables(10).map((table, n) => provider.create(declared(table, { account: ["eu", "us", "none"][n % 3] ?? "" }))),
  );
  expect(results.filter((_, n) => n % 3 === 0).map(outcomeOf)).toEqual(Array(4).fill("created"));
  expect(results.filter((_, n) => n % 3 !== 0).map(outcomeOf)).toEqual(Array(6).fill("notCreated"));
  expect(new Set(eu.seen)).toEqual(new Set(["eu-1", "eu-2"]));
  expect(new Set(us.seen)).toEqual(new Set(["us-1"]));
});
