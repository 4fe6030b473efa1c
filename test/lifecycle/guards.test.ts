import { modes } from "../../provider/src/config/index.js";
import { guards } from "../../provider/src/lifecycle/guards.js";
import { unknownValue } from "../../provider/src/unknown.js";
import { cachingBody, cachingInputs, changed, items, orders, queryInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import type { CommandResult, Program } from "../support/all/simulatedStack.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { PARAMS, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { resending } from "../support/resending.js";

afterEach(stopAll);

const tokenOf = (sub: string): string => jwt({ iss: "parent", sub });

/** A service that accepts every token, and a stack that uses it. */
async function newPlace(jobOperations: string) {
  const place = await fastStack({ jobOperations }, { acceptToken: () => true });
  const { stack, emulator, clock, use } = place;
  const unconfirmed = (token?: string) =>
    recordUnconfirmed(stack, emulator, orders, false, { clock, ...(token !== undefined && { token }) });
  const useToken = (token: string, more: object = {}, options: object = {}) => {
    use({ jobOperations, ...more }, { ...emulator, token }, options);
  };
  return { ...place, jobOperations, unconfirmed, useToken };
}

type Place = Awaited<ReturnType<typeof newPlace>>;

interface Row {
  readonly modes: readonly ("create" | "all")[];
  /** Brings about what the guard refuses. Returns the program, or plays a command that no preview shows. */
  readonly given: (place: Place) => Promise<Program | CommandResult>;
  /** The resource that is refused, and a part of the error. */
  readonly refused: readonly [name: string, text: RegExp];
  /** For what only `up` can meet. */
  readonly faults?: Parameters<Place["emulator"]["inject"]>;
}

/** A situation for each guard, by its name. */
const rows: Readonly<Record<string, Row>> = {
  "the token has the subject that the settings name": {
    modes: ["create", "all"],
    given: async ({ useToken }) => {
      useToken(tokenOf("sub-1"), { subject: "sub-2" });
      return { orders };
    },
    refused: ["orders", /has the subject "sub-1", but .* is "sub-2"/],
  },
  "no option replaces a job that cannot be deleted": {
    modes: ["create"],
    given: async ({ stack }) => {
      await stack.up({ orders });
      return stack.replace("orders", orders, { retain: true, compared: false });
    },
    refused: ["orders", /the option replaceWith or replacementTrigger replaces the resource/],
  },
  "what matches is adopted only where jobs can be read": {
    modes: ["create"],
    given: async ({ useToken, emulator }) => {
      useToken(emulator.token, {}, { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } });
      return { orders };
    },
    refused: ["orders", /no job of this account can be read/],
  },
  "a job is named for one run only as that of an unconfirmed create": {
    modes: ["create", "all"],
    given: ({ useToken, emulator }) => {
      const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: "job-9" }) };
      useToken(emulator.token, {}, { env });
      return Promise.resolve({ orders });
    },
    refused: ["orders", /names job job-9 for it, and no create of it is known to be unconfirmed/],
  },
  "no create of the job or of its source is unconfirmed": {
    modes: ["create"],
    given: async ({ unconfirmed }) => {
      await unconfirmed();
      return { copy: cachingInputs("copy", "ORDERS") };
    },
    refused: ["copy", /the create of CachingJob "orders", of the same source, is unconfirmed/],
  },
  "no other resource of the stack has a job for the source": {
    modes: ["create"],
    given: async ({ stack }) => {
      await stack.up({ orders });
      return { renamed: cachingInputs("renamed", "ORDERS") };
    },
    refused: ["renamed", /CachingJob "orders" of this stack has a job for this source/],
  },
  "a replacement leaves a trace in the state": {
    modes: ["create"],
    given: async ({ stack, emulator, useToken }) => {
      await stack.up({ orders });
      const exported = stack.export();
      useToken(emulator.token, {}, { exportStack: () => Promise.resolve(exported) });
      return stack.replace("orders", orders, { retain: true });
    },
    refused: ["orders", /pulumi state taint --yes/],
  },
  "no other resource has a job for a resent source": {
    modes: ["create"],
    given: async ({ stack, emulator, useToken }) => {
      emulator.inject({ kind: "reset", on: "create" });
      await stack.up({ orders });
      const saved = stack.state.get("orders");
      stack.state.delete("orders");
      const renamed = cachingInputs("renamed", "ORDERS");
      await stack.up({ renamed });
      if (saved !== undefined) stack.state.set("orders", saved);
      const exported = stack.export();
      const env = resending(Date.now() + 1, urnIn(orders));
      useToken(emulator.token, {}, { env, exportStack: () => Promise.resolve(exported) });
      return { orders, renamed };
    },
    refused: ["orders", /CachingJob "renamed" of this stack has a job for this source \(job \S+\), and a resend would/],
  },
  "a job is named for one run only for a resource that has no other one": {
    modes: ["create", "all"],
    given: async ({ stack, useToken, emulator }) => {
      await stack.up({ orders });
      const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: "job-9" }) };
      useToken(emulator.token, {}, { env });
      return { orders };
    },
    refused: ["orders", /names job job-9 for it, and it has job \S+: its create is resolved/],
  },
  "no other resource has the saved job": {
    modes: ["all"],
    given: async ({ stack }) => {
      await stack.up({ orders });
      const saved = stack.state.get("orders");
      const copy = cachingInputs("copy", "ORDERS");
      if (saved !== undefined) stack.state.set("copy", { ...saved, outputs: { ...saved.outputs, ...copy } });
      return { orders, copy };
    },
    refused: ["copy", /CachingJob "orders" of this stack already has job/],
  },
  "the change can be made": {
    modes: ["create"],
    given: async ({ stack }) => {
      await stack.up({ orders });
      return { orders: changed };
    },
    refused: ["orders", /the service documents no way to change a job/],
  },
  "something resolves the unconfirmed create": {
    modes: ["create"],
    given: async ({ unconfirmed }) => {
      await unconfirmed();
      return { orders };
    },
    refused: ["orders", /Its create is still unconfirmed/],
  },
  "a job that nobody can compare is not one that the state had before": {
    modes: ["create"],
    given: async ({ stack, unconfirmed, useToken, emulator }) => {
      await stack.up({ items });
      const [{ id } = { id: "" }] = emulator.jobs;
      await unconfirmed();
      const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: id }) };
      useToken(emulator.token, {}, { env });
      return { orders, items };
    },
    refused: ["orders", /names job \S+ for it, which CachingJob "items" of this stack has/],
  },
  "a job that nobody can compare is of the source that its create was sent with": {
    modes: ["create"],
    given: async ({ unconfirmed, useToken, emulator }) => {
      await unconfirmed();
      const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: "job-9" }) };
      useToken(emulator.token, {}, { env });
      return { orders: cachingInputs("orders", "ITEMS") };
    },
    refused: ["orders", /names job job-9 for it, and its unconfirmed create was sent for .*sourceTable ORDERS/],
  },
  "the token has the subject of the stack's jobs": {
    modes: ["create", "all"],
    given: async ({ stack, useToken }) => {
      useToken(tokenOf("sub-1"));
      await stack.up({ orders });
      useToken(tokenOf("sub-2"));
      return { orders, items };
    },
    refused: ["items", /other jobs of this stack, such as that of CachingJob "orders", were last seen/],
  },
  "the token has the subject that last saw the job": {
    modes: ["all"],
    given: async ({ stack, useToken }) => {
      useToken(tokenOf("sub-1"));
      await stack.up({ orders });
      useToken(tokenOf("sub-2"));
      return { orders: changed };
    },
    // The plugin compares the subjects in a diff already.
    refused: ["orders", /another account or sub-account|different accounts or sub-accounts/],
  },
  "no create of the same job was unconfirmed before this run": {
    modes: ["create"],
    // The state, which would tell it first, cannot be read.
    given: async ({ stack, emulator, clock, useToken }) => {
      const query = queryInputs("orders", { query: "SELECT 1" });
      await recordUnconfirmed(stack, emulator, query, false, { clock });
      useToken(emulator.token, {}, { exportStack: () => Promise.reject(new Error("There is no state.")) });
      return { orders: query, copy: queryInputs("copy", { query: "SELECT 1" }) };
    },
    refused: ["copy", /The create of an identical job \(ScheduledQueryJob "orders"\) is unconfirmed/],
  },
  "the request is small enough": {
    modes: ["create", "all"],
    given: async () => ({ orders: { ...orders, additionalParams: { note: "x".repeat(1024 * 1024) } } }),
    refused: ["orders", /The request would be larger than 1 MiB/],
  },
  "no other resource has the job to adopt": {
    modes: ["create", "all"],
    given: async ({ emulator }) => {
      emulator.addJob(cachingBody("ORDERS"), { id: "job-9" });
      return { orders: { ...orders, existingJobId: "job-9" }, items: { ...items, existingJobId: "job-9" } };
    },
    refused: ["items", /CachingJob "orders" of this stack already has job job-9/],
  },
  "the job to adopt is as declared": {
    modes: ["all"],
    given: async ({ emulator }) => {
      const { id } = emulator.addJob(cachingBody("ORDERS", { intervalValue: 9 }));
      return { orders: { ...orders, existingJobId: id } };
    },
    refused: ["orders", /differs from the declaration, so it was not adopted/],
  },
  "it is known what became of the unconfirmed create": {
    modes: ["all"],
    given: async ({ unconfirmed }) => {
      await unconfirmed();
      return { orders };
    },
    refused: ["orders", /The request may still be on its way/],
  },
  "the job that is found has no value that only its create knows": {
    modes: ["all"],
    given: ({ stack, emulator, clock, useToken }) => {
      const createNotes = new MemoryNotes();
      stack.savedAt = clock.now() - 1000;
      createNotes.leave({
        ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
        ...{ baseUrl: emulator.baseUrl, account: undefined, declared: { ...orders, additionalParams: unknownValue } },
      });
      emulator.addJob(cachingBody("ORDERS", { params: { ...PARAMS, sourceTable: "ORDERS", password: "HUSH" } }));
      clock.pass(3_600_000);
      useToken(emulator.token, {}, { createNotes });
      return Promise.resolve({ orders });
    },
    refused: ["orders", /params\.password/],
  },
  "the token can prove that the unconfirmed create made no job": {
    modes: ["all"],
    given: async ({ unconfirmed, clock, useToken }) => {
      await unconfirmed(tokenOf("sub-1"));
      clock.pass(600_000);
      useToken("opaque");
      return { orders };
    },
    refused: ["orders", /is not visible with the current token/],
  },
  "no create of the same job has become unconfirmed in this run": {
    modes: ["create"],
    given: async () => ({ orders, copy: cachingInputs("copy", "ORDERS") }),
    faults: [{ kind: "reset", on: "create", processed: false }],
    refused: ["copy", /The create of an identical job \(CachingJob "orders"\) is unconfirmed/],
  },
  "no other job has the source": {
    modes: ["all"],
    given: async ({ emulator }) => {
      emulator.addJob(cachingBody("ORDERS"));
      return { orders };
    },
    refused: ["orders", /A job for this source exists already/],
  },
  "the unconfirmed create can no longer be in flight": {
    // In mode create, a preview sends nothing and so does not know the service's time.
    modes: ["all"],
    given: async ({ unconfirmed, clock, useToken, emulator }) => {
      await unconfirmed();
      const env = resending(clock.now() + 1000, urnIn(orders));
      useToken(emulator.token, {}, { env });
      return { orders };
    },
    refused: ["orders", /The request of the unconfirmed create may still be on its way. Wait until/],
  },
};

