import { AsyncLocalStorage } from "node:async_hooks";
import { Services, type ClientOptions } from "../../client/service.js";
import { Cancellation } from "../../client/waits.js";
import type { Settings } from "../../config/index.js";
import { Functions } from "../../functions/functions.js";
import * as lifecycle from "../../lifecycle/index.js";
import { RunClaims } from "../claims/claims.js";
import { logIn, runFolder } from "../claims/runLog.js";
import { engineAddress, engineWatch } from "../engine.js";
import { CurrentJobs, EngineCalls } from "../engineCalls.js";
import { Warnings } from "../warnings.js";
import { CallError } from "./calls.js";
import type { EngineLog } from "./engineLog.js";
import { sharesTheProcess, usedByAnotherRun } from "./messages.js";
import { Resources } from "./resources.js";

/** What one provider resource shares in one run: the engine starts a process for each. */
export interface Run {
  readonly settings: Settings;
  readonly context: lifecycle.Context;
  readonly functions: Functions;
  readonly warnings: Warnings;
  readonly resources: Resources;
  readonly calls: EngineCalls;
  readonly currentJobs: CurrentJobs;
}

/** The URN of the resource of the current call, also in everything that the call starts. */
const answeredFor = new AsyncLocalStorage<string>();

/** Each answer makes the run fail where the hook gives up. After a hundred failures the engine gives up, without the id (3.248). */
const mayRepeat = 50;

/** The run of this process, and the way of its lines to the user. */
export class PluginRun {
  private cancellation = new Cancellation();
  private current: Run | undefined;
  /** Its name. */
  private provider = "";
  /** The address of the engine that attached; undefined if an engine started this process. */
  private attachedTo: string | undefined;

  constructor(
    private readonly log: Pick<EngineLog, "say" | "sent">,
    private readonly options: Partial<ClientOptions> = {},
  ) {}

  /**
   * Begins the run of an engine that attaches, which it does for each of its connections.
   * @throws CallError while another engine, which said no Cancel, goes on.
   */
  async attach(address: string): Promise<void> {
    const { attachedTo, cancellation } = this;
    if (address === attachedTo && !cancellation.isRequested) return;
    const isUsed = attachedTo !== undefined && !cancellation.isRequested;
    if (isUsed && (await engineWatch(engineAddress([attachedTo]))())) throw new CallError(usedByAnotherRun);
    this.attachedTo = address;
    this.cancellation = new Cancellation();
    this.current = undefined;
  }

  /** @throws CallError for a second provider of a run that shares this process: nothing would tell their calls apart. */
  configure(settings: Settings, name: string): void {
    const { attachedTo } = this;
    if (attachedTo !== undefined && this.current !== undefined)
      throw new CallError(sharesTheProcess(name, this.provider));
    this.provider = name;
    const engine = attachedTo === undefined ? engineAddress() : engineAddress([attachedTo]);
    const say = (line: string) => {
      this.log.say(line, answeredFor.getStore());
    };
    const { claims = new RunClaims(say, logIn(runFolder(engine))) } = this.options;
    const services = new Services({
      isEngineAlive: engineWatch(engine),
      say,
      log: settings.debug() ? say : undefined,
      cancellation: this.cancellation,
      claims,
      ...this.options,
    });
    const context = lifecycle.newContext({ settings, services, unrecordable: undefined, mayRepeat, say });
    const currentJobs = new CurrentJobs(claims);
    this.current = {
      settings,
      context,
      functions: new Functions(settings, services),
      warnings: new Warnings(settings),
      resources: new Resources(settings.words),
      calls: new EngineCalls(context, (message) => new CallError(message), currentJobs),
      currentJobs,
    };
  }

  get isConfigured(): boolean {
    return this.current !== undefined;
  }

  cancel(): void {
    this.cancellation.request();
  }

  /** Warns at the resource that is answered for. */
  warn(text: string): void {
    this.log.say(text, answeredFor.getStore(), "warning");
  }

  /** Shows the resource of this call as failed. The run's exit code still depends on the answer. */
  showError(text: string): void {
    this.log.say(text, answeredFor.getStore(), "error");
  }

  /** Answers a call about a resource, or about none. Lines logged in the meantime are shown at that resource, before the answer. */
  async answer<Response>(urn: string, ask: (run: Run) => Response | Promise<Response>): Promise<Response> {
    const { current } = this;
    if (current === undefined) throw new CallError("The engine has not configured this provider.");
    try {
      return await answeredFor.run(urn, () => ask(current));
    } finally {
      await this.log.sent();
    }
  }
}
