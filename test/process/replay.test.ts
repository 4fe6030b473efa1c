import { readdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../provider/src/json.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { PackedPlugin } from "../support/plugin/archives.js";
import { startPluginProcess, startProviderProcess, type ProviderProcess } from "../support/providerProcess.js";
import { refusalText, rejectionText } from "../support/refusals.js";
import { recordedCall, type RecordedCall } from "../support/recordings.js";
import { token } from "../support/engineFixture.js";
import { readRecording, recordedFiles, type RecordedStep } from "../support/scenarios/recordedScenario.js";
import { scenarios } from "../support/scenarios/index.js";
import { applyAtService, commandOf, service, type Scenario, type Step } from "../support/scenarios/scenario.js";

const recordings = join(__dirname, "../recordings");
/** What differs from run to run. */
const volatile =
  /http:\/\/127\.0\.0\.1:\d+|unconfirmed-[0-9a-f-]{36}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|job-\d+|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Replays one recorded scenario to the provider process, which must give the same answers. */
class Replay {
  /** What is volatile in the recording, and its counterparts in this run. */
  private readonly live: Map<string, string>;
  private provider: ProviderProcess | undefined;

  constructor(
    private readonly emulator: TestServer,
    private readonly host: Scenario["host"],
  ) {
    this.live = new Map([[service, emulator.baseUrl]]);
  }

  async run({ faults = [], atService, says = [], saysNot = [], env }: Step, recorded: RecordedStep): Promise<void> {
    // No recorded scenario needs variables.
    expect(env).toBeUndefined();
    const { emulator } = this;
    emulator.inject(...faults);
    if (atService !== undefined) applyAtService(emulator, this.live.get(atService.job) ?? atService.job, atService);
    const seen = emulator.requests.length;
    let texts = "";
    let process = 0;
    for (const call of recorded.calls) {
      if (call.process !== process) {
        texts += await this.endProcess();
        this.provider = await (this.host === "plugin"
          ? // No CLI: the state of the recorded stack is not here to be read.
            startPluginProcess({ main: pluginMain, env: { PATH: "" } })
          : startProviderProcess());
        process = call.process;
      }
      texts += await this.call(call);
    }
    texts += await this.endProcess();
    this.nameJobs();
    for (const text of says.filter((each) => ours.test(each))) expect(this.recorded(texts)).toContain(text);
    for (const text of saysNot) expect(texts).not.toContain(text);
    const requests = emulator.requests.slice(seen).map(({ method, path, body }) => ({ method, path, body }));
    expect(JSON.parse(this.recorded(JSON.stringify(requests)))).toEqual(recorded.requests);
  }

  /** Makes one call, compares its answer with the recorded answer, and returns what a user could read in its answer. */
  private async call(call: RecordedCall): Promise<string> {
    const { provider } = this;
    if (provider === undefined) throw new Error("The engine made a call before any process was started.");
    const { name: plainName = "", urn: name = plainName, id = "", preview = false, ...values } = this.now(call);
    const { olds = {}, news = {}, properties = {}, inputs = {}, config = {} } = values;
    const request = { name, id, preview, olds, news, properties, props: properties, inputs };
    switch (call.method) {
      case "configure":
        await provider.configure(config);
        return "";
      case "check": {
        const answer = await provider.check(request);
        this.same(call, { inputs: answer.inputs });
        return answer.failures.map(({ reason }) => reason).join("\n");
      }
      case "diff": {
        const answer = await provider.diff(request);
        expect(call.failed ?? false).toBe(answer.error !== undefined);
        if (answer.error !== undefined) return refusalText(answer.error);
        const changes = answer.changes === undefined ? "DIFF_UNKNOWN" : answer.changes ? "DIFF_SOME" : "DIFF_NONE";
        expect(call.response?.changes ?? "DIFF_UNKNOWN").toBe(changes);
        expect(answer.detailedDiff).toEqual(call.response?.detailedDiff ?? {});
        return "";
      }
      case "create":
      case "update": {
        const answer = await (call.method === "create"
          ? provider.create(properties, request)
          : provider.update(request));
        if (answer.kind === "error") {
          expect(call.response).toBeUndefined();
          // The id in the recorded state is known from an earlier call.
          if (call.saved?.id !== undefined) expect([...this.live.keys()]).toContain(call.saved.id);
          return refusalText(answer.message);
        }
        const outputs = { properties: answer.properties };
        if (answer.kind === "initFailed") {
          this.learn({ ...call.saved }, { id: answer.id, ...outputs });
          return answer.reasons.join("\n");
        }
        this.same(call, call.response?.id === undefined ? outputs : { id: answer.id, ...outputs });
        return "";
      }
      case "read": {
        const answer = await provider.read(request).catch(String);
        expect(typeof answer === "string").toBe(call.failed ?? false);
        if (typeof answer === "string") return answer;
        if (answer.id === "") expect(call.response?.id ?? "").toBe("");
        else this.same(call, answer);
        return "";
      }
      case "delete":
        return await provider.delete(request).then(
          () => {
            expect(call.failed).toBeUndefined();
            return "";
          },
          (error: unknown) => {
            expect(call.failed).toBe(true);
            return rejectionText(error);
          },
        );
    }
  }

  private same({ response }: RecordedCall, answer: object): void {
    const then: Record<string, unknown> = { ...response };
    this.learn(Object.fromEntries(Object.keys(answer).map((key) => [key, then[key]])), answer);
  }

  /** Names, in order of creation, the jobs that no answer has shown, such as the job of a create with a lost answer. */
  private nameJobs(): void {
    const known = new Set(this.live.values());
    for (const { id } of this.emulator.jobs) {
      if (known.has(id)) continue;
      let n = 1;
      while (this.live.has(`job-${n}`)) n += 1;
      this.live.set(`job-${n}`, id);
    }
  }

  /** Learns this run's names from an answer that equals the recorded one in everything but names. */
  private learn(recorded: object, answer: object): void {
    const [then, now] = [canonicalJson(recorded), canonicalJson(answer)];
    const names = now.match(volatile) ?? [];
    (then.match(volatile) ?? []).forEach((name, n) => this.live.set(name, names[n] ?? name));
    expect(JSON.parse(this.recorded(now))).toEqual(JSON.parse(then));
  }

  /** A recorded call with the names of this run. */
  private now(call: RecordedCall): RecordedCall {
    return recordedCall.parse(JSON.parse(replaced(JSON.stringify(call), this.live)));
  }

  private recorded(text: string): string {
    return replaced(text, new Map([...this.live].map(([recorded, live]) => [live, recorded])));
  }

  private async endProcess(): Promise<string> {
    const { provider } = this;
    this.provider = undefined;
    if (provider === undefined) return "";
    if (this.host === "plugin") {
      // Ends the process as an engine does, so that the plugin caches V8's compiled code for its next start.
      provider.process.kill("SIGINT");
      await provider.process.ended;
    }
    await provider.stop();
    return provider.said();
  }
}

const replaced = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(volatile, (name) => names.get(name) ?? name);

/** The plugin as users have it: packed, the plugin starts in half the time. */
const packed = new PackedPlugin();
const pluginMain = packed.main();
afterAll(async () => {
  await stopAll();
  packed.dispose();
});

/** Excludes the engine's own texts, which are not in the provider's answers. */
const ours = /^(?!.*(?:\d (?:updated|unchanged|to update|replaced|deleted|imported)|retain\]|protect|error: | => ))/;

const recorded = scenarios.filter(({ file }) => recordedFiles.includes(file));

test("Each recording is replayed", () => {
  const kept = readdirSync(recordings, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => file.replaceAll("\\", "/").replace(".jsonl", ""));
  // test/process/interrupted replays the other recordings.
  expect(kept.filter((file) => !file.includes("interrupted")).sort()).toEqual(recorded.map(({ file }) => file).sort());
});

describe("The provider process answers the calls of a real engine as recorded:", () => {
  test.concurrent.each(recorded)("$title", async ({ file, host, steps }) => {
    const then = readRecording(file).steps;
    expect(then.map(({ run }) => run)).toEqual(steps.map(commandOf));
    const replay = new Replay(await start({ token }), host);
    for (const [n, step] of steps.entries()) {
      const recordedStep = then[n];
      if (recordedStep !== undefined) await replay.run(step, recordedStep);
    }
    // The tests run in parallel, because each spends most of its time waiting for a process to start.
  });
});
