import { membersOf } from "../../provider/src/json.js";
import { orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { pasted } from "../support/all/pasted.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { resendIn } from "../support/resending.js";

afterEach(stopAll);

// A query without a name has no source by which the service tells its job.
const report = queryInputs("report", { query: "select 1" });
const renamed = queryInputs("renamed", { query: "select 1" });
const query = "select 1";
const options = { serial: true, continueOnError: true };

test.each(["note", "note of the stack's old name", "pending operation", "record", "record of another provider"])(
  "The killed create of a query without a name is looked for under a new name, too: %s",
  async (trace) => {
    const { stack, emulator, clock, use } = await fastStack({});
    const createNotes = new MemoryNotes();
    stack.savedAt = clock.now() - 1000;
    use({}, emulator, { createNotes, command: upCommand });
    if (trace.startsWith("record")) {
      await recordUnconfirmed(stack, emulator, report, true, { clock });
      const other = trace === "record" ? {} : { provider: "p2" };
      for (const saved of stack.state.values()) stack.state.set("report", { ...saved, ...other });
      stack.state.delete("orders");
    } else {
      await stack.up({ report }, options);
      stack.state.clear();
    }
    if (trace === "pending operation") stack.pending.set("report", report);
    if (trace.startsWith("note"))
      for (const { urn, ...begun } of createNotes.begun)
        createNotes.leave({ ...begun, urn: trace === "note" ? urn : urn.replace("pulumi:test:", "pulumi:old:") });
    stack.savedAt = clock.now();
    clock.pass(24 * 3_600_000);
    use({}, emulator, { createNotes, command: upCommand });
    const program = trace.endsWith("old name") ? { report } : { renamed };
    const [name = ""] = Object.keys(program);
    expect(await stack.preview(program, options)).toMatchObject(did({ [name]: "failed" }, "only you can tell"));
    const { messages } = await stack.up(program, options);
    expect(messages[name]).toContain(trace.startsWith("record") ? "it got no clear answer" : "a run was killed in it");
    expect(emulator.jobs).toHaveLength(1);
    use({}, emulator, { createNotes, command: upCommand, env: pasted(messages[name] ?? "") });
    expect((await stack.up(program, options)).steps).toMatchObject({ [name]: "created" });
    stack.savedAt = clock.now();
    use({}, emulator, { createNotes, command: upCommand });
    expect(await stack.up(program, options)).toMatchObject(did({ [name]: "same" }));
    expect(emulator.jobs).toHaveLength(1);
  },
);

test.each([
  ["all", true],
  ["all", false],
  ["create", true],
  ["create", false],
] as const)(
  "Mode %s: the killed create of a query without a name is not made again under a new name and another subject (job exists: %s)",
  async (jobOperations, isThere) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { acceptToken: () => true });
    const createNotes = new MemoryNotes();
    const useToken = (sub: string, env = {}) => {
      const token = jwt({ iss: "parent", sub });
      use({ jobOperations }, { ...emulator, token }, { createNotes, command: upCommand, env });
    };
    stack.savedAt = clock.now() - 1000;
    useToken("sub-1");
    await stack.up({ report }, options);
    stack.state.clear();
    for (const begun of createNotes.begun) createNotes.leave(begun);
    stack.savedAt = clock.now();
    clock.pass(24 * 3_600_000);
    useToken("sub-2");
    expect(await stack.preview({ renamed }, options)).toMatchObject(did({ renamed: "failed" }, "account"));
    const { messages } = await stack.up({ renamed }, options);
    expect(messages["renamed"]).toMatch(/a run was killed in it[^]*account: that of the token with which it was sent/);
    expect(emulator.jobs).toHaveLength(1);
    const [job] = isThere ? emulator.jobs : [];
    if (job === undefined) emulator.removeJob(emulator.jobs[0]?.id ?? "");
    const text = messages["renamed"] ?? "";
    useToken("sub-2", job === undefined ? resendIn(text)?.env : pasted(text, job.id));
    expect((await stack.up({ renamed }, options)).steps).toMatchObject({ renamed: "created" });
    expect(emulator.jobs).toHaveLength(1);
  },
);

