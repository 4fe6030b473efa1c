import { isSameId } from "../client/jobMatch.js";
import type { AccountClient, AccountClients } from "../client/accountClient.js";
import { modes, orSettingsError, SettingsError, type ModeRules, type Settings } from "../config/index.js";
import { checkDeclaration, type Declaration, type JobKind, type Problem } from "../jobs/index.js";
import { info, warning, type Finding } from "../finding.js";
import { canonicalJson } from "../json.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { adopt, importJob, lookUp, matchingJob, listed } from "./adopt.js";
import { create } from "./create.js";
import { EngineCalls } from "./engineCalls.js";
import { deleteSaved, leave } from "./delete.js";
import { foresee, mistakesIn, linesFor } from "./foresee.js";
import { passGuards, whyRefused } from "./guards.js";
import { Inventory } from "./inventory/inventory.js";
import { Memory } from "./inventory/memory.js";
import { deleteStep, newStep, Plan, stepOf, type Details, type Step } from "./plan.js";
import { refreshJob } from "./read.js";
import { refusalOf } from "./refusals.js";
import type { JobState, NamedJob, Origin, Resource, SavedResource } from "./resource.js";
import { done, Refusal, Refusals, refusalText, type Done, type Refreshed, type Recorded } from "./result.js";
import { isElsewhere } from "./texts/allMode.js";
import { nothingToRead } from "./texts/createMode.js";
import * as texts from "./texts/shared.js";
import { keptOf, transition, type Transition } from "./transitions.js";
import type { Checked, Difference, RunOptions } from "./runTypes.js";
import { decidingFor, findingsOnCreate, newStepIn, savedStepIn, settledBy, waitedFor } from "./unconfirmed/creates.js";
import { inFlightUntil, openOf } from "./unconfirmed/openCreate.js";
import { recordPending } from "./unconfirmed/record.js";
import { Resends } from "./unconfirmed/resends.js";
import { linesOnKilledChanges, UnrecordedCreates } from "./unconfirmed/unrecorded.js";
import { recordFoundBy, recordKilled, update } from "./update.js";

/**
 * The engine's calls about the resources of one provider, in one run. A host decodes the engine's requests and encodes
 * the results. A refused call throws the host's failure, with the reason.
 */
export class Run {
  readonly settings: Settings;
  private readonly clients: AccountClients;
  readonly memory: Memory;
  readonly calls = new EngineCalls();
  private readonly reported = new Set<string>();
  private readonly refusals = new Refusals();
  readonly resends: Resends;
  private readonly unrecorded: UnrecordedCreates;
  private readonly inventoryOf = (client: AccountClient) => new Inventory(client, this.memory);
  private readonly inventoryNamed = (account?: string) => this.inventoryOf(this.clients.of(account));

  constructor(private readonly options: RunOptions) {
    this.clients = options.clients;
    this.settings = options.clients.settings;
    this.memory = new Memory(options);
    const say = (text: string) => {
      this.reportOnce({ severity: "info", text });
    };
    this.resends = new Resends(this.settings, this.memory.stateBefore, say, options);
    this.unrecorded = new UnrecordedCreates(options, this.memory, this.clients);
  }

  /** Reports a finding, but only the first with this key in this process. */
  reportOnce(finding: Finding, key = finding.text): void {
    if (!this.reported.has(key)) this.clients.report(finding);
    this.reported.add(key);
  }

  /** Reports that an update sends nothing, only for the first such resource. */
  reportRecordOnly(resource: Pick<Resource, "label" | "key">): void {
    this.reportOnce(info(resource, texts.willRecordOnly(resource.label)), "recorded only");
  }

  /**
   * The mode rules for a saved job. If its mode is not known, those of mode `all`: a refresh or delete then needs the job's
   * account, and fails with what is wrong in the settings.
   */
  rulesFor({ account }: Pick<Origin, "account">): ModeRules {
    const mode = orSettingsError(() => (this.settings.isKnown(account) ? this.settings.mode(account) : modes.all));
    return mode instanceof SettingsError ? modes.all : mode;
  }