test("each guard has a situation here", () => {
  expect(Object.keys(rows)).toEqual(guards.map(({ name }) => name));
});

/** The times in a message are those of its run. */
const timeless = (text = ""): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");

const isPlayed = (given: Program | CommandResult): given is CommandResult => typeof given.failed === "boolean";

describe.each(Object.entries(rows))(
  "The guard: %s,",
  (rule, { modes: played, given, refused: [name, text], faults }) => {
    test("is played in modes in which it applies", () => {
      const applies = guards.find((one) => one.name === rule)?.modes;
      expect(played.filter((mode) => applies?.(modes[mode]) !== true)).toEqual([]);
    });

    test.each(played)("refuses in mode %s, and sends nothing; a preview does it in the words of up", async (mode) => {
      const place = await newPlace(mode);
      const { stack, emulator, changesSince } = place;
      const program = await given(place);
      if (isPlayed(program)) {
        expect(program.messages[name]).toMatch(text);
        return;
      }
      const options = { serial: true, continueOnError: true };
      const changes = changesSince();
      const preview = faults === undefined ? await stack.preview(program, options) : undefined;
      if (faults !== undefined) emulator.inject(...faults);
      const { messages } = await stack.up(program, options);
      expect(messages[name]).toMatch(text);
      if (preview === undefined) return;
      expect([timeless(preview.messages[name]), changes()]).toEqual([timeless(messages[name]), []]);
    });
  },
);

