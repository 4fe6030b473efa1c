import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingBody } from "../support/all/declarations.js";
import type { StartedProvider } from "../support/all/hosts.js";
import type { TestFault } from "../support/emulator/index.js";
import { declared, startProvider, startService, textOf } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";
import { matching } from "../support/matchers.js";
import { unheardAddress } from "../support/servers.js";
import { TOKEN } from "../support/testService.js";

afterAll(stopAll);

let provider: StartedProvider;
beforeAll(async () => (provider = await startProvider({ baseUrl: unheardAddress })));

const origin = { outcome: "created", baseUrl: unheardAddress, at: "2026-01-01T00:00:00Z" };
const unconfirmed = { job: {}, origin: { ...origin, outcome: "unconfirmed" } };
const named = (name: string) => ({ __resource: { name } });
const saved = (more: Declaration = {}): Declaration => ({ ...declared("T"), job: { id: "7" }, origin, ...more });

/** Why a diff is refused; empty if the diff is not refused. */
async function refusalOf(was: Declaration, now: Declaration, at = provider): Promise<string> {
  const difference = await at.diff("7", was, now);
  return typeof difference === "object" ? difference.error : "";
}

type Call<Result = unknown> = (at: StartedProvider, more: Declaration) => Promise<Result>;

const problemsOf = async (at: StartedProvider, news: Declaration) =>
  (await at.check({}, declared("T", news))).failures.join("\n");
const changed = (more: Declaration) => declared("T", { intervalValue: 5, ...more });

/** What a user reads about one job, call by call. `more`: additional inputs. */
const messagesOfCalls = Object.entries<Call<string>>({
  check: (at, more) => problemsOf(at, { intervalValue: 0, ...more }),
  "check, of the settings": (at, more) => problemsOf(at, { account: "eu", ...more }),
  diff: (at, more) => refusalOf(saved(more), changed(more), at),
  "diff of a state that is not ours": (at, more) => refusalOf(declared("T", more), declared("T", more), at),
  update: async (at, more) => textOf(await at.update("7", saved(more), changed(more))),
  "create without a token": async (at, more) => textOf(await at.create(declared("T", more))),
  delete: async (at, more) => textOf(await at.delete("7", saved(more))),
});

test.each(messagesOfCalls)("A message begins with its class, and its name or the job's id: %s", async (_call, of) => {
  expect(await of(provider, named("orders"))).toMatch(/^CachingJob "orders": \S/);
  expect(await of(provider, { __resource: undefined })).toMatch(/^CachingJob( "7")?: \S/);
});

const diff = (at: StartedProvider, news: Declaration, more: Declaration, id = "7") =>
  at.diff(id, saved(more), declared("T", news));

/** Lines for the user, each about its own resource. */
const lines: readonly (readonly [string, string, Call])[] = [
  [
    "a change that was made at the service",
    "this update sends nothing. Job 7 is recorded as declared, without a check at the service.",
    (at, label) => diff(at, { intervalValue: 5, changedAtService: "May", ...label }, label),
  ],
  [
    "an input that has no effect any more",
    "this update sends nothing. The change is only recorded: it has no effect on an existing job.",
    (at, label) => diff(at, { definedNextRun: "2030-01-01T00:00:00Z", ...label }, label),
  ],
  [
    "the adoption of a job, in place of a create",
    "job 9 is adopted. Nothing is sent, and nothing checks that the job exists.",
    (at, label) => at.check({}, declared("T", { existingJobId: "9", ...label })),
  ],
  [
    "the adoption of the job of an unconfirmed create",
    "job 9 is adopted. Nothing is sent, and nothing checks that the job exists.",
    (at, label) => diff(at, { existingJobId: "9", ...label }, { ...unconfirmed, ...label }, "unconfirmed-1"),
  ],
];

describe("The lines for a user", () => {
  let shown = "";
  beforeAll(async () => {
    const speaking = await startProvider({ baseUrl: unheardAddress });
    for (const [n, [, , call]] of lines.entries()) {
      await call(speaking, named(`job-${n}`));
      await call(speaking, named(`job-${n}`));
    }
    await diff(speaking, { definedNextRun: "2030-01-01T00:00:00Z", ...named("further") }, named("further"));
    const known = declared("T", { existingJobId: "9", ...named("known") });
    await speaking.check(known, known);
    shown = await speaking.end();
  });

  test.each(lines.map(([what, line], n) => ({ what, line, n })))("say once what it means: $what", ({ line, n }) => {
    expect(shown.split(`CachingJob "job-${n}": ${line}`)).toHaveLength(2);
  });

  test("name only the first job whose update records what has no effect", () => {
    expect(shown).not.toContain('further"');
  });

  test("do not announce a job again that is in the stack already", () => {
    expect(shown).not.toContain("known");
  });
});

/** A declaration that says whether its values may be shown. `hidden`: members beside `params` that may not. */
function from(table: string, isPlain: boolean, more: Declaration = {}, hidden: readonly string[] = []): Declaration {
  const inputs = declared(table, more);
  return { ...inputs, __resource: identityFor("orders", inputs, [...(isPlain ? [] : ["params"]), ...hidden]) };
}

