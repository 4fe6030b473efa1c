import { canonicalJson, type JsonObject } from "../../provider/src/json.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { deferred } from "../support/deferred.js";
import { token } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { recordedBy, type Saved } from "../support/driver/calls.js";
import { startPlugin } from "../support/driver/process.js";
import { RequestWatch } from "../support/requestWatch.js";
import { scenariosOfInterruptions } from "../support/scenarios/interrupted.js";
import { readRecording, recordedFiles } from "../support/scenarios/recordedScenario.js";
import { service } from "../support/scenarios/scenario.js";

afterEach(stopAll);

const named = (outputs: JsonObject): string =>
  canonicalJson(outputs).replace(/job-\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "*");

describe("The plugin's process answers the calls of a real engine as recorded:", () => {
  test.each(scenariosOfInterruptions.filter(({ file }) => recordedFiles.includes(file)))(
    "$title",
    async ({ file, steps }) => {
      const watch = new RequestWatch();
      const emulator = await start({ token, onRequest: watch.onRequest });
      const cancelled = deferred();
      const silence = steps.flatMap((step) => step.faults ?? []).find(({ kind }) => kind === "silence");
      emulator.inject(silence ?? { kind: "delay", on: "create", ms: 0, until: cancelled.promise });
      // With a `silence`, the plugin waits for a reply until the timeout.
      const timeoutSeconds = silence === undefined ? "60" : "3";
      const calls = readRecording(file).steps.flatMap((step) => step.calls);
      const underWay = calls.filter(({ cancelled }) => cancelled);
      const plugin = await startPlugin({ ...calls[0]?.config, baseUrl: emulator.baseUrl, timeoutSeconds });

      const shown = ({ outputs }: Saved) => named(outputs).replaceAll(emulator.baseUrl, service);
      const answers = underWay.map(({ name = "", properties = {} }) =>
        plugin.create(name, properties).then(
          (created) => ({ created: shown(created) }),
          (error: unknown) => {
            const recorded = recordedBy(error);
            return recorded === undefined ? { refused: String(error) } : { recorded: shown(recorded) };
          },
        ),
      );
      await watch.until(() => posts(emulator.requests) === 1);
      await plugin.cancel();
      cancelled.resolve();
      const then = underWay.map(({ response, saved }) => {
        if (response?.properties !== undefined) return { created: named(response.properties) };
        if (saved !== undefined) return { recorded: named(saved.properties) };
        return { refused: saying("The run was cancelled. No job was created: the create was not sent.") };
      });
      expect(await Promise.all(answers)).toEqual(then);
      expect([underWay.length, posts(emulator.requests)]).toEqual([3, 1]);
    },
  );
});
