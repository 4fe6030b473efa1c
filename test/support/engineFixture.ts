import * as z from "zod";
import type { RunningCommand } from "./command.js";
import { deferred } from "./deferred.js";
import { posts } from "./emulated.js";
import { startTestServer, type TestServer, type TestFault } from "./emulator/index.js";
import { EngineStack, savedResource, type CommandSettings, type ConfigValue, type SavedResource } from "./engine.js";
import { applyAtService, otherService, service, up, type Step } from "./scenarios/scenario.js";
import { classes, type Language, type Program } from "./plugin/languages.js";
import { allEnded, descendantsOf, end } from "./processes.js";
import { RequestWatch } from "./requestWatch.js";
import { recordCalls, recordedCalls, StableText, type RecordedCall } from "./recordings.js";

export const token = "made-up-token";

/** What a recording keeps of a request. */
export const seenRequest = z.object({ method: z.string(), path: z.string(), body: z.json().optional() });
export type SeenRequest = z.infer<typeof seenRequest>;

/** What one command did, worded the same in each run. */
export interface Outcome {
  readonly exitCode: number;
  readonly output: string;
  /** How many creates the service saw. */
  readonly posts: number;
  readonly requests: readonly SeenRequest[];
  /** Empty unless the calls are recorded. */
  readonly calls: readonly RecordedCall[];
}

export interface FixtureOptions {
  /** Default: JavaScript with the classes. */
  readonly language?: Language;
  readonly config?: Readonly<Record<string, ConfigValue>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Which tokens the services accept; default: only `token`. */
  readonly acceptToken?: (token: string) => boolean;
  /** The clock of the services. */
  readonly now?: () => number;
}

export interface PlayedStep extends Omit<Step, "program" | "config"> {
  /** A table of declarations or, for the classes only, JavaScript. */
  readonly program?: string | Program;
  readonly config?: Readonly<Record<string, ConfigValue>>;
  readonly record?: boolean;
  /** The requests that the services get, in order: each has at least these members. */
  readonly requests?: readonly Partial<SeenRequest>[];
}

/** A stack on a real engine, the two services of its program, and placeholders for what differs from run to run. */
export class EngineFixture {
  readonly #stable = new StableText();
  readonly #moments = new Map<string, string>();
  /** The ids of each service's jobs in order of creation, including jobs that are gone. */
  readonly #ids: readonly [string[], string[]] = [[], []];

  private constructor(
    readonly stack: EngineStack,
    readonly services: readonly [TestServer, TestServer],
    private readonly watch: RequestWatch,
  ) {
    this.stable(services.map(({ baseUrl }) => baseUrl).join());
  }

  static async start({
    language = classes,
    config,
    env,
    acceptToken,
    now,
  }: FixtureOptions = {}): Promise<EngineFixture> {
    const watch = new RequestWatch();
    const stack = new EngineStack({ language, env });
    const time = now ?? (() => Date.now() + stack.aheadMs);
    const services = await Promise.all([
      startTestServer({ token, acceptToken, now: time, onRequest: watch.onRequest }),
      startTestServer({ token, acceptToken, now: time }),
    ]);
    await stack.init();
    const fixture = new EngineFixture(stack, services, watch);
    stack.edit = (text) => fixture.live(text);
    await fixture.configure({
      "data-connectivity:baseUrl": service,
      "data-connectivity:token": { secret: token },
      ...config,
    });
    return fixture;
  }

  /** Runs a step's command, and expects the result that the step gives. */
  async play(step: PlayedStep): Promise<Outcome> {
    const { run = up, exitCode = 0, posts: creates = 0, says = [], saysNot = [], requests, state } = step;
    const outcome = await this.run(run, step);
    if (outcome.exitCode !== exitCode) throw new Error(`pulumi ${run.join(" ")}:\n${outcome.output}`);
    expect(outcome.posts).toBe(creates);
    for (const text of says) expect(outcome.output).toContain(text);
    for (const text of saysNot) expect(outcome.output).not.toContain(text);
    if (requests !== undefined) expect(outcome.requests).toMatchObject(requests);
    if (state !== undefined) {
      expect(this.jobs()).toMatchObject(state);
      expect(Object.keys(this.jobs()).sort()).toEqual(Object.keys(state).sort());
    }
    return outcome;
  }

