import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { z } from "zod";
import { parseFaults } from "../../provider/src/testing/emulator/parseFaults.js";
import { CREATE, JOB, JOBS, LIST, pathOf, TABLES } from "../support/emulated.js";
import { matching, saying } from "../support/matchers.js";
import { send } from "../support/rawHttp.js";
import { CliFolder } from "./cliProcess.js";

const folder = new CliFolder();

type Use = (baseUrl: string) => Promise<unknown>;

/** Runs the emulator on a free port, lets `use` talk to the emulator, and ends the emulator, by default as Ctrl-C does. */
async function emulator(args: readonly string[], use?: Use, signal: NodeJS.Signals = "SIGINT") {
  const running = folder.start(["emulator", ...args]);
  const [, baseUrl = ""] = await running.outputMatches(/ export DATA_CONNECTIVITY_BASE_URL=(\S+)\n[^]*Ctrl-C/);
  await use?.(baseUrl);
  running.kill(signal);
  return running.finished;
}

const jobList = z.object({ jobs: z.tuple([z.object({ id: z.string() })]) });

const emulate = (args: readonly string[], use?: Use) => emulator(["--token", "t0ken", ...args], use);

test("prints what to paste, a line for each request and what it did, and a summary when Ctrl-C ends it", async () => {
  const { exitCode, stdout } = await emulate([], async (baseUrl) => {
    await send(baseUrl, { path: LIST, token: "t0ken" });
    await send(baseUrl, { path: LIST, token: "other" });
    const { body } = await send(baseUrl, { method: "POST", path: CREATE, token: "t0ken", body: JOB });
    const [{ id }] = jobList.parse(JSON.parse(body.toString())).jobs;
    await send(baseUrl, { method: "PUT", path: pathOf(id, "/update"), token: "t0ken", body: JOB });
    await send(baseUrl, { method: "DELETE", path: pathOf(id, "/delete"), token: "t0ken" });
  });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("  export DATA_CONNECTIVITY_TOKEN=t0ken\n");
  const lines = stdout.split("\n").filter((line) => /^\d\d:\d\d:\d\d/.test(line));
  expect(lines.map((line) => line.slice(8).replace(/ +/g, " ").trim())).toEqual([
    "GET /api/poweredby/sources/list 200",
    "GET /api/poweredby/sources/list 401 token not accepted",
    expect.stringMatching(/^POST \/api\/job\/create 200 made Caching job [0-9a-f-]{36} \(ORDERS\)$/),
    expect.stringMatching(/^PUT .* 200 changed Caching job [0-9a-f-]{36} \(ORDERS\)$/),
    expect.stringMatching(/^DELETE .* 200 deleted job [0-9a-f-]{36}$/),
  ]);
  expect(stdout).toMatch(/\n5 requests, 1 job made\.\n$/);
});

test("ends each run as it is told", async () => {
  const found: unknown[] = [];
  await emulate(["--run", "ORDERS=JOB_FAILED,12", "--run", "DONE,3,40"], async (baseUrl) => {
    for (const sourceTable of ["ORDERS", "ITEMS"]) {
      const body = { ...JOB, params: { ...JOB.params, sourceTable } };
      const made = await send(baseUrl, { method: "POST", path: CREATE, token: "t0ken", body });
      const [{ id }] = jobList.parse(JSON.parse(made.body.toString())).jobs;
      await send(baseUrl, { method: "POST", path: pathOf(id, "/run"), token: "t0ken" });
    }
    const list = await send(baseUrl, { path: JOBS, token: "t0ken" });
    found.push(JSON.parse(list.body.toString()));
  });
  expect(found).toMatchObject([
    {
      jobs: [
        { lastRun: { status: "JOB_FAILED", duration: 12, rowsAffected: 0, dateTime: matching(/^2/) } },
        { lastRun: { status: "DONE", duration: 3, rowsAffected: 40 } },
      ],
    },
  ]);
});

test("lists the tables that it is given, narrowed as the vendor documents it", async () => {
  const tables = ["Snowflake1.PUBLIC.ORDERS", "Snowflake1.PUBLIC.a.b", "Other.X.ORDERS"].flatMap((name) => [
    "--table",
    name,
  ]);
  const found: unknown[] = [];
  await emulate(tables, async (baseUrl) => {
    for (const query of ["", "?catalogName=Snowflake1", "?tableName=ORDERS&schemaName=X", "?schemaName=none"]) {
      const { body } = await send(baseUrl, { path: `${TABLES}${query}`, token: "t0ken" });
      found.push(JSON.parse(body.toString()));
    }
  });
  const [orders, dotted, other] = [
    ["Snowflake1", "PUBLIC", "ORDERS"],
    ["Snowflake1", "PUBLIC", "a.b"],
    ["Other", "X", "ORDERS"],
  ];
  const result = (...rows: unknown[]) => ({ results: [expect.objectContaining({ rows })] });
  expect(found).toEqual([result(orders, dotted, other), result(orders, dotted), result(other), result()]);
});

test("without options it takes a free port and makes up a token", async () => {
  const { exitCode, stdout } = await emulator([], undefined, "SIGTERM");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n.*_TOKEN=[\w-]{32}\n/);
  expect(stdout).toMatch(/\n0 requests, 0 jobs made\.\n$/);
});

test("a token that a shell would read otherwise is quoted in the line to paste", async () => {
  const { stdout } = await emulator(["--token", "it's$HOME"]);
  expect(stdout).toContain(String.raw`export DATA_CONNECTIVITY_TOKEN='it'\''s$HOME'`);
});

