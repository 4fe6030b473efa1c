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
const doubtful: Ending = { kind: "doubtful", what: "HTTP 503.", status: 503, at: "now" };
const engineGone: Ending = { kind: "unsent", what: "The engine is gone." };

/** Creates whose probe and answers come when the test says so. */
class Run {
  readonly turns = new Turns();
  /** The names of those that were sent, in their order. */
  readonly sent: string[] = [];
  readonly told = new Map<string, Ending>();
  probes = 0;
  private readonly answers = new Map<string, (ending: Ending) => void>();
  private answerProbe: (closed: string | undefined) => void = () => undefined;

  async create(...names: string[]): Promise<void> {
    for (const name of names) {
      const turn = {
        probe: () => {
          this.probes += 1;
          return new Promise<string | undefined>((resolve) => (this.answerProbe = resolve));
        },
        send: () => {
          this.sent.push(name);
          return new Promise<Ending>((resolve) => this.answers.set(name, resolve));
        },
      };
      void this.turns.take(turn).then((ending) => this.told.set(name, ending));
    }
    await settled();
  }

  async probed(closed?: string): Promise<void> {
    this.answerProbe(closed);
    await settled();
  }

  async answer(name: string, ending: Ending): Promise<void> {
    this.answers.get(name)?.(ending);
    await settled();
  }

  texts(): string[] {
    return [...this.told.values()].map((ending) => ("what" in ending ? ending.what : ending.kind));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const short = "Not sent, for the reason that another job of this run gives.";

describe("Who may send a create", () => {
  let run: Run;
  beforeEach(() => (run = new Run()));

  test("nobody, before the one safe request has succeeded", async () => {
    await run.create("a", "b", "c");
    expect([run.probes, run.sent]).toEqual([1, []]);
    await run.probed();
    expect(run.sent).toEqual(["a"]);
  });

  test("nobody at all, when that request fails: the first says why, the others are short", async () => {
    await run.create("a", "b");
    await run.probed("No list.");
    await run.create("c");
    expect([run.probes, run.sent]).toEqual([1, []]);
    expect(run.texts()).toEqual(["No list.", short, short]);
    expect([...run.told.values()].map(({ kind }) => kind)).toEqual(["unsent", "unsent", "unsent"]);
  });

  test("one at a time, until one is created; then all", async () => {
    await run.create("a", "b", "c", "d");
    await run.probed();
    expect(run.sent).toEqual(["a"]);
    await run.answer("a", created);
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
    await run.create("e");
    expect(run.sent).toContain("e");
  });

  test("all, after a clear refusal too", async () => {
    await run.create("a", "b", "c");
    await run.probed();
    await run.answer("a", refused(400));
    expect(run.sent).toEqual(["a", "b", "c"]);
  });

  test("one at a time, again, after an answer that is in doubt", async () => {
    await run.create("a", "b", "c");
    await run.probed();
    await run.answer("a", doubtful);
    expect(run.sent).toEqual(["a", "b"]);
    await run.answer("b", created);
    expect(run.sent).toEqual(["a", "b", "c"]);
  });

  test("only when those in flight have ended, after one of them came into doubt", async () => {
    await run.create("a");
    await run.probed();
    await run.answer("a", created);
    await run.create("b", "c");
    await run.answer("b", doubtful);
    await run.create("d", "e");
    expect(run.sent).toEqual(["a", "b", "c"]);
    // "c" left before the doubt: its answer proves nothing about now.
    await run.answer("c", created);
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
    await run.answer("d", created);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("nobody any more, after two answers in a row that are in doubt", async () => {
    await run.create("a", "b", "c", "d");
    await run.probed();
    await run.answer("a", doubtful);
    await run.answer("b", doubtful);
    expect(run.sent).toEqual(["a", "b"]);
    expect(run.texts().slice(2)).toEqual([
      "2 creates in a row got no clear answer, so no more are sent in this run.",
      short,
    ]);
  });

  test("still one at a time, when a clear answer came between two doubts", async () => {
    await run.create("a", "b", "c", "d", "e");
    await run.probed();
    await run.answer("a", doubtful);
    await run.answer("b", refused(409));
    await run.answer("c", doubtful);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
    await run.answer("d", created);
    await run.create("f");
    expect(run.sent).toEqual(["a", "b", "c", "d", "e"]);
    await run.answer("e", created);
    expect(run.sent).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test.each<[string, Ending]>([
    ["found no connection", refused(undefined, "No connection.")],
    ["was kept off by a limiter for all its time", refused(429, "Too many.")],
    ["was not sent itself", engineGone],
  ])("nobody any more, after one that %s", async (_name, ending) => {
    await run.create("a", "b", "c");
    await run.probed();
    await run.answer("a", ending);
    await run.create("d");
    expect(run.sent).toEqual(["a"]);
    expect(run.texts()).toEqual(["what" in ending ? ending.what : "", short, short, short]);
  });

  test("all, after one that a limiter kept off while others got through", async () => {
    await run.create("a");
    await run.probed();
    await run.answer("a", created);
    await run.create("b", "c");
    await run.answer("b", created);
    await run.answer("c", refused(429));
    await run.create("d");
    expect(run.sent).toEqual(["a", "b", "c", "d"]);
  });

  test("the next, after one that broke", async () => {
    const failing = { probe: () => Promise.resolve(undefined), send: () => Promise.reject(new Error("a bug")) };
    await expect(run.turns.take(failing)).rejects.toThrow("a bug");
    await run.create("a");
    expect(run.sent).toEqual(["a"]);
  });
});
