import { CliFolder } from "./cliProcess.js";
import { creating, exported, inClear, list, params, pendingOperation, resource, unconfirmed } from "./exportedState.js";

const folder = new CliFolder();

test("lists what a killed run left open in one table, and the steps once", async () => {
  const { lines } = await list(
    [resource("orders"), unconfirmed("again")],
    [
      creating("late", { inputs: { account: "eu" } }),
      creating("later", { kind: "ScheduledQueryJob", inputs: { params: {} } }),
      pendingOperation("updating", resource("orders")),
      pendingOperation("updating", resource("again")),
      { type: "creating", resource: { urn: "urn:pulumi:dev::proj::aws:s3:Bucket::logs", type: "aws:s3:Bucket" } },
      { type: "updating", resource: { urn: "urn:pulumi:dev::proj::aws:s3:Bucket::other", type: "aws:s3:Bucket" } },
    ],
  );
  const begin = lines.indexOf("A run was killed and left 4 operations on jobs open:");
  expect(lines.slice(begin + 1)).toEqual([
    "",
    "RESOURCE | TYPE | TABLE OR QUERY | SCHEDULE | ACCOUNT | KILLED WHILE | LOOK FOR",
    "again | CachingJob | ORDERS | every 4 Hour | - | resending it | up to 2 jobs",
    "late | CachingJob | ORDERS | every 4 Hour | eu | creating | 1 job",
    "later | ScheduledQueryJob | - | every 4 Hour | - | creating | 1 job",
    "orders | CachingJob | ORDERS | every 4 Hour | - | updating | nothing",
    "",
    "What to do, once for all of them:",
    "1. Let nothing else use this stack. Answer no question of pulumi refresh: its default removes all marks. If the killed run still locks the stack: pulumi cancel --yes",
    expect.stringMatching(/^2\. Wait a minute/),
    "3. With jobOperations all, adopt the jobs that are there, in place of the next two steps: DATA_CONNECTIVITY_ADOPT_MATCHING=true pulumi up",
    "4. Look at the service for each job in the table. The killed run created it before 2026-11-20T13:30:00.123Z, when the stack was last saved, or shortly afterwards.",
    '5. For a job that is there, add its id to the declaration: existingJobId: "<id>". For one that is not there, change nothing.',
    `6. Look whether aws:s3:Bucket "logs" was made: it is another package's resource.`,
    "7. Only after all of the above, because it removes all marks at once: pulumi refresh --clear-pending-creates --yes --non-interactive",
    expect.stringMatching(
      /^8\. pulumi up\. If a job that was resent is not there, this instead: DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE=20\S*Z pulumi up$/,
    ),
    "",
  ]);
});

test("what a later run created or adopted is not looked for", async () => {
  const adopted = { outcome: "adopted", baseUrl: "https://jobs.example.com", at: "2026-11-20T13:29:00.000Z" };
  const { lines } = await list(
    [resource("orders", { id: "job-2" }), resource("items", { id: "job-3", origin: adopted })],
    ["orders", "items"].map((name) => creating(name)),
  );
  expect(lines.filter((line) => line.includes(" | creating | "))).toEqual([
    "items | CachingJob | ORDERS | every 4 Hour | creating | nothing",
    "orders | CachingJob | ORDERS | every 4 Hour | creating | nothing",
  ]);
  expect(lines.filter((line) => /^\d\. /.test(line))).toEqual([
    expect.stringMatching(/^1\. Let nothing/),
    expect.stringMatching(/^2\. Only after/),
    "3. pulumi up",
  ]);
});

test("a table that is secret is not shown after a killed run either", async () => {
  const late = resource("late", { inputs: { params: { ...params, sourceTable: inClear("SECRETTABLE") } } });
  const { lines, stdout } = await list([], [pendingOperation("creating", late)]);
  expect(lines).toContain("late | CachingJob | (secret) | every 4 Hour | creating | 1 job");
  expect(stdout).not.toContain("SECRETTABLE");
});

describe("--check", () => {
  const check = (state: string, args: readonly string[] = []) => folder.pipe(state, ["jobs", "--check", ...args]);
  const pending = [creating("late")];

  test.each([
    ["an unconfirmed job", exported([resource("orders"), unconfirmed("late")]), "1 job needs your attention:"],
    ["a state without origin", exported([resource("orders", { origin: "gone" })]), "1 job needs your attention:"],
    [
      "an open operation",
      exported([resource("orders")], pending),
      "A run was killed and left 1 operation on jobs open:",
    ],
  ])("ends with exit code 1 for %s, and prints what to do", async (_, state, says) => {
    const { exitCode, stdout, stderr } = await check(state);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
    expect(stdout).toContain(says);
    expect(await check(state, ["--json"])).toMatchObject({ exitCode: 1, stderr: "" });
  });

  test("ends with exit code 0 where nothing is open or unconfirmed", async () => {
    const { exitCode, stdout } = await check(exported([resource("orders")]));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^RESOURCE.*\norders/);
  });
});
