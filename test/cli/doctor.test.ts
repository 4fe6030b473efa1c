import { LIST, settingsFor, start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { including, matching } from "../support/matchers.js";
import { CliFolder, examine } from "./cliProcess.js";

const folder = new CliFolder();
const doctor = (env: NodeJS.ProcessEnv) => examine(folder, env);
afterEach(stopAll);

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

test("prints every check in order where all pass, and sends one request, the list call", async () => {
  const emulator = await start({ token: "t0ken-value" });
  const { exitCode, lines, stdout, stderr } = await doctor(settingsFor(emulator));
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    "Settings from the environment alone: no stack is named, and no Pulumi.yaml is in this folder or above it",
    `baseUrl ${emulator.baseUrl} DATA_CONNECTIVITY_BASE_URL`,
    "token present DATA_CONNECTIVITY_TOKEN",
    "credentialsCommand not set",
    "subject not set",
    "account not set",
    "accounts not set",
    "requestEncoding typed (default)",
    "timeoutSeconds 60 (default)",
    "rateLimitSeconds 600 (default)",
    "jobOperations create (default)",
    "protect true (default)",
    "DATA_CONNECTIVITY_RESEND_UNCONFIRMED not set",
    "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED not set",
    "DATA_CONNECTIVITY_ADOPT_MATCHING false (default)",
    "DATA_CONNECTIVITY_LOG not set",
    "",
    "The unnamed account",
    `ok address ${emulator.baseUrl} is well formed`,
    "ok token an opaque token, whose expiry cannot be read, from DATA_CONNECTIVITY_TOKEN",
    "ok list the service answers with 12 data sources",
    "",
    "All checks passed.",
    "",
  ]);
  expect(stdout).not.toContain("t0ken-value");
  expect(emulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${LIST}`]);
});

test("a JWT shows when it expires, and whom it speaks for", async () => {
  const token = jwt({ exp: secondsFromNow(2 * 3600 + 30), iss: "parent", sub: "child\u001b[2J" });
  const emulator = await start({ token });
  const says =
    /^ok token a JWT that expires at \d{4}-.*Z, in 2 h, issuer parent, subject child, from DATA_CONNECTIVITY_TOKEN$/;
  expect(await doctor(settingsFor(emulator))).toMatchObject({ exitCode: 0, lines: including([matching(says)]) });
});

test("a JWT that has expired fails with the fix beside it, and is not sent", async () => {
  const token = jwt({ exp: secondsFromNow(-7200) });
  const emulator = await start({ token });
  const { exitCode, lines, stdout } = await doctor(settingsFor(emulator));
  expect(exitCode).toBe(1);
  expect(lines.slice(lines.findIndex((line) => line.startsWith("FAILED")))).toEqual([
    matching(/^FAILED token The token from DATA_CONNECTIVITY_TOKEN expired at .*; the time here is .*\.$/),
    "Set a working token: export DATA_CONNECTIVITY_TOKEN=<token>",
    "- list not checked: needs what failed above",
    "",
    "1 check failed.",
    "",
  ]);
  expect(emulator.requests).toEqual([]);
  expect(stdout).not.toContain(token);
});

test("a JWT that has just expired is not ok, although a run still sends it", async () => {
  const token = jwt({ exp: secondsFromNow(-20) });
  const emulator = await start({ token });
  const { exitCode, lines } = await doctor(settingsFor(emulator));
  expect(exitCode).toBe(1);
  expect(lines).toContainEqual(matching(/^FAILED token The token from DATA_CONNECTIVITY_TOKEN expired at /));
});

test("malformed settings fail without their secrets", async () => {
  const { exitCode, lines, stdout } = await doctor({
    DATA_CONNECTIVITY_BASE_URL: "https://user:hunter2@jobs.example.com",
    DATA_CONNECTIVITY_TOKEN: "Bearer hunter3",
    DATA_CONNECTIVITY_RESEND_UNCONFIRMED: "yesterday",
  });
  expect(exitCode).toBe(1);
  expect(lines).toEqual(
    including([
      "baseUrl https://jobs.example.com and more (not shown) DATA_CONNECTIVITY_BASE_URL",
      matching(/^FAILED settings DATA_CONNECTIVITY_RESEND_UNCONFIRMED is "yesterday"\. Accepted: a JSON object/),
      'FAILED settings The token from DATA_CONNECTIVITY_TOKEN begins with "Bearer ": give only what comes after that.',
      "2 checks failed.",
    ]),
  );
  expect(stdout).not.toMatch(/hunter/);
});

test.each<[string, object, string]>([
  ["no exp", {}, "a JWT that does not say when it expires (no exp)"],
  ["an exp that is a text", { exp: "1800000000" }, "a JWT that has an exp that is not a number of seconds"],
  ["an exp in milliseconds", { exp: 1_800_000_000_000 }, "a JWT that has an exp that is not a number of seconds"],
  ["an nbf in the future", { nbf: secondsFromNow(7300) }, "a JWT that is valid only from"],
])("a token with %s is described so", async (_name, claims, says) => {
  const token = jwt({ ...claims });
  const emulator = await start({ token });
  const { lines } = await doctor(settingsFor(emulator));
  expect(lines).toContainEqual(expect.stringContaining(`ok token ${says}`));
});

test("accounts of the environment are each checked with their own token", async () => {
  const emulator = await start({ acceptToken: (token) => ["one", "two"].includes(token) });
  const { exitCode, lines } = await doctor({
    DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
    DATA_CONNECTIVITY_TOKEN_EU: "one",
    DATA_CONNECTIVITY_CREDENTIALS_COMMAND_US_EAST: "echo three",
    DATA_CONNECTIVITY_TOKEN_EMPTY: "",
  });
  expect(exitCode).toBe(1);
  expect(lines.filter((line) => line.startsWith("accounts."))).toEqual([
    "accounts.eu.token present DATA_CONNECTIVITY_TOKEN_EU",
    "accounts.us-east.credentialsCommand present DATA_CONNECTIVITY_CREDENTIALS_COMMAND_US_EAST",
  ]);
  expect(lines.filter((line) => /^(The unnamed a|A)ccount|^\w+ list/.test(line))).toEqual([
    "Account eu",
    "ok list the service answers with 12 data sources",
    "Account us-east",
    expect.stringContaining("FAILED list"),
  ]);
  expect(lines).toContain("1 check failed.");
});

test("a folder that does not exist is named", async () => {
  const stderr = matching(/^The folder of --cwd does not exist: .*absent\n$/);
  expect(await examine(folder, {}, ["--cwd", "absent"])).toMatchObject({ exitCode: 1, stderr });
});

test("a project without a CLI on PATH is checked with the environment, and a named stack is not", async () => {
  const emulator = await start();
  const project = new CliFolder();
  project.write("Pulumi.yaml", "name: p\nruntime: nodejs\n");
  const env = { ...settingsFor(emulator), PATH: project.path };
  const alone = await examine(project, env);
  expect({ exitCode: alone.exitCode, first: alone.lines[0] }).toEqual({
    exitCode: 0,
    first: "Settings from the environment alone: no pulumi CLI is on PATH to read a stack's configuration",
  });
  expect(await examine(project, env, ["--stack", "dev"])).toMatchObject({
    exitCode: 1,
    stderr: "--stack needs the pulumi CLI, and none is on PATH. Without --stack the environment is read.\n",
  });
});
