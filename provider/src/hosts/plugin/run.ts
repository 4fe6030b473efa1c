import { AsyncLocalStorage } from "node:async_hooks";
import { Services, type ClientOptions } from "../../client/service.js";
import { Cancellation } from "../../client/gate.js";
import type { Settings } from "../../config/index.js";
import { Functions } from "../../functions/functions.js";
import type { KeptJobs } from "../../lifecycle/inventory/holders.js";
import type { OwnState } from "../../lifecycle/ownState.js";
import { Run } from "../../lifecycle/run.js";
import { engineAddress, engineWatch } from "../engine.js";
import { keptJobsOfRun } from "../keptJobs.js";
import { exportWithCli, OwnStateReader, type ExportStack, type RunStack } from "../ownState.js";
import { Warnings } from "../warnings.js";
import { CallError } from "./calls.js";
import type { EngineLog, Severity } from "./engineLog.js";
import { providerOfDo } from "./pulumiDo.js";

/** What tests replace. */
interface RunOptions extends Partial<ClientOptions> {
  readonly keptJobs?: KeptJobs | undefined;
  readonly exportStack?: ExportStack | undefined;
}

/** What the calls for one provider resource share in a run. The engine starts one process per provider resource. */
export interface ProviderRun {
  readonly run: Run;
  readonly ownState: OwnStateReader;
  readonly provider: RunStack["provider"];
  /** Whether `pulumi do` started this process: there is no program and no state. */
  readonly isAlone: boolean;
  readonly functions: Functions;
  readonly warnings: Warnings;
}

const noState: OwnState = { jobs: [], interrupted: [], savedAt: undefined };

/** The URN of the resource that the current call is about. All work that the call starts sees the same URN. */
const answeredFor = new AsyncLocalStorage<string>();

/** Holds the run of this process, and sends lines to the user. */
export class PluginRun {
  private cancellation = new Cancellation();
  private current: ProviderRun | undefined;
  /** The address of the engine that attached; undefined if an engine started this process. */
  private attachedTo: string | undefined;

  constructor(
    private readonly log: Pick<EngineLog, "connect" | "say" | "sent">,
    private readonly options: RunOptions = {},
  ) {}

  /**
   * Starts a run for an engine that attaches to this process instead of starting its own (PULUMI_DEBUG_PROVIDERS). The
   * same engine attaches again for each further connection, which starts no other run.
   */
  attach(address: string): void {
    if (address === this.attachedTo && !this.cancellation.isRequested) return;
    this.attachedTo = address;
    this.log.connect(address);
    this.cancellation = new Cancellation();
  }

  configure(settings: Settings, provider: RunStack["provider"]): void {
    const { attachedTo } = this;
    const engine = engineAddress(attachedTo === undefined ? undefined : [attachedTo]);
    const { say } = this;
    const {
      keptJobs = engine && keptJobsOfRun(engine),
      exportStack = engine && exportWithCli,
      ...options
    } = this.options;
    const services = new Services(settings, {
      isEngineAlive: engineWatch(engine),
      say,
      log: say,
      cancellation: this.cancellation,
      ...options,
    });
    const ownState = new OwnStateReader(exportStack, say, (line) => {
      if (settings.debug()) say(line);
    });
    const failure = (message: string) => new CallError(message);
    const isAlone = provider === providerOfDo;
    const readOwnState = isAlone ? () => Promise.resolve(noState) : ownState.read;
    const run = new Run({ services, say, keptJobs, failure, ownState: readOwnState, comparesSubjects: true });
    const functions = new Functions(services);
    this.current = { run, ownState, provider, isAlone, functions, warnings: new Warnings(settings) };
  }

  get isConfigured(): boolean {
    return this.current !== undefined;
  }

  cancel(): void {
    this.cancellation.request();
  }

  /**
   * Shows a line on the resource of the current call. A line of severity ERROR does not set the run's exit code: the
   * reply to the call does.
   */
  readonly say = (line: string, severity?: Severity): void => {
    this.log.say(line, answeredFor.getStore(), severity);
  };

  warn(lines: readonly string[]): void {
    for (const line of lines) this.say(line, "WARNING");
  }

  /** Handles a call. Its log lines appear before the reply, on the resource with this URN (empty for none). */
  async answer<Response>(urn: string, ask: (run: ProviderRun) => Response | Promise<Response>): Promise<Response> {
    const { current } = this;
    if (current === undefined) throw new CallError("The engine has not configured this provider.");
    const { ownState, provider } = current;
    if (urn !== "") ownState.stack ??= { urn, organization: undefined, provider };
    try {
      return await answeredFor.run(urn, () => ask(current));
    } finally {
      await this.log.sent();
    }
  }
}
