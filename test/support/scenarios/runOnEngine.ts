import { EngineFixture } from "../engineFixture.js";
import type { Language } from "../plugin/languages.js";
import { engineVersion } from "../pulumiCli.js";
import type { RecordedCall } from "../recordings.js";
import { readRecording, recordedFiles, writeRecording, type RecordedStep } from "./recordedScenario.js";
import { commandOf, type Scenario } from "./scenario.js";

/** Whether to rewrite the recordings instead of comparing them, as `npm run record` does. */
const recording = process.env["RECORD_SCENARIOS"] === "true";

/** Declares a test for each scenario of this host. */
export const runOnEngine = (host: Language["host"], scenarios: readonly Scenario[]): void => {
  test.each(scenarios.filter(({ language }) => language.host === host))("$title", async ({ file, language, steps }) => {
    const fixture = await EngineFixture.start({ language });
    const recorded: RecordedStep[] = [];
    try {
      for (const step of steps) {
        const { calls, requests } = await fixture.play({ ...step, record: true });
        recorded.push({
          run: commandOf(step),
          calls: calls.map((call) => withSaved(call, fixture.jobs())),
          requests: [...requests],
        });
      }
    } finally {
      await fixture.stop();
    }
    if (!recordedFiles.includes(file)) return;
    const engine = engineVersion() ?? "";
    if (recording) writeRecording(file, { engine, steps: recorded });
    const known = readRecording(file);
    // Another engine version may call in a different order; the result of each step has already been compared.
    if (known.engine === engine) expect(callsOf(recorded)).toEqual(callsOf(known.steps));
  });
};

/** A call that failed, with what the state holds of its job. */
function withSaved(call: RecordedCall, jobs: ReturnType<EngineFixture["jobs"]>): RecordedCall {
  const saved = jobs[call.name ?? ""];
  if (!call.failed || !["create", "update"].includes(call.method) || saved === undefined) return call;
  return { ...call, saved: { id: saved.id, properties: saved.outputs } };
}

/** The calls ordered by resource, because the engine works on several resources at once. */
const callsOf = (steps: readonly RecordedStep[]) =>
  steps.map(({ calls }) =>
    calls
      .map(({ process, method, name = "" }) => ({ name, text: `${process} ${method} ${name}` }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map(({ text }) => text),
  );