  /**
   * Checks a declaration, then its settings, before anything is sent. Needs no network, and a token only if the settings
   * name its subject or a create is unconfirmed. `unreadable`: what decoding found; then nothing else is checked. Values equal
   * to those in `before`, the saved ones, are not: a refresh may have saved what no program could declare, for `ignoreChanges`.
   */
  async check(resource: Resource, before?: Declaration, unreadable: readonly string[] = []): Promise<Checked> {
    const { kind, label, declared, isPlain } = resource;
    const refused = (why: string): Checked => ({ problems: [`${label}: ${why}`], account: undefined });
    const isNew = before === undefined;
    const isPutBack = ({ path }: Problem) =>
      before !== undefined && path in before && canonicalJson(before[path]) === canonicalJson(declared[path]);
    this.calls.check(resource, isNew);
    this.memory.noteSecrets(resource);
    // Start reading now: a later call waits for it. Before a resend, the state must be read before this run writes it.
    if (isNew || this.resends.isAsked()) void this.memory.ownState();
    const problems =
      unreadable.length > 0
        ? unreadable
        : checkDeclaration(kind, declared, isPlain).flatMap((one) => (isPutBack(one) ? [] : `${label}: ${one.text}`));
    if (problems.length > 0) return { problems, account: undefined };
    const client = orSettingsError(() => {
      this.settings.resendUnconfirmed();
      this.settings.adoptUnconfirmed();
      this.settings.adoptMatching();
      return this.clientOf(declared);
    });
    if (client instanceof SettingsError) return refused(client.message);
    // Every new resource waits, so that the state is read before the engine begins a create: afterwards, this run's own
    // creates would look like a killed run's.
    const state = isNew ? await this.memory.ownState() : undefined;
    for (const finding of mistakesIn(resource, client?.account.mode, isNew)) this.reportOnce(finding);
    if (client === undefined) return { problems, account: undefined };
    // Waits for the time of an allowed resend: the engine must begin the resend after it.
    const late = await this.resends.whyNotAllowed(client, state, decidingFor(state, resource, client)[0], resource);
    if (late !== undefined) return refused(late.message);
    const inventory = this.inventoryOf(client);
    const isReplacement = this.calls.isReplacement(resource, isNew);
    const named = this.resends.jobNamedFor(resource);
    const step: Step = isNew ? newStep(declared, named) : { kind: "undecided" };
    const plan = this.plan(inventory, resource, step, { isReplacement });
    const why = await whyRefused(plan, "check");
    const refusal = why && this.refusals.textOf(refusalOf(plan, why), resource);
    if (refusal !== undefined) return { problems: [refusal], account: undefined };
    for (const finding of await findingsOnCreate(plan)) this.reportOnce(finding);
    const { existingJobId = named } = declared;
    if (typeof existingJobId === "string" && existingJobId !== unknownValue) {
      inventory.name(existingJobId, resource);
      // The engine shows an adoption as a create, so this line says what really happens.
      if (isNew) this.reportOnce(info(resource, texts.willAdopt(client.account.mode, label, existingJobId)));
    }
    return { problems, account: client.account };
  }

  /** Shows a line in the preview if the engine's plain "update" says too little. A change that cannot be made is refused. */
  async diff(saved: SavedResource, resource: Resource): Promise<Difference> {
    this.memory.hide(saved);
    if (this.calls.diff(saved, resource)) return "refreshed";
    return this.refusing(resource, async () => {
      const client = this.clientOf(resource.declared);
      if (this.options.comparesSubjects === true && saved.origin.subject !== undefined)
        await client?.tokens.learnSubject();
      const settings = await this.resends.currentSettings(client, saved);
      const newest = await this.resends.newest(saved);
      const next = transition(newest, resource, settings);
      this.noteSubject(next, saved);
      const inventory = this.inventoryOf(client ?? this.clients.of(saved.origin.account));
      // Only a declared resource holds its job here. Before a replacement, the engine also calls `diff` for dependents as
      // they are saved, under their old names.
      const isDeclared = client !== undefined && this.calls.isDeclared(resource);
      await passGuards(this.plan(inventory, resource, stepOf(next, newest), { isDeclared }), "compare");
      if (next.kind === "unchanged") return "none";
      // With its first write, the engine drops what killed runs left; after that, this run's own requests look like theirs.
      const state = await this.memory.ownState();
      if (next.kind === "change") {
        for (const line of linesOnKilledChanges(state, resource, this.resends.mayRun({})))
          this.reportOnce(warning(resource, line));
        this.calls.change(resource, saved);
        return "change";
      }
      if (next.kind === "record" && next.why === "noEffect") this.reportRecordOnly(resource);
      else for (const line of linesFor(next, newest, resource, settings)) this.reportOnce(info(resource, line));
      return "update";
    });
  }

