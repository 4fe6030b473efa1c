import { subjectOf } from "../../../provider/src/client/token.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import { ownStack, type Config } from "../all/runOptions.js";
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
import type { Saved } from "./state.js";
import { commandTold, Story } from "./story.js";
import { Timeline, type CommandEvents } from "./timeline.js";
import type { Mode, Sequence, Source } from "./words.js";

/** A provider of each account. */
const ofAccounts = ["default", "elsewhere", "otherAccount"];

export const newSubject = "renamed";

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
    private readonly lastMode: Mode,
    readonly sequence: Sequence,
    isTold: boolean,
  ) {
    const { setting, noise } = sequence;
    ownStack.urn = "urn:pulumi:test::acceptance";
    this.hasSwitched = setting.switchesModeBefore === undefined;
    this.noise = new Noise(noise);
    const timeline = (this.timeline = new Timeline(beginning, this.noise.next));
    this.machines = setting.machines.map((aheadMs, n) => new Machine(`machine ${n + 1}`, timeline, aheadMs));
    const [own, other] = ["one", "two"].map((sub) => jwt({ iss: "service", sub }));
    this.services = [
      new Service("https://one.example", own ?? "", setting, timeline),
      new Service("https://two.example", own ?? "", setting, timeline, setting.numericIds ? 0 : 2500),
      new Service("https://one.example", other ?? "", setting, timeline, 5000),
    ];
    this.network = new Network(timeline, this.services, this.noise);
    this.texts = new Names(setting);
    this.story = new Story(isTold, beginning, this.network, this.texts);
    this.firstStart = beginning + setting.aheadMs + setting.firstStartMs;
    const { stack, network, services, machines, texts } = this;
    this.judge = new Judge({
      ...{ mode: () => this.mode, stack, network, services, machines, texts, hasSecrets: setting.secrets !== "none" },
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
    judge.modes.set(events, this.mode);
    if (running.size === 0) judge.begins(command);
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

  /** The subject of the newest token, if the settings name it. */
  subject: string | undefined;

  /** Whether the accounts' tokens do not show their subjects now. */
  isOpaque = false;

  private hasSwitched: boolean;

  /** The mode in which a command of now runs. */
  get mode(): Mode {
    const otherMode = this.lastMode === "all" ? "create" : "all";
    return this.hasSwitched ? this.lastMode : otherMode;
  }

  switchMode(): void {
    this.hasSwitched = true;
    this.tell(`user: sets jobOperations to ${this.mode}`);
  }

  /** The service gives the account a new subject. */
  rename(): void {
    this.services[0]?.rename(jwt({ iss: "service", sub: newSubject }));
    this.tell(`the service renames the account: its tokens have the subject ${newSubject}`);
  }

  /** Whether the account has got a new subject since its token made or saw what the state has of a resource. */
  isRenamed(name: string): boolean {
    const saved = this.stack.file.resources.get(name);
    const { baseUrl, subject } = (saved && readState(saved.outputs)?.origin) ?? {};
    const isOf = (token: string) => subjectOf(token) === subject;
    return this.services.some((one) => one.baseUrl === baseUrl && one.tokens.length > 1 && one.tokens.some(isOf));
  }

  /** The account that a provider uses, at its address. */
  serviceOf(provider: string | undefined): Service {
    const [usual, elsewhere, account] = this.services;
    // Without their subjects, nothing tells two accounts at one address apart (docs/limits.md).
    const isOther = provider === "otherAccount" && this.sequence.setting.opaqueIn.length === 0;
    const found = provider === "elsewhere" ? elsewhere : isOther ? account : usual;
    if (found === undefined) throw new Error("A world needs three services.");
    return found;
  }

  /** The provider of the account that has a saved job, if the saved one is of another account: it has sent nothing for it. */
  providerOf({ outputs, provider }: Saved): string | undefined {
    const { baseUrl, subject } = readState(outputs)?.origin ?? {};
    const isOf = (name: string) => {
      const service = this.serviceOf(name);
      const isOfToken = (token: string) => subject === undefined || subjectOf(token) === subject;
      return service.baseUrl === baseUrl && service.tokens.some(isOfToken);
    };
    return isOf(provider) ? undefined : ofAccounts.find(isOf);
  }

  /** The provider of the account to which the newest create of a source was sent. */
  senderFor(source: Source): string | undefined {
    const sent = this.network.sent.filter(({ body }) => body !== undefined && this.texts.sourceIn(body) === source);
    const { service } = sent.filter(({ call }) => call === "create").at(-1) ?? {};
    return ofAccounts.find((name) => this.serviceOf(name) === service);
  }

  private configOf(name: string): Config {
    const service = this.serviceOf(name);
    const { baseUrl, tokens } = service;
    const subject = tokens.length > 1 ? this.subject : undefined;
    const token = this.isOpaque && subject === undefined ? service.opaqueToken : service.token;
    const { timeoutSeconds } = this.sequence.setting;
    return { baseUrl, token, timeoutSeconds, jobOperations: this.mode, ...(subject !== undefined && { subject }) };
  }
}
