import { readdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../provider/src/json.js";
import { startTestServer } from "../support/emulator/index.js";
import { PackedPlugin } from "../support/plugin/archives.js";
import { startPluginProcess, startProviderProcess, type ProviderProcess } from "../support/providerProcess.js";
import { refusalText, rejectionText } from "../support/refusals.js";
import { recordedCall, type RecordedCall } from "../support/recordings.js";
import { token } from "../support/engineFixture.js";
import { readRecording, recordedFiles, type RecordedStep } from "../support/scenarios/recordedScenario.js";
import { scenarios } from "../support/scenarios/index.js";
import { applyAtService, otherService, service, type Scenario, type Step } from "../support/scenarios/scenario.js";

const recordings = join(__dirname, "../recordings");
const volatile =
  /unconfirmed-[0-9a-f-]{36}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|job-x?\d+|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Replays one recorded scenario to the provider process, which must give the same answers. */
class Replay {
  /** The names in the recording, and their counterparts in this run. */
  private readonly live = new Map<string, string>();
  private readonly times = new Map<string, string>();
  private provider: ProviderProcess | undefined;

  private constructor(
    private readonly services: readonly Awaited<ReturnType<typeof startTestServer>>[],
    private readonly host: Scenario["host"],
  ) {}

  static async start(host: Scenario["host"]): Promise<Replay> {
    return new Replay(await Promise.all([startTestServer({ token }), startTestServer({ token })]), host);
  }

  async run(step: Step, recorded: RecordedStep): Promise<void> {
    const [first] = this.services;
    first?.inject(...(step.faults ?? []));
    const { atService } = step;
    if (first !== undefined && atService !== undefined)
      applyAtService(first, this.live.get(atService.job) ?? atService.job, atService);
    const seen = first?.requests.length ?? 0;
    let texts = "";
    let process = 0;
    for (const call of recorded.calls) {
      if (call.process !== process) {
        texts += await this.restart(step);
        process = call.process;
      }
      texts += await this.call(call);
    }
    texts += await this.endProcess();
    this.nameJobs();
    for (const text of (step.says ?? []).filter((each) => ours.test(each)))
      expect(this.recorded(texts)).toContain(text);
    for (const text of step.saysNot ?? []) expect(texts).not.toContain(text);
    const requests = first?.requests.slice(seen).map(({ method, path, body }) => ({ method, path, body })) ?? [];
    expect(JSON.parse(this.recorded(JSON.stringify(requests)))).toEqual(recorded.requests);
  }

  async stop(): Promise<void> {
    await this.endProcess();
    await Promise.all(this.services.map((each) => each.stop()));
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
    for (const { id } of this.services[0]?.jobs ?? []) {
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
    const text = JSON.stringify(call).replace(volatile, (name) => this.live.get(name) ?? name);
    return recordedCall.parse(JSON.parse(this.addresses((recorded, live) => [recorded, live], text)));
  }

  private recorded(text: string): string {
    const names = new Map([...this.live].map(([recorded, live]) => [live, recorded]));
    return this.addresses(
      (recorded, live) => [live, recorded],
      text.replace(volatile, (name) => names.get(name) ?? name),
    );
  }

  private addresses(order: (recorded: string, live: string) => readonly [string, string], text: string): string {
    return [service, otherService].reduce((result, recorded, n) => {
      const [from, to] = order(recorded, this.services[n]?.baseUrl ?? "");
      return result.replaceAll(from, to);
    }, text);
  }

  private async restart({ env = {} }: Step): Promise<string> {
    const texts = await this.endProcess();
    const moment = (name: string) => {
      const time = this.times.get(name) ?? new Date().toISOString();
      this.times.set(name, time);
      return time;
    };
    const values = Object.entries(env).map(([name, value]) => [name, value.replace(/<T\d>/, moment)] as const);
    const settings = Object.fromEntries(values);
    this.provider = await (this.host === "plugin"
      ? startPluginProcess({ env: settings, main: pluginMain })
      : startProviderProcess({ env: settings }));
    return texts;
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

/** The plugin as users have it: packed, the plugin starts in half the time. */
const packed = new PackedPlugin();
const pluginMain = packed.main();
afterAll(() => {
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
    expect(then.map(({ run }) => run)).toEqual(steps.map(({ run }) => run.join(" ")));
    const replay = await Replay.start(host);
    try {
      for (const [n, step] of steps.entries()) {
        const recordedStep = then[n];
        if (recordedStep !== undefined) await replay.run(step, recordedStep);
      }
    } finally {
      await replay.stop();
    }
    // The tests run in parallel, because each spends most of its time waiting for a process to start.
  });
});
