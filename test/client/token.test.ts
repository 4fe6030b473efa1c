import { modes } from "../../provider/src/config/index.js";
import { systemClock } from "../../provider/src/client/clock.js";
import { listJobs } from "../../provider/src/client/requests.js";
import { expiryOf } from "../../provider/src/client/token.js";
import { AccountClients } from "../../provider/src/client/accountClient.js";
import { credentialsCommand } from "../support/credentialsCommand.js";
import { start, stopAll } from "../support/emulated.js";
import { expiringJwt, jwt } from "../support/jwt.js";
import { matching } from "../support/matchers.js";
import { base, settings } from "../support/settings.js";
import { clientAt } from "../support/testService.js";

describe("The expiry of a token", () => {
  test.each<[string, string, number | undefined]>([
    ["a JWT's exp, in milliseconds", jwt({ exp: 1_800_000_000 }), 1_800_000_000_000],
    ["claims with text that is not ASCII", jwt({ name: "Zoë 🦊", exp: 1_800_000_000 }), 1_800_000_000_000],
    ["a JWT without exp", jwt({}), undefined],
    ["an exp in milliseconds, which no JWT may have", jwt({ exp: 1_800_000_000_000 }), undefined],
    ["an exp of nought or below", jwt({ exp: -5 }), undefined],
    ["claims that are null", jwt(null), undefined],
    ["claims that are no JSON", "e30.bm8.x", undefined],
    ["an opaque token", "s3cr3t", undefined],
    ["an encrypted token of five parts", "a.b.c.d.e", undefined],
  ])("%s", (_name, token, expected) => {
    expect(expiryOf(token)?.ms).toBe(expected);
  });
});

const hourMs = 3_600_000;

describe("A token that the service refuses", () => {
  afterEach(stopAll);

  test.each<[string, token: string, aheadMs: number, says: RegExp]>([
    ["has expired", expiringJwt("x", -30), 0, / which expired at \S+Z; the time at the service is \S+Z\. Set it\.$/],
    [
      "has expired by the service's clock",
      expiringJwt("x", 1800),
      hourMs,
      / which expired at \S+Z; the time at the service/,
    ],
    ["is not valid yet", jwt({ nbf: Date.now() / 1000 + 600 }), 0, / which is valid only from \S+Z; the time at the/],
    ["is valid by its claims", expiringJwt("x", 600), 0, /the token from the test\. It may .*\. Set it\.$/],
    ["is opaque", "opaque", 0, /the token from the test\. It may .*\. Set it\.$/],
  ])("is told with its time if it %s", async (_what, token, aheadMs, says) => {
    const { baseUrl } = await start({ now: () => Date.now() + aheadMs });
    const credentials = { from: "the test", fix: "Set it.", token };
    const client = clientAt(baseUrl, { credentials }, { clock: systemClock });
    expect(await listJobs(client)).toMatchObject({ kind: "failed", status: 401, fix: matching(says) });
  });
});

describe("Tokens from a command", () => {
  afterEach(() => jest.restoreAllMocks());
  const command = credentialsCommand();
  const tokensFor = (mode: "create" | "all") => {
    const credentials = { from: "the test", fix: "", command: command.line() };
    return clientAt("http://127.0.0.1", { mode: modes[mode], credentials }, { clock: systemClock }).tokens;
  };

  test("are renewed once for all requests that find the token due at the same moment", async () => {
    await command.prints(expiringJwt("first", 1000));
    const tokens = tokensFor("create");
    const first = await tokens.get();
    await command.prints("second");
    const later = Date.now() + 970_000;
    jest.spyOn(Date, "now").mockReturnValue(later);
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.get()));
    expect([first === "second", new Set(all), await command.runs()]).toEqual([false, new Set(["second"]), 2]);
  });

  test("stay in use where a renewal fails early, for they have not expired", async () => {
    await command.prints(expiringJwt("only", 1000));
    const tokens = tokensFor("create");
    const first = await tokens.get();
    await command.fails();
    const later = Date.now() + 970_000;
    jest.spyOn(Date, "now").mockReturnValue(later);
    expect([await tokens.get(), await command.runs()]).toEqual([first, 2]);
  });

  test("that could not be had for their subject cost the next request no other run of the command", async () => {
    await command.prints("none");
    await command.fails();
    const tokens = tokensFor("create");
    await tokens.learnSubject();
    await tokens.learnSubject();
    await expect(tokens.get()).rejects.toThrow("exit code 1");
    expect(await command.runs()).toBe(1);
    await command.prints("later");
    expect([await tokens.get(), await command.runs()]).toEqual(["later", 2]);
  });

  test("are compared once with the subject that the settings name, even if the command fails", async () => {
    await command.prints("none");
    await command.fails();
    const credentials = { from: "the test", fix: "", command: command.line() };
    const { subject } = settings({ ...base, subject: "in us" }).account();
    const { tokens } = clientAt("http://127.0.0.1", { subject, credentials });
    const found = [await tokens.otherSubject(), await tokens.otherSubject()];
    expect([found, await command.runs()]).toEqual([[undefined, undefined], 1]);
  });

  test.each([
    ["first", false],
    ["second", true],
  ])("after a 401 cost one run of the command for all requests together: it prints %s", async (next, isOther) => {
    await command.prints("first");
    const tokens = tokensFor("create");
    await tokens.get();
    await command.prints(next);
    const replaced = await Promise.all(Array.from({ length: 20 }, () => tokens.replace("first")));
    // A request that was sent before the renewal may be refused after it.
    expect([...new Set([...replaced, await tokens.replace("first")])]).toEqual([isOther]);
    expect([await tokens.get(), await command.runs()]).toEqual([next, 2]);
  });

  test.each([
    ["create", jwt({ iss: "parent-1", sub: "sub-2" }), "refused"],
    ["all", jwt({ iss: "parent-1", sub: "sub-2" }), "refused"],
    ["all", jwt({ iss: "parent-2", sub: "sub-1" }), "refused"],
    ["all", jwt({ iss: "parent-1", sub: "sub-1", jti: "2" }), "used"],
    ["all", "opaque", "refused"],
    ["create", jwt({ iss: "parent-1" }), "refused"],
  ] as const)("with %s: a renewed one such as %s is %s", async (mode, renewed, what) => {
    const first = jwt({ iss: "parent-1", sub: "sub-1" });
    await command.prints(first);
    const tokens = tokensFor(mode);
    expect(await tokens.get()).toBe(first);
    await command.prints(renewed);
    expect(await tokens.replace(first)).toBe(true);
    if (what === "used") expect(await tokens.get()).toBe(renewed);
    else await expect(tokens.get()).rejects.toThrow("for a different account or sub-account");
  });
});