  /**
   * In a preview, asks the guards of `up` about a resource that `up` would create or update. Creates and changes nothing,
   * and in mode `create` sends nothing at all. `saved`: the resource in the state, if it exists. `isDeletedFirst`: whether a
   * replacement deletes the old job first, if the host knows.
   */
  foresee(resource: Resource, saved?: SavedResource, isDeletedFirst?: boolean): Promise<void> {
    return this.refusing(resource, async () => {
      const client = this.clientOf(resource.declared);
      if (client === undefined) return;
      if (client.account.mode.canRead && saved?.origin.outcome !== "unconfirmed") await client.learnAccount();
      const inventory = this.inventoryOf(client);
      const step =
        saved === undefined
          ? await newStepIn(inventory, resource, this)
          : await savedStepIn(inventory, await this.resends.newest(saved), resource, this);
      const replaced = saved === undefined ? this.calls.changed(resource) : undefined;
      // Our reply to the `diff` of a change asks the engine to delete first.
      const deletesFirst = isDeletedFirst ?? (replaced && true);
      if (replaced !== undefined && deletesFirst === true) inventory.foreseeDelete(resource, replaced.jobId);
      const plan = this.plan(inventory, resource, step, { isDeletedFirst: deletesFirst });
      for (const finding of await foresee(plan, () => this.findMatching(plan))) this.reportOnce(finding);
    });
  }

  /** Creates the declared job, or adopts the job that `existingJobId` names. If a job may exist, the result is recorded. */
  create(resource: Resource): Promise<Done | Recorded> {
    return this.refusing(resource, async () => {
      if (hasUnknown(resource.declared)) throw new Refusal(resource, texts.unknownInCreate);
      const client = this.clients.declaredBy(resource.declared);
      const began = client.machineClock.monotonic();
      if (resource.declared["existingJobId"] === undefined || client.account.mode.canRead) await client.learnAccount();
      const inventory = this.inventoryOf(client);
      const plan = this.plan(inventory, resource, await newStepIn(inventory, resource, this), { began });
      const before = this.calls.recordedBefore(plan.wanted().request, resource, inventory.report);
      if (before !== undefined) return before;
      await passGuards(plan, "start");
      const waited = await waitedFor(plan);
      if (waited !== undefined) return recordPending(plan, waited);
      const id = await this.findMatching(plan);
      const next = id === undefined ? plan : plan.followedBy({ kind: "adopt", id, saved: undefined });
      const settled = await settledBy(next);
      await passGuards(next, "look");
      const { step } = next;
      if (step.kind === "adopt") return this.recorded(resource, done(step.id, await adopt(next, step.id)), settled);
      const found = step.kind === "new" && step.killed.length > 0 ? await recordKilled(next) : undefined;
      if (found !== undefined) return this.recorded(resource, found);
      const result = await create(next);
      if ("found" in result) return this.recorded(resource, await recordFoundBy(result.found));
      return result.kind === "done" ? this.recorded(resource, result, settled) : result;
    });
  }

  /**
   * Drops the notes of earlier creates that the record of this result makes obsolete. `more`: the URNs of the creates that the
   * user has decided about.
   */
  private recorded<Result extends Done | Recorded>({ urn }: Resource, result: Result, more: string[] = []): Result {
    if (result.kind !== "done") return result;
    for (const one of [urn, ...more]) this.memory.settle(one, result.state.origin);
    return result;
  }

