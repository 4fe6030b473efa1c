import { startProviderProcess, type ProviderProcess } from "../support/providerProcess.js";
import { declared, textOf } from "../support/configuredProvider.js";
import { stopAll, stopLater } from "../support/emulated.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import type { JsonObject } from "../../provider/src/json.js";

afterAll(stopAll);

const baseUrl = "http://127.0.0.1:1";
const origin = { outcome: "created", baseUrl, at: "2026-01-01T00:00:00Z" };
const unconfirmed = { job: {}, origin: { ...origin, outcome: "unconfirmed" } };
const named = (name: string) => ({ __resource: { name } });
const orders = named("orders");
const saved = (more: JsonObject = {}): JsonObject => ({ ...declared("T"), job: { id: "7" }, origin, ...more });

let provider: ProviderProcess;
beforeAll(async () => {
  provider = stopLater(await startProviderProcess());
  await provider.configure({ "data-connectivity:baseUrl": baseUrl });
});

const reason = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

/** What a user reads about one job, hook by hook. `more` is what the class adds to its inputs. */
const hooks: readonly (readonly [string, (more: JsonObject) => Promise<string>])[] = [
  [
    "check",
    async (more) =>
      (await provider.check({ olds: {}, news: declared("T", { intervalValue: 0, ...more }) })).failures
        .map(({ reason: text }) => text)
        .join("\n"),
  ],
  [
    "check, of the settings",
    async (more) =>
      (await provider.check({ olds: {}, news: declared("T", { account: "eu", ...more }) })).failures
        .map(({ reason: text }) => text)
        .join("\n"),
  ],
  [
    "diff",
    async (more) =>
      (await provider.diff({ id: "7", olds: saved(more), news: declared("T", { intervalValue: 5, ...more }) })).error ??
      "",
  ],
  [
    "diff of a state that is not ours",
    async (more) =>
      (await provider.diff({ id: "7", olds: declared("T", more), news: declared("T", more) })).error ?? "",
  ],
  [
    "update",
    async (more) =>
      textOf(await provider.update({ id: "7", olds: saved(more), news: declared("T", { intervalValue: 5, ...more }) })),
  ],
  ["create without a token", async (more) => textOf(await provider.create(declared("T", more)))],
  ["delete", (more) => reason(provider.delete({ id: "7", props: saved(more) }))],
];

describe("A message about a resource begins with its class and its name:", () => {
  test.each(hooks)("%s", async (_hook, messageOf) => {
    expect(await messageOf(orders)).toMatch(/^(Error: )?CachingJob "orders": \S/);
  });

  test.each(hooks)("%s; a state without the name goes by the job's id", async (_hook, messageOf) => {
    expect(await messageOf({})).toMatch(/^(Error: )?CachingJob( "7")?: \S/);
  });
});

const diff = (news: JsonObject, more: JsonObject, id = "7") =>
  provider.diff({ id, olds: saved(more), news: declared("T", news) });

/** The lines under the stack, each for a resource of its own. */
const lines: readonly (readonly [string, string, (label: JsonObject) => Promise<unknown>])[] = [
  [
    "a change that was made at the service",
    "this update sends nothing. Job 7 is recorded as declared, and nothing checks that it is.",
    (label) => diff({ intervalValue: 5, changedAtService: "May", ...label }, label),
  ],
  [
    "an input that has no effect any more",
    "this update sends nothing. The change has no effect on a job that exists; it is only recorded.",
    (label) => diff({ definedNextRun: "2030-01-01T00:00:00Z", ...label }, label),
  ],
  [
    "the adoption of a job, in place of a create",
    "job 9 is adopted. Nothing is sent, and nothing checks that the job exists.",
    (label) => provider.check({ olds: {}, news: declared("T", { existingJobId: "9", ...label }) }),
  ],
  [
    "the adoption of the job of an unconfirmed create",
    "job 9 is adopted. Nothing is sent, and nothing checks that the job exists.",
    (label) => diff({ existingJobId: "9", ...label }, { ...unconfirmed, ...label }, "unconfirmed-1"),
  ],
  [
    "an unconfirmed create",
    "unconfirmed since 2026-01-01T00:00:00Z. This update will be refused",
    (label) => diff(label, { ...unconfirmed, ...label }, "unconfirmed-1"),
  ],
];

describe("The lines under the stack", () => {
  let shown = "";
  beforeAll(async () => {
    const speaking = stopLater(await startProviderProcess());
    await speaking.configure({ "data-connectivity:baseUrl": baseUrl });
    const silent = provider;
    provider = speaking;
    for (const [n, [, , call]] of lines.entries()) {
      await call(named(`job-${n}`));
      await call(named(`job-${n}`));
    }
    await speaking.delete({ id: "unconfirmed-1", props: saved({ ...unconfirmed, ...named("lost") }) });
    const known = declared("T", { existingJobId: "9", ...named("known") });
    await speaking.check({ olds: known, news: known });
    provider = silent;
    await speaking.stop();
    shown = speaking.stderr();
  });

  test.each(lines.map(([what, line], n) => [what, line, n] as const))(
    "say once what it means: %s",
    (_what, line, n) => {
      expect(shown.split(`data-connectivity: CachingJob "job-${n}": ${line}`)).toHaveLength(2);
    },
  );

  test("say that an unconfirmed create leaves the stack", () => {
    expect(shown).toContain(
      'data-connectivity: CachingJob "lost": unconfirmed-1 leaves the stack. Its create, sent to',
    );
  });

  test("do not announce a job again that is in the stack already", () => {
    expect(shown).not.toContain("known");
  });
});

describe("A refused change", () => {
  const refusal = async (was: JsonObject, now: JsonObject): Promise<string> =>
    (await provider.diff({ id: "7", olds: { ...was, job: { id: "7" }, origin }, news: now })).error ?? "";
  const from = (table: string, isPlain: boolean): JsonObject => {
    const inputs = declared(table);
    const { name, plain } = identityFor("orders", inputs, isPlain);
    return { ...inputs, __resource: plain === undefined ? { name } : { name, plain } };
  };

  test.each<[string, boolean, boolean, string]>([
    ["both sides are plain", true, true, '  params.sourceTable: "WAS" → "NOW"'],
    ["the saved side may be secret", false, true, "  params.sourceTable (values are not shown: they may be secret)"],
    ["the declared side may be secret", true, false, "  params.sourceTable (values are not shown: they may be secret)"],
  ])("shows the values of params only where %s", async (_when, was, now, line) => {
    const text = await refusal(from("WAS", was), from("NOW", now));
    expect(text.split("\n")).toContain(line);
    expect(text).toContain("The first refused job ends the run: other jobs may differ too.");
    if (!was || !now) expect(text).not.toMatch(/WAS|NOW/);
  });

  test("does not show values that a transform put in place of those that the class saw", async () => {
    const replaced = {
      ...from("NOW", true),
      ...declared("S3CRET"),
      __resource: from("NOW", true)["__resource"] ?? null,
    };
    expect(await refusal(from("WAS", true), replaced)).not.toMatch(/S3CRET|WAS/);
  });
});

test("A refresh's read without its diff does not hide the next change", async () => {
  const olds = saved({ ...orders, job: { id: "8" } });
  expect(await provider.read({ id: "8", props: olds })).toMatchObject({ id: "8" });
  const changed = await provider.diff({ id: "8", olds, news: declared("T", { intervalValue: 5, ...orders }) });
  expect(changed.error).toContain("intervalValue: 4 → 5");
});