test("A JWT that has expired is refused with both times, a minute later than it says", async () => {
  const tokenFor = (token: string) =>
    clientAt(
      "http://127.0.0.1",
      { credentials: { from: "the test", fix: "Set it.", token } },
      { clock: systemClock },
    ).tokens.get();
  const expired = expiringJwt("old", -3600);
  const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
  const refusal = new RegExp(`^The token from the test expired at ${time}; the time here is ${time}\\. Set it\\.$`);
  await expect(tokenFor(expired)).rejects.toThrow(refusal);
  const leeway = expiringJwt("clock", -30);
  expect([await tokenFor(leeway), await tokenFor("opaque.but.dotted")]).toEqual([leeway, "opaque.but.dotted"]);
});

test("Each account has its own tokens, whatever the service of another one answers", async () => {
  const env = { DATA_CONNECTIVITY_TOKEN: "unnamed", DATA_CONNECTIVITY_CREDENTIALS_COMMAND_EU: "echo eu" };
  const accounts = JSON.stringify({ eu: { baseUrl: "https://eu.example.com" }, us: { token: "us" } });
  const client = { isEngineAlive: () => Promise.resolve(true), report: () => undefined };
  const clients = new AccountClients(settings({ baseUrl: base.baseUrl, accounts }, env), client);
  const names = ["eu", "us", undefined];
  const tokens = () => Promise.all(names.map((name) => clients.of(name).tokens.get()));
  expect(await tokens()).toEqual(["eu", "us", "unnamed"]);
  for (const name of names) await clients.of(name).tokens.replace("us");
  expect(await tokens()).toEqual(["eu", "us", "unnamed"]);
});

describe("A token whose subject the settings name", () => {
  const config = { ...base, account: "us", accounts: '{"eu":{"token":"t","subject":"in eu"},"gb":{"token":"t"}}' };
  const tokenFor = (token: string, account?: string) =>
    clientAt("http://127.0.0.1", {
      subject: settings({ ...config, subject: "in us" }).account(account).subject,
      credentials: { from: "the test", fix: "Set a working token.", token },
    }).tokens.get();

  test.each([
    ["in us", undefined],
    ["in us", "us"],
    ["in eu", "eu"],
    ["anyone", "gb"],
  ])("is used if it has it: %s, for the account %s", async (sub, account) => {
    const token = jwt({ sub });
    expect(await tokenFor(token, account)).toBe(token);
  });

  test.each([
    [
      "has another",
      jwt({ sub: "in-eu" }),
      undefined,
      'The token from the test has the subject "in-eu", but data-connectivity:subject is "in us". Use a token of that account. Dangerous, and right only if the service gave the same account a new subject: pulumi config set data-connectivity:subject in-eu',
    ],
    [
      "has one that no shell takes as it is",
      jwt({ sub: "$(x)" }),
      "eu",
      'The token from the test has the subject "$(x)", but data-connectivity:accounts.eu.subject is "in eu". Use a token of that account. Dangerous, and right only if the service gave the same account a new subject: pulumi config set --path data-connectivity:accounts.eu.subject <sub>',
    ],
    [
      "has none",
      jwt({ iss: "x" }),
      undefined,
      'The token from the test shows no subject, and data-connectivity:subject is "in us". Set a working token.',
    ],
    [
      "is opaque",
      "opaque",
      undefined,
      'The token from the test shows no subject, and data-connectivity:subject is "in us". Set a working token.',
    ],
  ])("is refused if it %s", async (_, token, account, message) => {
    await expect(tokenFor(token, account)).rejects.toThrow(message);
  });
});

test("The fix for a token from the stack's settings says that a refresh uses those of the last pulumi up", () => {
  const config = { baseUrl: base.baseUrl, account: "us", accounts: '{"us":{"token":"t"}}' };
  const fix = "Set a working token: pulumi config set --secret --path data-connectivity:accounts.us.token";
  const of = (jobOperations: string) => settings({ ...config, jobOperations }).account().credentials?.fix;
  expect(of("create")).toBe(fix);
  expect(of("all")).toMatch(
    /^After you correct the token, run pulumi up first: .* Or run them with --run-program\. Set a/,
  );
});
