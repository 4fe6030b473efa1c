import { Cancellation, CreateGate, type Attempt } from "../../provider/src/client/gate.js";
import type { Made, NotDone, Outcome, Reason } from "../../provider/src/client/outcomes.js";

const created: Outcome<Made> = {
  kind: "done",
  value: { at: "now", record: { job: { id: "1" }, unreadable: [] }, answer: "HTTP 200" },
};
const refused = (what: string, ends: NotDone["ends"] = "request"): NotDone => ({
  kind: "failed",
  cause: "refused",
  ends,
  what,
  fix: "Do this.",
});
const ambiguous: Outcome<Made> = {
  ...{ kind: "failed", cause: "ambiguous", isAccepted: false, ends: "request" },
  ...{ what: "HTTP 503.", fix: undefined, at: "now" },
};
const engineGone: NotDone = { ...refused("The engine is gone.", "creates"), cause: "notSent" };

/** A run in which the test answers the preflight and the creates. */
class Run {
  readonly cancellation = new Cancellation();
  readonly gate = new CreateGate(this.cancellation);
  /** The names of the creates that were sent, in order. */
  readonly sent: string[] = [];
  readonly results = new Map<string, Outcome<Made>>();
  preflights = 0;
  private readonly answers = new Map<string, (outcome: Outcome<Made>) => void>();
  private answerToPreflight: (failure: Reason | undefined) => void = () => undefined;

  async create(...names: string[]): Promise<void> {
    for (const name of names) {
      const attempt: Attempt = {
        label: name,
        preflight: () => {
          this.preflights += 1;
          return new Promise((resolve) => (this.answerToPreflight = resolve));
        },
        send: () => {
          this.sent.push(name);
          return new Promise((resolve) => this.answers.set(name, resolve));
        },
      };
      void this.gate.admit(attempt).then((outcome) => this.results.set(name, outcome));
    }
    await settled();
  }

  async answerPreflight(failure?: Reason): Promise<void> {
    this.answerToPreflight(failure);
    await settled();
  }

  async answer(name: string, outcome: Outcome<Made>): Promise<void> {
    this.answers.get(name)?.(outcome);
    await settled();
  }