test("applies the faults of a file, and the log names them", async () => {
  const faults = folder.write("faults.json", '[{ "kind": "reply", "status": 503 }, { "kind": "reset" }]');
  const seen: (number | undefined)[] = [];
  const { stdout } = await emulate(["--faults", faults], async (baseUrl) => {
    while (seen.length < 3) seen.push((await send(baseUrl, { path: LIST, token: "t0ken" })).status);
  });
  expect(seen).toEqual([503, undefined, 200]);
  expect(stdout).toMatch(/ 503 {2}fault reply\n/);
  expect(stdout).toMatch(/ --- {2}fault reset\n/);
});

test("--help shows an example of each kind of fault, and each example is accepted", async () => {
  const { stdout } = await folder.run(["emulator", "--help"]);
  const examples = stdout.split("\n").flatMap((line) => /\{ .* \}/.exec(line)?.[0] ?? []);
  const faults = parseFaults(JSON.parse(`[${examples.join(",")}]`));
  const kinds = faults.map(({ kind }) => `"${kind}"`).join(" or ");
  expect(() => parseFaults([{ kind: "" }])).toThrow(`Accepted: ${kinds}.`);
  const file = folder.write("examples.json", `[${examples.join(",")}]`);
  await emulate(["--faults", file]);
});

describe("To rehearse with", () => {
  const jobsOf = async (baseUrl: string, token: string): Promise<unknown> => {
    const { status, body } = await send(baseUrl, { path: JOBS, token });
    return status === 200 ? JSON.parse(body.toString()) : status;
  };
  const create = (baseUrl: string, token: string) => send(baseUrl, { method: "POST", path: CREATE, token, body: JOB });

  test("several tokens, each account has its own jobs, and two tokens of one account see the same", async () => {
    const tokens = ["acme:one", "acme:two", "eu:three"].flatMap((token) => ["--token", token]);
    const { stdout } = await emulate(tokens, async (baseUrl) => {
      await create(baseUrl, "one");
      const created = await jobsOf(baseUrl, "one");
      expect(created).toMatchObject({ jobs: [{ name: "ORDERS" }] });
      expect(created).not.toHaveProperty("jobs.0.account");
      expect(await jobsOf(baseUrl, "two")).toEqual(created);
      expect(await jobsOf(baseUrl, "three")).toEqual({ jobs: [] });
      expect(await jobsOf(baseUrl, "t0ken")).toEqual({ jobs: [] });
      const [{ id }] = jobList.parse(created).jobs;
      const other = { path: pathOf(id, "/delete"), method: "DELETE", token: "three" };
      expect((await send(baseUrl, other)).status).toBe(404);
      await send(baseUrl, { path: pathOf(id, "/update"), method: "PUT", token: "two", body: JOB });
      expect(await jobsOf(baseUrl, "one")).toMatchObject({ jobs: [{}] });
    });
    expect(stdout).toContain("  # or three, of the account eu\n");
    expect(stdout).toMatch(/made Caching job .*, account acme\n/);
  });

  test("a key, tokens that the command signs are accepted for their subject, and no others", async () => {
    const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
    const [own, other] = [pair(), pair()];
    const publicPem = own.publicKey.export({ type: "spki", format: "pem" }).toString();
    const sign = async (key: KeyObject, subject: string) => {
      const pem = key.export({ type: "pkcs8", format: "pem" }).toString();
      const ids = ["--issuer", "parent", "--subject", subject];
      return (await folder.spawnPiped(pem, ["token", "--key", "-", ...ids])).stdout.trim();
    };
    await emulate(["--public-key", folder.write("public.pem", publicPem)], async (baseUrl) => {
      const acme = await sign(own.privateKey, "acme");
      await create(baseUrl, acme);
      expect(await jobsOf(baseUrl, acme)).toMatchObject({ jobs: [{ name: "ORDERS" }] });
      expect(await jobsOf(baseUrl, await sign(own.privateKey, "eu"))).toEqual({ jobs: [] });
      expect(await jobsOf(baseUrl, await sign(other.privateKey, "acme"))).toBe(401);
      const [header, , signature] = acme.split(".");
      const claims = Buffer.from('{"tokenType":"powered-by","sub":"eu","exp":9999999999}').toString("base64url");
      expect(await jobsOf(baseUrl, [header, claims, signature].join("."))).toBe(401);
    });
  });
});

test("a port that is in use is one clear sentence", async () => {
  await emulate([], async (baseUrl) => {
    const { port } = new URL(baseUrl);
    const inUse = `Port ${port} is in use. Leave out --port to get a free one, or stop the program that uses it.\n`;
    expect(await folder.run(["emulator", "--port", port])).toMatchObject({ exitCode: 1, stderr: inUse });
  });
});

const kinds = 'faults[0].kind is "drip". Accepted: "reply" or "reset".';
test.each([
  ["no JSON", "--faults", "nonsense", "is not JSON"],
  ["an unknown kind", "--faults", '[{ "kind": "drip" }]', kinds],
  ["no key", "--public-key", '[{ "id": 1 }]', "The file of --public-key cannot be used: "],
])("a file with %s is refused by %s with exit code 1", async (_, option, text, message) => {
  const run = await folder.run(["emulator", option, folder.write("bad.json", text)]);
  expect(run).toMatchObject({ exitCode: 1, stderr: saying(message) });
});

test.each([
  ["--faults", "absent.json", 1, /^The faults could not be read: .*absent\.json/],
  ["--port", "80000", 2, /from 0 to 65535/],
  ["--token", "a b", 2, /--token is empty, or has a space/],
])("%s %s is refused with exit code %d", async (option, value, exitCode, says) => {
  expect(await folder.run(["emulator", option, value])).toMatchObject({ exitCode, stderr: matching(says) });
});
