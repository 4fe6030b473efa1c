import { engineVersion } from "../engine.js";
import { EngineFixture } from "../engineFixture.js";
import type { RecordedCall } from "../recordings.js";
import { readRecording, writeRecording, type RecordedStep } from "./recordedScenario.js";
import type { Scenario } from "./scenario.js";

/** Set by `npm run record`: the recordings are written anew instead of being compared. */
const recording = process.env["RECORD_SCENARIOS"] === "true";

/** Declares a test for each scenario. */
export const runOnEngine = (scenarios: readonly Scenario[]): void => {
  test.each(scenarios)(
    "$title",
    async ({ file, host, steps }) => {
      const fixture = await EngineFixture.start({ host });
      const recorded: RecordedStep[] = [];
      try {
        for (const step of steps) {
          const outcome = await fixture.run(step.run, { ...step, record: true });
          const { exitCode, posts = 0, says = [], saysNot = [], state } = step;
          expect(outcome).toMatchObject({ exitCode, posts });
          for (const text of says) expect(outcome.output).toContain(text);
          for (const text of saysNot) expect(outcome.output).not.toContain(text);
          const jobs = fixture.jobs();
          if (state !== undefined) {
            expect(jobs).toMatchObject(state);
            expect(Object.keys(jobs).sort()).toEqual(Object.keys(state).sort());
          }
          recorded.push({
            run: step.run.join(" "),
            calls: outcome.calls.map((call) => withSaved(call, jobs)),
            requests: [...outcome.requests],
          });
        }
      } finally {
        await fixture.stop();
      }
      const engine = engineVersion() ?? "";
      if (recording) writeRecording(file, { engine, steps: recorded });
      const known = readRecording(file);
      // Another engine may call in another order: its result was compared above.
      if (known.engine === engine) expect(callsOf(recorded)).toEqual(callsOf(known.steps));
    },
    180_000,
  );
};

/** A call that failed, with what the state holds of its job. */
function withSaved(call: RecordedCall, jobs: ReturnType<EngineFixture["jobs"]>): RecordedCall {
  const saved = jobs[call.name ?? ""];
  if (!call.failed || !["create", "update"].includes(call.method) || saved === undefined) return call;
  return { ...call, saved: { id: saved.id, properties: saved.outputs } };
}

/** In the order of each resource's own: the engine works on several at once. */
const callsOf = (steps: readonly RecordedStep[]) =>
  steps.map(({ calls }) =>
    calls
      .map(({ process, method, name = "" }) => ({ name, text: `${process} ${method} ${name}` }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map(({ text }) => text),
  );