  /** A job that moves, as the user confirms, shows nothing of its new account: its old subject is then dropped. */
  private noteSubject(step: Step | Transition, { origin, label }: SavedResource): void {
    this.memory.noteSubject("origin" in step ? step.origin : origin, label);
  }

  private plan(inventory: Inventory, resource: Resource, step: Step, more: Details = {}): Plan {
    const { name, replaces, isPartial = false } = this.options.command ?? {};
    // With `--replace`, the engine never checks the resource as a saved one.
    const mayReplace = this.calls.isSaved(resource) || name === undefined || replaces === true;
    return new Plan(this, inventory, resource, step, { mayReplace, isPartial, ...more });
  }

  private async findMatching(plan: Plan): Promise<string | undefined> {
    const { mode } = plan.client.account;
    const id = mode.canRead && this.settings.adoptMatching() ? await matchingJob(plan) : undefined;
    if (id !== undefined) this.reportOnce(info(plan.resource, texts.willAdopt(mode, plan.resource.label, id)));
    return id;
  }

  /** Carries out what `transition` decides. */
  update(saved: SavedResource, resource: Resource): Promise<Done | Recorded> {
    return this.refusing(resource, async () => {
      const client = this.clientOf(resource.declared);
      if (client === undefined) throw new Refusal(resource, texts.unknownInCreate);
      const began = client.machineClock.monotonic();
      const newest = await this.resends.newest(saved);
      const inventory = this.inventoryOf(client);
      const step = await savedStepIn(inventory, newest, resource, this);
      this.noteSubject(step, saved);
      try {
        const result = await update(this.plan(inventory, resource, step, { began }), newest);
        return newest.origin.outcome === "unconfirmed" ? this.recorded(resource, result) : result;
      } catch (error) {
        // Record the failure too: only the state can show the next run that a killed run resent this create.
        const message = newest === saved ? undefined : refusalText(error, resource);
        if (message === undefined) throw error;
        const state = { ...keptOf(newest, resource), origin: (await this.unrecorded.sighted(newest)).origin };
        return this.calls.record(saved.id, { kind: "recorded", id: saved.id, state, message });
      }
    });
  }

  /** What a refresh finds; undefined if the job is gone. */
  read(saved: SavedResource): Promise<Refreshed | undefined> {
    const refresh = async () => {
      await this.sayUnrecorded("read", saved);
      const newest = await this.resends.newest(saved);
      let found = this.rulesFor(saved.origin).canRead
        ? await refreshJob(await this.planOfSaved("refresh", newest), newest)
        : this.keep(newest);
      if (found?.state === newest) found = { ...found, state: await this.unrecorded.sighted(newest) };
      this.calls.read(found, saved);
      return found;
    };
    return this.refusing(saved, refresh, this.adviceOnSettings);
  }

  /**
   * Sends nothing and keeps the state. If an unconfirmed create was resolved, replaces the resource's stand-in with the
   * job's id. The update that resolved the create could not do this: an update cannot change a resource's id.
   */
  private keep(saved: SavedResource): Refreshed {
    this.reportOnce({ severity: "info", text: nothingToRead });
    return { kind: "done", id: saved.jobId, state: saved, hasDrifted: false };
  }

  /**
   * Lets a resource leave the state. Mode `all` first deletes its job at the service. Mode `create` cannot delete a job, so
   * it refuses, unless the create is unconfirmed. `advice`: lines to add to a refusal.
   */
  delete(saved: SavedResource, advice: readonly string[] = []): Promise<void> {
    const remove = async () => {
      await this.sayUnrecorded("delete", saved);
      const newest = await this.resends.newest(saved);
      if (this.rulesFor(saved.origin).canChange) {
        await deleteSaved(await this.planOfSaved("delete", newest), newest);
        await this.unrecorded.forget(saved);
      } else this.clients.report(leave(newest));
    };
    return this.refusing(saved, remove, (error) => [...this.adviceOnSettings(error), ...advice]);
  }

