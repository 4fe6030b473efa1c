import { engineVersion } from "../engine.js";
import { Lab } from "../engineFixture.js";
import { readStory, writeStory, type RecordedStep } from "./recordedScenario.js";
import type { Story } from "./scenario.js";

/** Set by `npm run record`: the recordings are written anew instead of being compared. */
const recording = process.env["RECORD_STORIES"] === "true";

/** Declares a test for each story. */
export const playOnEngine = (stories: readonly Story[]): void => {
  test.each(stories)(
    "$title",
    async ({ file, title, steps }) => {
      const lab = await Lab.start();
      const recorded: RecordedStep[] = [];
      try {
        for (const step of steps) {
          const outcome = await lab.run(step.run, { ...step, record: true });
          const { exitCode, posts = 0, says = [], saysNot = [], state } = step;
          expect(outcome).toMatchObject({ exitCode, posts });
          for (const text of says) expect(outcome.output).toContain(text);
          for (const text of saysNot) expect(outcome.output).not.toContain(text);
          const jobs = lab.jobs();
          if (state !== undefined) {
            expect(jobs).toMatchObject(state);
            expect(Object.keys(jobs)).toEqual(Object.keys(state));
          }
          recorded.push({
            run: step.run.join(" "),
            calls: [...outcome.calls],
            requests: [...outcome.requests],
            state: jobs,
          });
        }
      } finally {
        await lab.stop();
      }
      const engine = engineVersion() ?? "";
      if (recording) writeStory(file, { engine, title, steps: recorded });
      const known = readStory(file);
      // Another engine may call in another order: what it comes to was looked at above.
      if (known?.engine === engine) expect(callsOf(recorded)).toEqual(callsOf(known.steps));
    },
    180_000,
  );
};

/** In the order of each resource's own: the engine works on several at once. */
const callsOf = (steps: readonly RecordedStep[]) =>
  steps.map(({ calls }) =>
    calls
      .map(({ process, method, name = "" }) => ({ name, text: `${process} ${method} ${name}` }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map(({ text }) => text),
  );