  texts(): string[] {
    return [...this.results.values()].map((outcome) => ("what" in outcome ? outcome.what : outcome.kind));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const short = (label: string) => `Not sent: see the error on ${label}.`;

describe("The create gate", () => {
  let run: Run;
  beforeEach(() => (run = new Run()));

  test("sends nothing when the preflight fails: the first error says why, the others are short", async () => {
    await run.create("a", "b");
    await run.answerPreflight({ what: "No list.", fix: "Do this." });
    await run.create("c");
    expect([run.preflights, run.sent]).toEqual([1, []]);
    expect(run.texts()).toEqual(["No list.", short("a"), short("a")]);
    const notSent = { kind: "failed", cause: "notSent", ends: "creates" };
    expect([...run.results.values()]).toMatchObject([
      { ...notSent, fix: "Do this." },
      { ...notSent, fix: undefined },
      { ...notSent, fix: undefined },
    ]);
  });

  test.each([
    ["succeeded", created],
    ["been refused", refused("HTTP 400.")],
  ])("sends nothing before the preflight, one create at a time until one has %s, then all", async (_what, clear) => {
    await run.create("a", "b", "c", "d");
    expect([run.preflights, run.sent]).toEqual([1, []]);
    await run.answerPreflight();
    expect(run.sent).toEqual(["a"]);
    await run.answer("a", clear);
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
    await run.create("e");
    expect(run.sent).toContain("e");
  });

  test("waits for the creates in flight after an ambiguous answer to one of them", async () => {
    await run.create("a");
    await run.answerPreflight();
    await run.answer("a", created);
    await run.create("b", "c");
    await run.answer("b", ambiguous);
    await run.create("d", "e");
    expect(run.sent).toEqual(["a", "b", "c"]);
    // "c" was sent before the ambiguous answer, so the answer to "c" does not show that the service works now.
    await run.answer("c", created);
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
    await run.answer("d", created);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("sends nothing more after two ambiguous answers in a row", async () => {
    await run.create("a", "b", "c", "d");
    await run.answerPreflight();
    await run.answer("a", ambiguous);
    await run.answer("b", ambiguous);
    expect(run.sent).toEqual(["a", "b"]);
    expect(run.texts().slice(2)).toEqual([
      "2 creates in a row got no clear answer, so this run sends no more.",
      short("c"),
    ]);
  });

  test("still sends one at a time when a clear answer came between two ambiguous ones", async () => {
    await run.create("a", "b", "c", "d", "e");
    await run.answerPreflight();
    await run.answer("a", ambiguous);
    await run.answer("b", refused("HTTP 409."));
    await run.answer("c", ambiguous);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
    await run.answer("d", created);
    await run.create("f");
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
    await run.answer("e", created);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("sends the next create after one that is not sent for a reason of its own, still one at a time", async () => {
    await run.create("a", "b", "c", "d");
    await run.answerPreflight();
    await run.answer("a", ambiguous);
    await run.answer("b", { ...engineGone, ends: "request" });
    expect(run.sent).toEqual(["a", "b", "c"]);
    expect(run.texts()).toContain("The engine is gone.");
  });

  test.each<[string, Outcome<Made>]>([
    ["found no connection", refused("No connection.", "creates")],
    ["was refused by a rate limiter until its time was over", refused("Too many.", "creates")],
    ["was not sent itself", engineGone],
  ])("sends nothing more after a create that %s", async (_name, outcome) => {
    await run.create("a", "b", "c");
    await run.answerPreflight();
    await run.answer("a", outcome);
    await run.create("d");
    expect(run.sent).toEqual(["a"]);
    expect(run.texts()).toEqual(["what" in outcome ? outcome.what : "", short("a"), short("a"), short("a")]);
  });

  test("sends one at a time after a create in parallel found no connection, and nothing more after the next one", async () => {
    await run.create("a");
    await run.answerPreflight();
    await run.answer("a", created);
    await run.create("b", "c");
    await run.answer("b", refused("No connection.", "creates"));
    await run.create("d", "e");
    expect(run.sent).toEqual(["a", "b", "c"]);
    await run.answer("c", refused("No connection.", "creates"));
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
    await run.answer("d", refused("No connection.", "creates"));
    expect([run.sent.length, run.results.get("e")]).toMatchObject([4, { what: short("d") }]);
  });

  test("sends the next create after one that threw an error", async () => {
    const failing: Attempt = {
      label: "failing",
      preflight: () => Promise.resolve(undefined),
      send: () => Promise.reject(new Error("a bug")),
    };
    await expect(run.gate.admit(failing)).rejects.toThrow("a bug");
    await run.create("a");
    expect(run.sent).toEqual(["a"]);
  });
});

describe("A run that is cancelled", () => {
  const cancelled = { kind: "failed", cause: "notSent", what: "The run was cancelled." };

  test("sends no create that waits for another one, and still learns what became of that one", async () => {
    const run = new Run();
    await run.create("a", "b", "c");
    await run.answerPreflight();
    run.cancellation.request();
    await settled();
    expect(run.sent).toEqual(["a"]);
    expect([run.results.get("b"), run.results.get("c")]).toMatchObject([cancelled, cancelled]);
    await run.answer("a", created);
    expect(run.results.get("a")).toBe(created);
  });

  test("does not wait for the preflight, and sends no create that comes later", async () => {
    const run = new Run();
    await run.create("a");
    run.cancellation.request();
    await run.create("b");
    expect(run.sent).toEqual([]);
    expect([run.results.get("a"), run.results.get("b")]).toMatchObject([cancelled, cancelled]);
  });
});

test("A create that is repeated after its error explains again why no creates are sent", async () => {
  const run = new Run();
  await run.create("a");
  await run.answerPreflight();
  await run.answer("a", refused("HTTP 401.", "creates"));
  run.results.clear();
  await run.create("a", "b");
  expect(run.results.get("a")).toMatchObject({ cause: "notSent", what: "HTTP 401." });
  expect(run.results.get("b")).toMatchObject({ cause: "notSent", what: expect.stringContaining("a") as string });
});
