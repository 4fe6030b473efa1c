import type { Ending } from "../../provider/src/client/send.js";
import { Turns } from "../../provider/src/client/turns.js";

const created: Ending = {
  kind: "answered",
  at: "now",
  token: "t",
  reply: {
    kind: "reply",
    status: 200,
    contentType: "",
    retryAfter: undefined,
    location: undefined,
    body: "",
    bodyFault: undefined,
  },
};
const refused = (status: number | undefined, what = `HTTP ${String(status)}.`): Ending => ({
  kind: "refused",
  what,
  status,
  at: "now",
});
const ambiguous: Ending = { kind: "doubtful", what: "HTTP 503.", status: 503, at: "now" };
const engineGone: Ending = { kind: "unsent", what: "The engine is gone." };

/** Creates whose preflight and answers come when the test says so. */
class Run {
  readonly turns = new Turns();
  /** The names of those that were sent, in their order. */
  readonly sent: string[] = [];
  readonly results = new Map<string, Ending>();
  preflights = 0;
  private readonly answers = new Map<string, (ending: Ending) => void>();
  private preflightAnswer: (closed: string | undefined) => void = () => undefined;

  async create(...names: string[]): Promise<void> {
    for (const name of names) {
      const turn = {
        probe: () => {
          this.preflights += 1;
          return new Promise<string | undefined>((resolve) => (this.preflightAnswer = resolve));
        },
        send: () => {
          this.sent.push(name);
          return new Promise<Ending>((resolve) => this.answers.set(name, resolve));
        },
      };
      void this.turns.take(turn).then((ending) => this.results.set(name, ending));
    }
    await settled();
  }

  async answerPreflight(closed?: string): Promise<void> {
    this.preflightAnswer(closed);
    await settled();
  }

  async answer(name: string, ending: Ending): Promise<void> {
    this.answers.get(name)?.(ending);
    await settled();
  }

  texts(): string[] {
    return [...this.results.values()].map((ending) => ("what" in ending ? ending.what : ending.kind));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const short = "Not sent, for the reason that another job of this run gives.";

describe("The create gate", () => {
  let run: Run;
  beforeEach(() => (run = new Run()));

  test("sends nothing before the preflight has succeeded", async () => {
    await run.create("a", "b", "c");
    expect([run.preflights, run.sent]).toEqual([1, []]);
    await run.answerPreflight();
    expect(run.sent).toEqual(["a"]);
  });

  test("sends nothing when the preflight fails: the first error says why, the others are short", async () => {
    await run.create("a", "b");
    await run.answerPreflight("No list.");
    await run.create("c");
    expect([run.preflights, run.sent]).toEqual([1, []]);
    expect(run.texts()).toEqual(["No list.", short, short]);
    expect([...run.results.values()].map(({ kind }) => kind)).toEqual(["unsent", "unsent", "unsent"]);
  });

  test("sends one create at a time until one has succeeded, then all", async () => {
    await run.create("a", "b", "c", "d");
    await run.answerPreflight();
    expect(run.sent).toEqual(["a"]);
    await run.answer("a", created);
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
    await run.create("e");
    expect(run.sent).toContain("e");
  });

  test("sends all after a clear refusal too", async () => {
    await run.create("a", "b", "c");
    await run.answerPreflight();
    await run.answer("a", refused(400));
    expect(run.sent).toEqual(["a", "b", "c"]);
  });

  test("sends one at a time again after an ambiguous answer", async () => {
    await run.create("a", "b", "c");
    await run.answerPreflight();
    await run.answer("a", ambiguous);
    expect(run.sent).toEqual(["a", "b"]);
    await run.answer("b", created);
    expect(run.sent).toEqual(["a", "b", "c"]);
  });

  test("waits for the creates in flight after an ambiguous answer to one of them", async () => {
    await run.create("a");
    await run.answerPreflight();
    await run.answer("a", created);
    await run.create("b", "c");
    await run.answer("b", ambiguous);
    await run.create("d", "e");
    expect(run.sent).toEqual(["a", "b", "c"]);
    // "c" was sent before the ambiguous answer: its own answer does not show that the service works now.
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
      "2 creates in a row got no clear answer, so no more are sent in this run.",
      short,
    ]);
  });

  test("still sends one at a time when a clear answer came between two ambiguous ones", async () => {
    await run.create("a", "b", "c", "d", "e");
    await run.answerPreflight();
    await run.answer("a", ambiguous);
    await run.answer("b", refused(409));
    await run.answer("c", ambiguous);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
    await run.answer("d", created);
    await run.create("f");
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
    await run.answer("e", created);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test.each<[string, Ending]>([
    ["found no connection", refused(undefined, "No connection.")],
    ["was refused by a rate limiter until its time was over", refused(429, "Too many.")],
    ["was not sent itself", engineGone],
  ])("sends nothing more after a create that %s", async (_name, ending) => {
    await run.create("a", "b", "c");
    await run.answerPreflight();
    await run.answer("a", ending);
    await run.create("d");
    expect(run.sent).toEqual(["a"]);
    expect(run.texts()).toEqual(["what" in ending ? ending.what : "", short, short, short]);
  });

  test("still sends all after a rate limiter refused one create while others succeeded", async () => {
    await run.create("a");
    await run.answerPreflight();
    await run.answer("a", created);
    await run.create("b", "c");
    await run.answer("b", created);
    await run.answer("c", refused(429));
    await run.create("d");
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
  });

  test("sends the next create after one that threw an error", async () => {
    const failing = { probe: () => Promise.resolve(undefined), send: () => Promise.reject(new Error("a bug")) };
    await expect(run.turns.take(failing)).rejects.toThrow("a bug");
    await run.create("a");
    expect(run.sent).toEqual(["a"]);
  });
});
