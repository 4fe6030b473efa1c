import { AccountClients, type ClientOptions } from "../../client/accountClient.js";
import { Cancellation } from "../../client/gate.js";
import type { Settings } from "../../config/index.js";
import { Functions } from "../../functions/functions.js";
import type { KeptJobs } from "../../lifecycle/inventory/memory.js";
import type { OwnState } from "../../lifecycle/ownState.js";
import { Run } from "../../lifecycle/run.js";
import { engineAddress, type Engine } from "../engine.js";
import { firstReadingOf } from "../firstReading.js";
import { keptJobsOfRun } from "../keptJobs.js";
import { CreateNoteFiles, type ReadableNotes } from "../createNotes.js";
import { OwnStateReader, type RunStack } from "../ownState.js";
import type { RunCommand } from "../../lifecycle/runTypes.js";
import { commandOfCli, exportWithCli, type ExportStack } from "../stackExport.js";
import { Warnings } from "../warnings.js";
import { CallError } from "./calls.js";
import { providerOfDo } from "./pulumiDo.js";

/** What tests replace. */
interface RunOptions extends Partial<ClientOptions> {
  readonly keptJobs?: KeptJobs | undefined;
  readonly exportStack?: ExportStack | undefined;
  readonly command?: RunCommand;
  readonly createNotes?: ReadableNotes | undefined;
}

/** What the calls for one provider resource share in a run. The engine starts one process per provider resource. */
interface ProviderRun {
  readonly run: Run;
  readonly ownState: OwnStateReader;
  readonly provider: RunStack["provider"];
  /** Whether `pulumi do` started this process: there is no program and no state. */
  readonly isAlone: boolean;
  readonly functions: Functions;
  readonly warnings: Warnings;
}

const noState: OwnState = { jobs: [], unconfirmed: [], unconfirmedChanges: [], savedAt: undefined };

/** Holds the run of this process. */
export class PluginRun {
  private cancellation = new Cancellation();
  private current: ProviderRun | undefined;
  /** The address of the engine that attached; undefined if an engine started this process. */
  private attachedTo: string | undefined;

  constructor(
    private readonly engine: Pick<Engine, "connect" | "isAlive" | "report" | "answer">,
    private readonly options: RunOptions = {},
  ) {}

  /**
   * Starts a run for an engine that attaches to this process instead of starting its own (PULUMI_DEBUG_PROVIDERS). The
   * same engine attaches again for each further connection: that starts no new run.
   */
  attach(address: string): void {
    if (address === this.attachedTo && !this.cancellation.isRequested) return;
    this.attachedTo = address;
    const found = engineAddress([address]);
    if (found !== undefined) this.engine.connect(found);
    this.cancellation = new Cancellation();
  }

  configure(settings: Settings, provider: RunStack["provider"]): void {
    const { attachedTo } = this;
    const engine = engineAddress(attachedTo === undefined ? undefined : [attachedTo]);
    const {
      keptJobs = engine && keptJobsOfRun(engine),
      exportStack = engine && exportWithCli,
      command = commandOfCli(),
      createNotes = engine && new CreateNoteFiles(engine, this.engine.report),
      ...options
    } = this.options;
    const clients = new AccountClients(settings, {
      isEngineAlive: this.engine.isAlive,
      report: this.engine.report,
      cancellation: this.cancellation,
      ...options,
    });
    const ownState = new OwnStateReader({
      exportStack,
      report: clients.report,
      createNotes,
      firstReading: engine && firstReadingOf(engine),
    });
    const failure = (message: string) => new CallError(message);
    const isAlone = provider === providerOfDo;
    const readOwnState = isAlone ? () => Promise.resolve(noState) : ownState.read;
    const run = new Run({
      clients,
      keptJobs,
      failure,
      createNotes,
      command,
      ownState: readOwnState,
      comparesSubjects: true,
    });
    const functions = new Functions(clients);
    this.current = { run, ownState, provider, isAlone, functions, warnings: new Warnings(settings) };
  }

  get isConfigured(): boolean {
    return this.current !== undefined;
  }

  cancel(): void {
    this.cancellation.request();
  }

  /** Shows warnings on the resource with this URN. */
  warn(urn: string, texts: readonly string[]): void {
    for (const text of texts) this.engine.report({ severity: "warning", text, about: urn });
  }

  /** Handles a call about the resource with this URN (empty for none). */
  async answer<Response>(urn: string, ask: (run: ProviderRun) => Response | Promise<Response>): Promise<Response> {
    const { current } = this;
    if (current === undefined) throw new CallError("The engine has not configured this provider.");
    const { ownState, provider } = current;
    if (urn !== "") ownState.stack ??= { urn, organization: undefined, provider };
    return this.engine.answer(current.run.settings.debug() ? urn : undefined, () => ask(current));
  }
}