test.each<[string, boolean, boolean, string]>([
  ["both sides are plain", true, true, '  params.sourceTable: "WAS" → "NOW"'],
  ["the saved side may be secret", false, true, "  params.sourceTable (values are not shown: they may be secret)"],
  ["the declared side may be secret", true, false, "  params.sourceTable (values are not shown: they may be secret)"],
])("A refused change shows the values of params only where %s", async (_when, was, now, line) => {
  const text = await refusalOf(saved(from("WAS", was)), from("NOW", now));
  expect(text.split("\n")).toContain(line);
  expect(text).toContain("The run ends at the first refused job, so other jobs may differ too.");
  if (!was || !now) expect(text).not.toMatch(/WAS|NOW/);
});

test("A refused change does not show values that a transform put in place of those that the class saw", async () => {
  const now = { ...from("NOW", true), params: declared("S3CRET")["params"] };
  const text = await refusalOf(saved(from("WAS", true)), now);
  expect(text).toContain("params.sourceTable (values are not shown");
  expect(text).not.toMatch(/S3CRET|WAS/);
});

test("A refusal is the error of its call, and nothing is printed beside it", async () => {
  const refusing = await startProvider({ baseUrl: unheardAddress });
  expect(await refusalOf(saved(), changed({}), refusing)).toContain("no way to change");
  expect(textOf(await refusing.delete("7", {}))).toContain("origin");
  expect(await refusing.end()).toBe("");
});

// Only the classes let an unconfirmed create leave the stack: the plugin refuses to delete it.
test("An unconfirmed create leaves the stack with a line", async () => {
  const speaking = await startProvider({ baseUrl: unheardAddress });
  await speaking.delete("unconfirmed-1", saved({ ...unconfirmed, ...named("lost") }));
  expect(await speaking.end()).toContain('CachingJob "lost": unconfirmed-1 leaves the stack. Its create, sent to');
});

describe("A secret of the schedule is in no message", () => {
  const schedule = ["intervalUnit", "intervalValue", "logVerbosity", "enabled"];
  const secretly = (more: Declaration) => from("T", true, more, schedule);
  const was = secretly({ intervalValue: 424242, logVerbosity: 3 });
  const now = secretly({ intervalUnit: "Month", intervalValue: 535353, logVerbosity: 4, enabled: false });
  const wrong = secretly({ intervalUnit: "Fortnight", intervalValue: -535353, logVerbosity: 424242, enabled: "false" });
  const hidden = "(values are not shown: they may be secret)";
  const at = async (mode: string, faults: TestFault[] = []) => {
    const { baseUrl, addJob } = await startService({ faults });
    const provider = await startProvider({ baseUrl, token: TOKEN, jobOperations: mode });
    return { provider, addJob };
  };

  test.each<[string, string, () => Promise<string>]>([
    [
      "that is not accepted",
      "intervalUnit is not an accepted string (value not shown)",
      async () => (await provider.check({}, wrong)).failures.join("\n"),
    ],
    ["that changes", `  enabled ${hidden}`, () => refusalOf(saved(was), now)],
    [
      "of an unconfirmed create",
      "with sourceConnection 6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f, sourceSchema PUBLIC, sourceTable T, created at",
      async () => textOf(await (await at("create", [{ kind: "reset", on: "create" }])).provider.create(now)),
    ],
    [
      "of a job that is not adopted",
      `  logVerbosity ${hidden}`,
      async () => {
        const { provider: adopting, addJob } = await at("all");
        const existingJobId = addJob(cachingBody("T", { intervalValue: 424242 })).id;
        return textOf(await adopting.create({ ...now, existingJobId }));
      },
    ],
    [
      "that the service stored otherwise, and that its error repeats",
      "no <params>",
      async () => {
        const params = cachingBody("T")["params"] ?? {};
        const job = { id: "9", intervalUnit: "Hour", intervalValue: 424242, params };
        const { provider: creating } = await at("create", [
          { kind: "reply", on: "create", status: 200, body: { jobs: [job] } },
          { kind: "reply", on: "create", status: 400, body: "no 535353" },
        ]);
        await creating.create(now);
        const text = textOf(await creating.create(secretly({ intervalValue: 535353 })));
        const said = await creating.end();
        expect(said).toContain(
          "the service stored job 9 with another value of intervalUnit, another value of intervalValue.",
        );
        return text + said;
      },
    ],
  ])("%s", async (_what, shown, message) => {
    const text = await message();
    expect(text).toContain(shown);
    expect(text).not.toMatch(/424242|535353|Fortnight|→|logVerbosity \d/);
  });
});

test("A command's stderr that is cut at an emoji reaches the user", async () => {
  const credentialsCommand = String.raw`(printf '\360\237\224\222%.0s' $(seq 300); echo x) >&2; exit 1`;
  const failing = await startProvider({ baseUrl: unheardAddress, credentialsCommand });
  expect(textOf(await failing.create(declared("T")))).toContain(`It printed: "${"🔒".repeat(249)}x".`);
});

test("The debug log has one line for each request, and each request names the package", async () => {
  const { baseUrl, requests } = await startService();
  const provider = await startProvider({ baseUrl, token: TOKEN }, { DATA_CONNECTIVITY_LOG: "debug" });
  await provider.create(declared("T"));
  const line = (request: string) =>
    matching(new RegExp(`^\\d{4}-\\S+Z ${request} 200 \\d+ms try=1 answered retry=never$`));
  const lines = (await provider.end()).trim().split("\n");
  expect(lines).toEqual([line("GET /api/poweredby/sources/list"), line("POST /api/job/create")]);
  for (const { userAgent } of requests) expect(userAgent).toMatch(/^pulumi-data-connectivity\/\d+\.\d+\.\d+/);
});
