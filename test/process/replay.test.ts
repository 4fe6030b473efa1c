import { readdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../provider/src/json.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { PackedPlugin } from "../support/plugin/archives.js";
import { recordedBy, type Saved } from "../support/driver/calls.js";
import { startProcess, temporaryFolder, type Host, type ProviderProcess } from "../support/driver/process.js";
import { rejectionText } from "../support/refusals.js";
import { recordedCall, type RecordedCall } from "../support/recordings.js";
import { token } from "../support/engineFixture.js";
import { readRecording, recordedFiles, type RecordedStep } from "../support/scenarios/recordedScenario.js";
import { scenarios } from "../support/scenarios/index.js";
import { applyAtService, commandOf, service, type Step } from "../support/scenarios/scenario.js";

const recordings = join(__dirname, "../recordings");
/** What differs from run to run. */
const volatile =
  /http:\/\/127\.0\.0\.1:\d+|unconfirmed-[0-9a-f-]{36}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|job-\d+|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Replays one recorded scenario to the provider process, which must give the same answers. */
class Replay {
  /** What is volatile in the recording, and its counterparts in this run. */
  private readonly live: Map<string, string>;
  private provider: ProviderProcess | undefined;
  /** All recordings are of one stack, and they are replayed at once. */
  private readonly TMPDIR = temporaryFolder();

  constructor(
    private readonly emulator: TestServer,
    private readonly host: Host,
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
        const { TMPDIR, host } = this;
        // No CLI: the state of the recorded stack is not here to be read.
        const env = { PATH: "", TMPDIR };
        this.provider = await startProcess(host, host === "plugin" ? { main: pluginMain, env } : { env });
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
    const saved = { id, inputs, outputs: call.olds === undefined ? properties : olds };
    switch (call.method) {
      case "configure":
        await provider.configure(config);
        return "";
      case "check": {
        const answer = await provider.check(name, news, olds);
        this.same(call, { inputs: answer.inputs });
        return answer.failures.map(({ reason }) => reason).join("\n");
      }
      case "diff": {
        const answer = await refusedOr(call, provider.diff(name, saved, news));
        if (typeof answer === "string") return answer;
        const changes = answer.changes === undefined ? "DIFF_UNKNOWN" : answer.changes ? "DIFF_SOME" : "DIFF_NONE";
        expect(call.response?.changes ?? "DIFF_UNKNOWN").toBe(changes);
        expect(answer.detailedDiff).toEqual(call.response?.detailedDiff ?? {});
        return "";
      }
      case "create":
        return this.changed(call, provider.create(name, properties, preview));
      case "update":
        return this.changed(call, provider.update(name, saved, news, preview));
      case "read": {
        const isImport = Object.keys(properties).length === 0;
        const answer = await refusedOr(call, isImport ? provider.import(name, id) : provider.read(name, saved));
        if (typeof answer === "string") return answer;
        const { outputs, ...found } = answer;
        if (answer.id === "") expect(call.response?.id ?? "").toBe("");
        else this.same(call, { ...found, properties: outputs });
        return "";
      }
      case "delete":
        return (await refusedOr(call, provider.delete(name, saved))) ?? "";
    }
  }

  /** Compares the answer to a create or an update, and returns what a user could read in it. */
  private async changed(call: RecordedCall, answer: Promise<Saved>): Promise<string> {
    const made = await answer.catch((error: unknown) => ({ error }));
    if (!("error" in made)) {
      const { id, outputs: properties } = made;
      this.same(call, call.response?.id === undefined ? { properties } : { id, properties });
      return "";
    }
    const recorded = recordedBy(made.error);
    if (recorded !== undefined) {
      this.learn({ ...call.saved }, { id: recorded.id, properties: recorded.outputs });
      return recorded.reasons.join("\n");
    }
    if (call.response !== undefined) throw made.error;
    // The id in the recorded state is known from an earlier call.
    if (call.saved?.id !== undefined) expect([...this.live.keys()]).toContain(call.saved.id);
    return rejectionText(made.error);
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

/** The answer, or the text of the refusal that the recording has too. */
async function refusedOr<Result>(call: RecordedCall, answer: Promise<Result>): Promise<Result | string> {
  const given = await answer.catch(rejectionText);
  expect(typeof given === "string").toBe(call.failed ?? false);
  return given;
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
  expect(kept.sort()).toEqual(recorded.map(({ file }) => file).sort());
});

describe("The provider process answers the calls of a real engine as recorded:", () => {
  test.concurrent.each(recorded)("$title", async ({ file, language, steps }) => {
    const then = readRecording(file).steps;
    expect(then.map(({ run }) => run)).toEqual(steps.map(commandOf));
    const replay = new Replay(await start({ token }), language.host);
    for (const [n, step] of steps.entries()) {
      const recordedStep = then[n];
      if (recordedStep !== undefined) await replay.run(step, recordedStep);
    }
    // The tests run in parallel, because each spends most of its time waiting for a process to start.
  });
});