  private async run(args: readonly string[], step: PlayedStep): Promise<Outcome> {
    // Nothing is resent before the create can no longer be in flight.
    if (step.env !== undefined && "DATA_CONNECTIVITY_RESEND_UNCONFIRMED" in step.env) this.stack.pass(780_000);
    const { interrupted, faults = [] } = step;
    const [matched, stopped] = [deferred(), deferred()];
    const held = faults.map((fault) => ({ ...fault, until: (fault.on === "create" ? stopped : matched).promise }));
    const env = await this.prepare(interrupted === undefined ? step : { ...step, faults: held });
    const seenBefore = this.services.map(({ requests }) => requests.length);
    const liveArgs = args.map((arg) => this.live(arg));
    const run = async (more: Readonly<Record<string, string>> = {}) => {
      const settings = { env: { ...env, ...more } };
      if (interrupted === undefined) return this.stack.run(liveArgs, settings);
      const command = await this.spawnUntilPosted(liveArgs, settings, async ({ outputMatches }) => {
        await outputMatches(interrupted);
        matched.resolve();
      });
      command.kill("SIGINT");
      // A create that waits is refused once the engine has told the provider, however late that is.
      await command.outputMatches(/The run was cancelled/);
      stopped.resolve();
      return command.finished;
    };
    const { result, calls } = step.record
      ? await recordCalls(this.stack.folder, run, this.#stable)
      : { result: await run(), calls: [] };
    const requests = this.services.flatMap(({ requests: all }, index) => all.slice(seenBefore[index]));
    return {
      exitCode: result.exitCode,
      output: this.stable(result.output),
      posts: posts(requests),
      requests: this.stableValue(z.array(seenRequest), requests),
      calls: this.stableValue(recordedCalls, calls),
    };
  }

  /**
   * Starts an update that a test will interrupt, and waits until the service has received a create. The test decides
   * when that create gets its reply.
   */
  async upUntilPosted(program: string | Program): Promise<RunningCommand & { readonly reply: () => void }> {
    const replied = deferred();
    const faults: TestFault[] = [{ kind: "delay", on: "create", seconds: 0, until: replied.promise }];
    const env = await this.prepare({ program, faults });
    const command = await this.spawnUntilPosted(["up", "--yes", "--skip-preview"], { env });
    return { ...command, reply: replied.resolve };
  }

  /**
   * Kills an update during its create, when the engine has begun this many. Its provider processes end by themselves; the
   * rest is killed.
   */
  async killInCreate(program: string | Program, begun = 1): Promise<void> {
    const up = await this.upUntilPosted(program);
    await this.stack.untilPending(begun);
    const left = descendantsOf(up.pid);
    up.kill("SIGKILL");
    await up.finished;
    up.reply();
    const isProvider = ({ command }: { readonly command: string }) => /dynamic-provider|hosts\/plugin/.test(command);
    await allEnded(left.filter(isProvider), 20_000);
    end(left);
  }

  private async spawnUntilPosted(
    args: readonly string[],
    settings: CommandSettings,
    first: (command: RunningCommand) => Promise<void> = () => Promise.resolve(),
  ): Promise<RunningCommand> {
    const sent = () => posts(this.services[0].requests);
    const before = sent();
    const command = this.stack.spawn(args, settings);
    const ended = command.finished.then(({ output }) => {
      throw new Error(`The update ended before a create was sent:\n${output}`);
    });
    await Promise.race([first(command).then(() => this.watch.until(() => sent() > before)), ended]);
    ended.catch(() => undefined);
    return command;
  }

  /** The jobs in the stack's state, by name. */
  jobs(): Readonly<Record<string, SavedResource>> {
    const jobs = this.stack.state.resources.filter(
      ({ urn, delete: isReplaced }) => /data-connectivity:(?!:)/.test(urn) && !isReplaced,
    );
    return Object.fromEntries(
      this.stableValue(z.array(savedResource), jobs).map((saved) => [saved.urn.split("::").pop() ?? "", saved]),
    );
  }

  pendingOperations(): number {
    return this.stack.state.pending_operations.length;
  }

  /**
   * Replaces placeholders with values of this run: `job-1` is the first job of the first service, `job-x1` the first
   * job of the second service, `<T1>` the time when `<T1>` was first used.
   */
  live(text: string): string {
    const [first, second] = this.services;
    const [ids, otherIds] = this.ids();
    return text
      .replaceAll(service, first.baseUrl)
      .replaceAll(otherService, second.baseUrl)
      .replace(/job-(x?)(\d+)/g, (name, x: string, n: string) => (x ? otherIds : ids)[Number(n) - 1] ?? name)
      .replace(/<T\d+>/g, (name) => {
        const moment = this.#moments.get(name) ?? new Date().toISOString();
        this.#moments.set(name, moment);
        return moment;
      });
  }

  stable(text: string): string {
    const names = this.ids().flatMap((ids, index) =>
      ids.map((id, n) => [id, `job-${index === 0 ? "" : "x"}${n + 1}`] as const),
    );
    return names.reduce((result, [id, name]) => result.replaceAll(id, name), this.#stable.of(text));
  }

  private ids(): readonly [readonly string[], readonly string[]] {
    this.services.forEach(({ jobs, requests }, index) => {
      const made = requests.flatMap(({ operation, job }) => (operation === "create" && job !== undefined ? [job] : []));
      const known = this.#ids[index] ?? [];
      for (const id of [...made, ...jobs.map((job) => job.id)]) if (!known.includes(id)) known.push(id);
    });
    return this.#ids;
  }

  async stop(): Promise<void> {
    await this.stack.dispose();
    await Promise.all(this.services.map((each) => each.stop()));
  }

  private async prepare(step: PlayedStep): Promise<Readonly<Record<string, string>>> {
    const { program, config, env = {}, faults = [], atService } = step;
    if (program !== undefined) this.stack.declare(program);
    if (config !== undefined) await this.configure(config);
    this.services[0].inject(...faults);
    if (atService !== undefined) applyAtService(this.services[0], this.live(atService.job), atService);
    return mapValues(env, (value) => this.live(value));
  }

  private configure(config: Readonly<Record<string, ConfigValue>>): Promise<void> {
    return this.stack.setConfig(mapValues(config, (value) => (typeof value === "string" ? this.live(value) : value)));
  }

  private stableValue<Value>(schema: z.ZodType<Value>, value: unknown): Value {
    return schema.parse(JSON.parse(this.stable(JSON.stringify(value))));
  }
}

/** A separate fixture for each test of a `describe`. */
export const engineForEachTest = (options?: FixtureOptions) => startedIn(beforeEach, afterEach, options);

/** One fixture for all tests of a `describe`; the tests build on each other. */
export const engineForAllTests = (options?: FixtureOptions) => startedIn(beforeAll, afterAll, options);

function startedIn(before: jest.Lifecycle, after: jest.Lifecycle, options?: FixtureOptions): () => EngineFixture {
  let fixture: EngineFixture;
  before(async () => {
    fixture = await EngineFixture.start(options);
  });
  after(() => fixture.stop());
  return () => fixture;
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