test("a preview without a token that works says once what it did not compare, and asks the service nothing", async () => {
  const { stack, useToken, emulator } = await newPlace("create");
  useToken(tokenOf("sub-1"));
  await stack.up({ orders });
  useToken(jwt({ iss: "parent", sub: "sub-1", exp: 1 }));
  const { length } = emulator.requests;
  const { text, failed } = await stack.preview({ orders, items, more: cachingInputs("more", "MORE") });
  expect([failed, emulator.requests.length - length]).toEqual([false, 0]);
  expect(
    text.match(/This preview did not compare all that pulumi up compares: The token from .* expired/g),
  ).toHaveLength(1);
});

test("a preview without a token that works refuses what shows without one", async () => {
  const { stack, useToken, emulator } = await newPlace("create");
  useToken(tokenOf("sub-1"));
  await stack.up({ orders });
  emulator.addJob(cachingBody("ITEMS"));
  const existingJobId = emulator.jobs[1]?.id;
  const program = { orders, items: { ...items, existingJobId }, copy: { ...items, existingJobId } };
  const options = { serial: true, continueOnError: true };
  useToken(jwt({ iss: "parent", sub: "sub-1", exp: 1 }));
  const preview = await stack.preview(program, options);
  useToken(tokenOf("sub-1"));
  const up = await stack.up(program, options);
  expect(up.messages["copy"]).toMatch(/CachingJob "items" of this stack already has job/);
  expect(preview.messages["copy"]).toBe(up.messages["copy"]);
  expect(preview.steps["items"]).toBe("created");
});

test("a change that is too large is refused in the preview, and up does not say that it may have been made", async () => {
  const { stack, changesSince } = await newPlace("all");
  await stack.up({ orders });
  const changes = changesSince();
  const large = { orders: { ...orders, additionalParams: { note: "x".repeat(1024 * 1024) } } };
  const preview = await stack.preview(large);
  expect(preview.messages["orders"]).toContain("was not changed. The request would be larger than 1 MiB");
  expect((await stack.up(large)).messages).toEqual(preview.messages);
  expect(changes()).toEqual([]);
});

test.each(["create", "all"])(
  "a resource that another run has recorded since this one began is not taken for replaced: mode %s",
  async (mode) => {
    const { stack, useToken, emulator, changesSince } = await newPlace(mode);
    await stack.up({ orders });
    const exported = stack.export();
    // The engine has read the state before.
    stack.state.delete("orders");
    useToken(emulator.token, {}, { exportStack: () => Promise.resolve(exported) });
    const changes = changesSince();
    const { messages } = await stack.up({ orders });
    expect(messages["orders"]).toContain("Another run of this stack has recorded job");
    expect([messages["orders"]?.match(/replace|taint/), changes()]).toEqual([null, []]);
  },
);