  private async sayUnrecorded(call: "delete" | "read", saved: SavedResource): Promise<void> {
    for (const one of await this.unrecorded.findings(call, saved, this.calls.hasProgram)) this.reportOnce(one);
  }

  /** Reads a job for a new resource, and derives its declaration. */
  import(resource: Resource, named: NamedJob): Promise<JobState> {
    return this.refusing(resource, async () => {
      const plan = this.plan(this.inventoryNamed(named.account), resource, { kind: "import", id: named.id });
      await passGuards(plan, "start", "look");
      return importJob(plan, named);
    });
  }

  /**
   * Reads a job by its id, and derives its declaration; undefined if the service has no such job. `isDeclared`: whether the
   * program reads the job, so that this run does not delete it. In a refresh, the program may no longer do so. A resource
   * that has the job keeps it.
   */
  lookUp(resource: Resource, named: NamedJob, isDeclared: boolean) {
    return this.refusing(resource, async () => {
      const inventory = this.inventoryNamed(named.account);
      if (isDeclared && this.options.command?.name !== "destroy") inventory.keep(named.id, resource, "read");
      return lookUp(inventory, resource, named);
    });
  }

  /** The jobs of an account that are of this kind and have these values in `params`, sorted by id. */
  list(kind: JobKind, account: string | undefined, values: Declaration) {
    const asked = { kind, label: kind.resource, words: this.settings.words };
    return this.refusing(asked, async () => listed(this.inventoryNamed(account), asked, values));
  }

  /**
   * What became of a saved job that the engine deletes, if its resource has a different record now: the job was
   * `replaced`, or the resource `adopted` it again.
   */
  async afterReplacement(saved: SavedResource): Promise<"replaced" | "adopted" | undefined> {
    await this.sayUnrecorded("delete", saved);
    const id = await this.memory.successorOf(saved);
    return id === undefined ? undefined : isSameId(id, saved.jobId) ? "adopted" : "replaced";
  }

  /** Until when a saved create may be in flight; undefined if it cannot be any more, or its account is not known. */
  async inFlightUntil(saved: SavedResource): Promise<string | undefined> {
    const client = this.clients.find(saved.origin.account);
    return client && inFlightUntil(openOf(await this.resends.newest(saved)), client);
  }

  /** @throws the host's failure for a state that is not from this package. */
  refuseState(label: string): never {
    throw this.options.failure(`${label}: ${texts.notOurState(this.settings)}`, label);
  }

  /** The client of the account that a declaration names today; undefined if the account is unknown in a preview. */
  private clientOf(declared: Declaration): AccountClient | undefined {
    return declared["account"] === unknownValue ? undefined : this.clients.declaredBy(declared);
  }

  /**
   * The plan for a saved job, before a request about it. At another address, the job would seem to be gone.
   * @throws Refusal if today's settings name another address.
   */
  private async planOfSaved(kind: "refresh" | "delete", saved: SavedResource): Promise<Plan> {
    const client = this.clients.of(saved.origin.account);
    this.memory.hide(saved);
    if (client.account.baseUrl !== saved.origin.baseUrl)
      throw new Refusal(saved, isElsewhere(saved, client.account, inFlightUntil(openOf(saved), client)));
    await client.learnAccount();
    const step: Step =
      kind === "refresh" ? { kind, saved } : deleteStep(saved, client.place, this.calls.declarationOf(saved));
    return this.plan(this.inventoryOf(client), saved, step, { began: client.machineClock.monotonic() });
  }

  /** Advice for a command that runs no program, and so calls no `check`. */
  private readonly adviceOnSettings = (error: unknown): readonly string[] =>
    error instanceof SettingsError && !this.calls.hasProgram ? [texts.settingsOfLastUp] : [];

  /** @throws the host's failure if the call is refused. */
  private async refusing<Result>(
    resource: Pick<Resource, "label">,
    call: () => Promise<Result>,
    adviceOn: (error: unknown) => readonly string[] = () => [],
  ): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      const text = this.refusals.textOf(error, resource, adviceOn(error));
      if (text === undefined) throw error;
      throw this.options.failure(text, resource.label);
    }
  }
}
