import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { parseFaults } from "../../provider/src/testing/emulator/parseFaults.js";
import { CREATE, JOB, JOBS, LIST, pathOf, TABLES } from "../support/emulated.js";
import { containing, matching, saying } from "../support/matchers.js";
import { send } from "../support/rawHttp.js";
import { startCommand } from "../support/command.js";
import { CliFolder, main } from "./cliProcess.js";

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
  expect(stdout).toContain("these variables do not override it");
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
  const [reply, reset, delay] = faults.map(({ kind }) => `"${kind}"`);
  expect(() => parseFaults([{ kind: "" }])).toThrow(`Accepted: ${reply}, ${reset} or ${delay}.`);
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

describe("While it runs", () => {
  const tell = (baseUrl: string, ...args: readonly string[]) => folder.run(["emulator", "--at", baseUrl, ...args]);
  const down = '[{ "kind": "reply", "status": 503, "times": -1 }]';

  test("it is told its faults, which replace those that are left, and how runs end", async () => {
    const found: unknown[] = [];
    const { stdout } = await emulate(["--faults", down], async (baseUrl) => {
      const list = () => send(baseUrl, { path: JOBS, token: "t0ken" });
      found.push((await list()).status);
      found.push((await tell(baseUrl, "--faults", "[]", "--run", "ORDERS=JOB_FAILED")).stdout);
      const made = await send(baseUrl, { method: "POST", path: CREATE, token: "t0ken", body: JOB });
      const [{ id }] = jobList.parse(JSON.parse(made.body.toString())).jobs;
      await send(baseUrl, { method: "POST", path: pathOf(id, "/run"), token: "t0ken" });
      found.push(JSON.parse((await list()).body.toString()));
      await tell(baseUrl, "--faults", down);
      found.push((await list()).status);
    });
    const said = "From now on: no faults; the next runs end so: ORDERS JOB_FAILED.\n";
    expect(found).toEqual([
      503,
      said,
      containing({ jobs: [containing({ lastRun: containing({ status: "JOB_FAILED" }) })] }),
      503,
    ]);
    expect(stdout).toContain(said);
  });

  test("it refuses what is wrong, and a page of a browser", async () => {
    await emulate([], async (baseUrl) => {
      const put = (body: unknown, type = "application/json", method = "PUT") =>
        fetch(`${baseUrl}/emulator`, { method, headers: { "Content-Type": type }, body: JSON.stringify(body) });
      const wrong = [{ faults: [{ kind: "drip" }] }, { jobs: [] }, { runs: { A: { status: 1 } } }, []];
      for (const body of wrong) expect((await put(body)).status).toBe(400);
      expect((await put({ faults: [] }, "text/plain")).status).toBe(400);
      expect((await put({ faults: [] }, "application/json", "POST")).status).toBe(405);
      expect(await tell(baseUrl)).toMatchObject({ exitCode: 2, stderr: saying("--at needs --faults or --run.") });
      const beside = await tell(baseUrl, "--run", "A", "--port", "1", "--token", "t");
      expect(beside).toMatchObject({ exitCode: 2, stderr: saying("--at cannot be used with --port or --token.") });
    });
    const absent = await tell("http://127.0.0.1:9", "--run", "A");
    expect(absent).toMatchObject({
      exitCode: 1,
      stderr: saying("No emulator of this version runs at http://127.0.0.1:9."),
    });
    expect(await tell("nowhere", "--run", "A")).toMatchObject({ exitCode: 2, stderr: saying('--at is "nowhere".') });
  });

  test("a delayed reply comes late, and its request takes effect at once", async () => {
    const { stdout } = await emulate(
      ["--faults", '[{ "kind": "delay", "on": "create", "seconds": 3600 }]'],
      async (baseUrl) => {
        const late = new AbortController();
        const headers = { Authorization: "Bearer t0ken" };
        const made = fetch(`${baseUrl}${CREATE}`, {
          ...{ method: "POST", headers, body: JSON.stringify(JOB), signal: late.signal },
        });
        for (let jobs: unknown[] = []; jobs.length === 0;)
          ({ jobs } = z
            .object({ jobs: z.array(z.unknown()) })
            .parse(await (await fetch(`${baseUrl}${JOBS}`, { headers })).json()));
        late.abort();
        await expect(made).rejects.toThrow("aborted");
      },
    );
    expect(stdout).toContain("fault delay");
  });
});

describe("--jobs", () => {
  test("keeps the jobs over a restart", async () => {
    const file = folder.write("gone.json", "");
    rmSync(file);
    const list = async (baseUrl: string) => (await send(baseUrl, { path: JOBS, token: "new" })).body.toString();
    const found: string[] = [];
    await emulator(["--token", "old", "--token", "new", "--jobs", file], async (baseUrl) => {
      await send(baseUrl, { method: "POST", path: CREATE, token: "old", body: JOB });
      found.push(await list(baseUrl));
    });
    await emulator(["--token", "new", "--jobs", file], async (baseUrl) => {
      found.push(await list(baseUrl));
      const [{ id }] = jobList.parse(JSON.parse(await list(baseUrl))).jobs;
      await send(baseUrl, { method: "DELETE", path: pathOf(id, "/delete"), token: "new" });
    });
    expect(JSON.parse(found[1] ?? "")).toEqual(JSON.parse(found[0] ?? ""));
    expect(jobList.parse(JSON.parse(found[0] ?? "")).jobs).toHaveLength(1);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual([]);
  });

  test("refuses a file of something else", async () => {
    const file = folder.write("else.json", '{ "jobs": [] }');
    const refused = await folder.run(["emulator", "--jobs", file]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: saying("it does not have the jobs of an emulator") });
    expect(readFileSync(file, "utf8")).toBe('{ "jobs": [] }');
  });
});

test("ends with the process that started it through a shell, as npx does", async () => {
  // The shell does not pass a signal on: like that of npx, it waits for its child.
  const script = '"$NODE" "$MAIN" emulator --token t; true';
  const launcher = startCommand("sh", ["-c", script], {
    cwd: folder.path,
    env: { ...folder.env, NODE: process.execPath, MAIN: main, npm_execpath: "npm" },
  });
  const [, baseUrl = ""] = await launcher.outputMatches(/ export DATA_CONNECTIVITY_BASE_URL=(\S+)\n[^]*Ctrl-C/);
  launcher.kill("SIGKILL");
  // The emulator has the same standard output: this settles when it has ended.
  expect((await launcher.finished).stdout).toContain("0 requests");
  await expect(fetch(baseUrl)).rejects.toThrow("fetch failed");
});

test("a port that is in use is one clear sentence", async () => {
  await emulate([], async (baseUrl) => {
    const { port } = new URL(baseUrl);
    const inUse = `Port ${port} is in use. Leave out --port to get a free one, or stop the program that uses it.\n`;
    expect(await folder.run(["emulator", "--port", port])).toMatchObject({ exitCode: 1, stderr: inUse });
  });
});

const kinds = 'faults[0].kind is "drip". Accepted: "reply", "reset" or "delay".';
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
