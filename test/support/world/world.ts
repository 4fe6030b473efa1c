import type { Config } from "../all/runOptions.js";
import { jwt } from "../jwt.js";
import { isPlugin } from "../testedHost.js";
import { Stack, type Command, type EngineWorld } from "./command.js";
import { EngineRun } from "./engine.js";
import { Judge } from "./judges.js";
import { Machine } from "./machine.js";
import { Network } from "./network.js";
import { Noise } from "./noise.js";
import { Names } from "./programs.js";
import { Service } from "./service.js";
import { commandTold, Story } from "./story.js";
import { Timeline, type CommandEvents } from "./timeline.js";
import type { Sequence } from "./words.js";

export type Mode = "create" | "all";

/** When every sequence begins. */
const beginning = Date.parse("2026-03-02T09:00:00.000Z");

/** Everything that there is in one sequence. */
export class World {
  readonly timeline: Timeline;
  readonly noise: Noise;
  readonly services: readonly Service[];
  readonly machines: readonly Machine[];
  readonly network: Network;
  readonly stack = new Stack();
  readonly texts: Names;
  readonly judge: Judge;
  readonly firstStart: number;
  readonly story: Story;
  private port = 10_000;
  /** The runs that have not ended. */
  readonly running = new Set<EngineRun>();
  private readonly providers: EngineWorld;

  constructor(
    readonly mode: Mode,
    readonly sequence: Sequence,
    isTold: boolean,
  ) {
    const { setting, noise } = sequence;
    this.noise = new Noise(noise);
    const timeline = (this.timeline = new Timeline(beginning, this.noise.next));
    this.machines = setting.machines.map((aheadMs, n) => new Machine(`machine ${n + 1}`, timeline, aheadMs));
    const token = jwt({ iss: "service", sub: "one" });
    this.services = ["https://one.example", "https://two.example"].map(
      (baseUrl) => new Service(baseUrl, token, setting, timeline),
    );
    this.network = new Network(timeline, this.services, this.noise);
    this.texts = new Names(setting);
    this.story = new Story(isTold, beginning, this.network, this.texts);
    this.firstStart = beginning + setting.aheadMs + setting.firstStartMs;
    const { stack, network, services, machines, texts } = this;
    this.judge = new Judge({
      ...{ mode, stack, network, services, machines, texts, hasSecrets: setting.secrets },
      now: () => timeline.now,
    });
    this.providers = {
      ...{ timeline, network, noise: this.noise },
      provider: (name) => ({ host: this.hostOf(name), config: this.configOf(name) }),
      nextPort: () => (this.port += 1),
    };
  }

  /** Starts a command, which goes on while time passes. */
  start(command: Command, events: CommandEvents = { beforeEvent: () => false }): EngineRun {
    const { running, judge } = this;
    const writes = command.kind !== "preview";
    const isBeside = [...running].some(({ command: { kind } }) => kind !== "preview");
    if (running.size === 0) judge.begins(Object.keys(command.program));
    const run = new EngineRun(this.providers, this.stack, command, events);
    running.add(run);
    this.tell(`${command.machine.name}: ${commandTold(command)}`);
    run.begin();
    if (writes && isBeside && this.stack.lock === undefined) judge.isTorn = true;
    return run;
  }

  tell(text: string): void {
    this.story.tell(this.timeline.now, text);
  }

  private hostOf(name: string): "plugin" | "dynamic" {
    const isOther = name === "otherHost";
    return isPlugin !== isOther ? "plugin" : "dynamic";
  }

  private configOf(name: string): Config {
    const [service, other] = this.services;
    const { baseUrl = "", token = "" } = (name === "elsewhere" ? other : service) ?? {};
    const { timeoutSeconds } = this.sequence.setting;
    return { baseUrl, token, timeoutSeconds, jobOperations: this.mode };
  }
}