test("A recorded create is not called the record of the new resource that may have its job, whose subject is another", async () => {
  const { stack, emulator, clock, use } = await fastStack({}, { acceptToken: () => true, lagMs: 60_000 });
  const useToken = (sub: string) => {
    use({}, { ...emulator, token: jwt({ iss: "parent", sub }) }, { command: upCommand });
  };
  useToken("sub-1");
  emulator.inject({ kind: "reset", on: "create", processed: true });
  expect(await stack.up({ report }, options)).toMatchObject(did({ report: "recorded" }));
  stack.savedAt = clock.now();
  clock.pass(24 * 3_600_000);
  useToken("sub-2");
  const { messages } = await stack.up({ renamed }, options);
  expect(messages["renamed"]).toMatch(/account: that of the token[^]*ADOPT_UNCONFIRMED[^]*resend the create once/);
  expect(messages["renamed"]).not.toContain("remove this resource from the state");
});

test("A tainted unconfirmed create of a query without a name is not sent again", async () => {
  const { stack, emulator, clock, use, posts } = await fastStack({}, { lagMs: 60_000 });
  emulator.inject({ kind: "reset", on: "create", processed: true });
  expect(await stack.up({ report }, options)).toMatchObject(did({ report: "recorded" }));
  stack.savedAt = clock.now();
  const exported = stack.export().replace('"urn":', '"taint":true,"urn":');
  clock.pass(800_000);
  stack.state.clear();
  use({}, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
  expect(await stack.up({ report }, options)).toMatchObject(did({ report: "failed" }, "only you can tell"));
  expect(posts()).toBe(1);
});

test("The job of a killed resend of a query without a name is not made again after a command without it", async () => {
  const { stack, emulator, clock, posts } = await fastStack();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect(await stack.up({ report }, options)).toMatchObject(did({ report: "recorded" }));
  clock.pass(3_600_000);
  // A run on another machine resent it and was killed; `up --target` of another resource has removed its pending update.
  emulator.addJob(queryBody({ query: "select 1" }), { id: "resent" });
  clock.pass(3_600_000);
  stack.savedAt = clock.now();
  const before = posts();
  expect(await stack.up({ report }, options)).toMatchObject(did({ report: "failed" }, "only you can tell"));
  expect(posts()).toBe(before);
});

test.each([
  [
    "its first start",
    queryInputs("one", { query }, { definedNextRun: "2099-01-01T06:00:00Z" }),
    queryInputs("two", { query }, { definedNextRun: "2099-01-01T18:00:00Z" }),
  ],
  ["what it has more", queryInputs("one", { query }), queryInputs("two", { query, destinationTable: "ARCHIVE" })],
])(
  "A lost create does not take the job of another query of the run that differs only in %s",
  async (_what, one, two) => {
    const { stack, emulator, clock, use } = await fastStack();
    // After the first create, two leave side by side: one is lost on its way, and the reply to the other is slow.
    emulator.inject(
      { kind: "reset", on: "create", processed: false, after: 1, times: 1 },
      { kind: "delay", on: "create", seconds: 3, after: 1, times: 1 },
    );
    const program = { orders, one, two };
    await stack.up(program, { continueOnError: true });
    stack.savedAt = clock.now();
    clock.pass(3_600_000);
    use({}, emulator);
    await stack.up(program, { continueOnError: true });
    const made = emulator.jobs.map(({ body, params }) => JSON.stringify([params, membersOf(body)["definedNextRun"]]));
    expect(new Set(made).size).toBe(made.length);
  },
);

test("Mode create: the preview of a query without a name under a new name tells the alias that keeps its job", async () => {
  const { stack } = await fastStack({ jobOperations: "create" });
  await stack.up({ report }, options);
  const { text } = await stack.preview({ renamed }, options);
  expect(text).toMatch(
    /may have this job already .*and pulumi up creates another one[^]*aliases: \[\{ name: "report" \}\]/,
  );
  const other = queryInputs("renamed", { query: "select 2" });
  expect((await stack.preview({ renamed: other }, options)).text).not.toContain("this job already");
});
