import type { AccountClient, AccountClients } from "../client/accountClient.js";
import { declaredSource, mayHaveSourceOf } from "../client/jobMatch.js";
import { orSettingsError, SettingsError, settingsErrorOf, type Settings } from "../config/index.js";
import { instantOf } from "../dateTime.js";
import { warning, type Finding } from "../finding.js";
import { isObject, membersOf } from "../json.js";
import { unknownValue } from "../unknown.js";
import { firstSignAt, inFlightUntil, openOf, settledForMs, type OpenCreate } from "./openCreate.js";
import type { OwnState, ReadOwnState, UnconfirmedCreate, CreateNotes } from "./ownState.js";
import { accountIn, placeOf, plainInBoth, type PropertyChange, type Resource, type SavedResource } from "./resource.js";
import type { RunOptions } from "./runTypes.js";
import { killedInChange } from "./texts/allMode.js";
import { notInState } from "./texts/shared.js";
import { tooFarAhead, waitsUntil } from "./texts/resends.js";
import type { KnownCreates } from "./texts/unconfirmed.js";
import { clearedPending, leavesUnrecorded, unrecordedIn } from "./texts/unrecorded.js";
import type { CurrentSettings } from "./transitions.js";

/** All unconfirmed creates that may have made this resource's job, whatever shows them: its own, and those of its source. */
export const unconfirmedFor = (
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): readonly UnconfirmedCreate[] =>
  (state?.unconfirmed ?? []).filter((create) => create.urn === resource.urn || isAlike(create, resource, client));

/**
 * The same in the order in which they decide about a new resource: those that the state has no record of come first, and
 * of these, those that may be in flight: what is known of the others shows nothing about their jobs.
 */
export function decidingFor(
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): readonly UnconfirmedCreate[] {
  const all = unconfirmedFor(state, resource, client);
  const rank = (one: UnconfirmedCreate) =>
    one.id !== undefined ? 4 : (settledForMs(one, client) < 0 ? 0 : 2) + (one.urn === resource.urn ? 0 : 1);
  return all.length < 2 ? all : [...all].sort((one, other) => rank(one) - rank(other));
}

/** Those of them that the state has no record of. */
export const unrecordedFor = (...asked: Parameters<typeof decidingFor>): readonly UnconfirmedCreate[] =>
  decidingFor(...asked).filter(({ id }) => id === undefined);

/** The first of these; undefined if there is none. */
export const unconfirmedOf = (...asked: Parameters<typeof decidingFor>): UnconfirmedCreate | undefined =>
  unrecordedFor(...asked)[0];

/** Whether a create has, or may have, the resource's source and its account. */
function isAlike(create: UnconfirmedCreate, resource: Resource, client: AccountClient) {
  const { declared, place } = create;
  if (!mayHaveSourceOf(resource, create)) return false;
  // Another provider may be of the same account.
  if (place === undefined) return client.compareName(accountIn(declared)) !== "other";
  const { account, tokens } = client;
  if (place.baseUrl !== account.baseUrl) return false;
  if (place.subject !== undefined && tokens.subject !== undefined) return place.subject === tokens.subject;
  return client.compareName(place.account) !== "other";
}

/** How the place in which a create was sent differs from the resource's: there, its job would not be found. */
export function moveOf(
  create: UnconfirmedCreate,
  resource: Resource,
  client: AccountClient,
): readonly PropertyChange[] {
  const { place } = create;
  if (place !== undefined) {
    const now = client.account;
    return [
      ...(place.baseUrl === now.baseUrl ? [] : [{ path: "baseUrl", was: place.baseUrl, now: now.baseUrl }]),
      ...(isSameAccount(place, client)
        ? []
        : [{ path: "account", was: place.account ?? "none", now: now.name ?? "none" }]),
    ];
  }
  if (!create.isOfProvider) return [{ path: "provider", was: "that of the killed run", now: "another one" }];
  const account = accountIn(create.declared);
  const [was = "none", now = "none"] = [account, accountIn(resource.declared)];
  return isSameAccount({ account, subject: undefined }, client) ? [] : [{ path: "account", was, now }];
}

/** Whether an account is that of a client, although it may have had another name. */
const isSameAccount = (
  { account, subject }: Pick<NonNullable<UnconfirmedCreate["place"]>, "account" | "subject">,
  client: AccountClient,
): boolean => client.compareName(account) === "same" || (subject !== undefined && subject === client.tokens.subject);

/** A killed run's create in the form of a saved resource, to look for its job. */
export const asSaved = (
  { account }: Pick<AccountClient, "account">,
  resource: Resource,
  create: UnconfirmedCreate,
): SavedResource => ({
  ...resource,
  declared: membersOf(withValuesOf(resource.declared, create.declared)),
  isPlain: plainInBoth(resource, create),
  // Each resource gets a record of its own, so that no two of them can find the same job.
  ...{ id: notInState, jobId: resource.key, job: {} },
  open: create,
  origin: {
    ...{ outcome: "unconfirmed", baseUrl: account.baseUrl, account: account.name, at: create.at },
    ...(create.isAtOrBefore && { isAtOrBefore: true }),
  },
});

/**
 * What was sent, with known values in place of the secrets, which the state keeps encrypted: they may have changed since.
 * A secret without a known value is left out.
 */
function withValuesOf(known: unknown, sent: unknown): unknown {
  if (sent === unknownValue) return known;
  if (Array.isArray(sent))
    return sent.map((inner, index) => withValuesOf(Array.isArray(known) ? known[index] : [], inner));
  if (!isObject(sent)) return sent;
  const values = membersOf(known);
  const members = Object.entries(sent).map(([member, inner]) => [member, withValuesOf(values[member], inner)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** A warning about the other creates of a resource that adopts a job: nothing looks for their jobs. */
export function besideAdoption(state: OwnState | undefined, resource: Resource): readonly Finding[] {
  const own = declaredSource(resource);
  const creates = (state?.unconfirmed ?? []).filter(
    ({ urn, source }) => urn === resource.urn && source !== undefined && source !== own,
  );
  return creates.length > 0 ? [warning(resource, leavesUnrecorded(creates, "adopt"))] : [];
}

/** A warning line if, according to the stack's state, another run may have sent a change of the resource's job. */
export const killedChangesOf = (state: OwnState | undefined, { urn, label }: Resource, holdsLock: boolean): string[] =>
  (state?.unconfirmedChanges ?? []).flatMap((change) =>
    change.urn === urn ? [killedInChange(label, change.at, !holdsLock)] : [],
  );

/** The resends that the user allows for one run, by naming resources, each with a time. */
export class Resends {
  constructor(
    private readonly settings: Settings,
    private readonly ownState: ReadOwnState,
    private readonly say: (line: string) => void,
    private readonly run: Pick<RunOptions, "command" | "comparesSubjects">,
  ) {}

  /** Whether the run's command holds the stack's lock, so that no other run is under way. */
  get holdsLock(): boolean {
    return this.run.command?.holdsLock === true;
  }

  /** Whether the command is a mere preview, which no `up` follows. */
  get isPreview(): boolean {
    return this.run.command?.holdsLock === false;
  }

  /** What decides about a saved resource. `client`: undefined if the account is unknown in a preview. */
  async currentSettings(client: AccountClient | undefined, saved: SavedResource): Promise<CurrentSettings> {
    const mayResend =
      client !== undefined &&
      saved.origin.outcome === "unconfirmed" &&
      this.isAsked() &&
      (await this.areAllowed(
        client,
        await this.ownState(),
        { ...saved, ...openOf(saved), at: saved.origin.at },
        saved,
      ));
    return {
      place: client && placeOf(client),
      baseUrlFrom: client?.account.baseUrlFrom,
      subject: this.run.comparesSubjects === true ? client?.tokens.subject : undefined,
      mayResend,
      namedJob: this.jobNamedFor({ urn: saved.urn, declared: {} }),
      mode: client?.account.mode ?? this.settings.mode(),
    };
  }

  /** The job that the user names, for this run, as that of a resource's unconfirmed create. A declared id wins. */
  jobNamedFor({ urn = "", declared }: Pick<Resource, "urn" | "declared">): string | undefined {
    return declared["existingJobId"] === undefined ? this.settings.adoptUnconfirmed()?.[urn] : undefined;
  }

  /** Whether the user asks for resends in this run. False if the setting is invalid, which `check` reports. */
  isAsked(): boolean {
    const before = orSettingsError(() => this.settings.resendUnconfirmed());
    return before !== undefined && !(before instanceof SettingsError);
  }

  known(state: OwnState | undefined, client: AccountClient): KnownCreates {
    return {
      state,
      resendBefore: this.settings.resendUnconfirmed(),
      adopts: this.settings.adoptUnconfirmed(),
      mayRun: !this.holdsLock,
      isPreview: this.isPreview,
      until: (create) => inFlightUntil(create, client),
    };
  }

  /**
   * Whether the user allows an unconfirmed create to be resent for a resource. If so, waits until the user's time has
   * passed: the engine then writes the state later than that time, which shows the next run that the time was used.
   * @throws SettingsError if the time is so far ahead that it is a mistake. A printed command's time may be ahead of this
   * machine's clock, because it must be later than the state's last write, which another machine may have dated.
   */
  async areAllowed(
    client: AccountClient,
    state: OwnState | undefined,
    create: (Sent & OpenCreate) | undefined,
    { urn = "" }: Pick<Resource, "urn">,
  ): Promise<boolean> {
    const { machineClock, cancellation } = client;
    const words = this.settings.resendUnconfirmed();
    // Whoever names the create itself says that it made no job, whichever resource asks.
    const before = words?.[urn] ?? words?.[create?.urn ?? ""];
    if (before === undefined || create === undefined || !mayResend(before, state, create)) return false;
    const now = Date.now();
    if (before > Math.max(now, state?.savedAt ?? now) + longestAheadMs) throw tooFarAhead(before, now);
    // The service's time may not be known yet: a guard compares it when only the request is left to send.
    if (create.sign?.by !== "service" && settledForMs(create, client) < 0) return false;
    // By the wall clock, which the engine uses to date its writes.
    const untilPassed = () => before - machineClock.wall().ms;
    for (let waitMs = untilPassed(); waitMs >= 0; waitMs = untilPassed()) {
      this.say(waitsUntil(before));
      await Promise.race([machineClock.sleep(waitMs + 1), cancellation.requested]);
      if (cancellation.isRequested) break;
    }
    return true;
  }

  /** The creates that may have made a resource's job, without those that the user lets resend for it. */
  async undecided(
    client: AccountClient,
    state: OwnState | undefined,
    resource: Resource,
    creates: readonly UnconfirmedCreate[],
  ): Promise<readonly UnconfirmedCreate[]> {
    const left: UnconfirmedCreate[] = [];
    for (const create of creates) if (!(await this.areAllowed(client, state, create, resource))) left.push(create);
    return left;
  }

  /** Ends the notes of creates that made no job, as the user says: they could have made the job of a resource that has one now. */
  async settle(
    { client, resource }: { readonly client: AccountClient; readonly resource: Resource },
    notes: CreateNotes | undefined,
  ): Promise<void> {
    const state = await this.ownState();
    for (const create of unconfirmedFor(state, resource, client))
      if (create.isOfOtherStack !== true && (await this.areAllowed(client, state, create, create)))
        notes?.settle(create.urn);
  }

  /** Waits as {@link areAllowed} does, and returns its error. */
  async whyNotAllowed(...asked: Parameters<Resends["areAllowed"]>): Promise<SettingsError | undefined> {
    const found = await this.areAllowed(...asked).catch(settingsErrorOf);
    return found instanceof SettingsError ? found : undefined;
  }

  /** The saved resource, updated if a run was killed while it resent the create: the saved record cannot show that. */
  async newest(saved: SavedResource): Promise<SavedResource> {
    return saved.origin.outcome === "unconfirmed" ? withNewestSend(await this.ownState(), saved) : saved;
  }
}

/** How far ahead the user's time may be: a run waits until it has passed. */
const longestAheadMs = 600_000;

/** What identifies a create: its resource, or the stand-in for its job's id. */
interface Sent {
  readonly id?: string | undefined;
  readonly urn?: string | undefined;
  readonly at: string;
}

/**
 * A saved resource, with the latest time at which its unconfirmed create may have been sent. A run that was killed in a
 * resend could not save that time.
 */
function withNewestSend(state: OwnState | undefined, saved: SavedResource): SavedResource {
  const { id, origin } = saved;
  if (origin.outcome !== "unconfirmed") return saved;
  const known = state?.unconfirmed.find((create) => create.id === id && create.trace !== "record");
  if (known === undefined) return saved;
  const { at, firstAt, isAtOrBefore } = known;
  const newest = { ...origin, at, firstAt, ...(isAtOrBefore && { isAtOrBefore }) };
  const declared = membersOf(withValuesOf(saved.declared, known.declared));
  return { ...saved, declared, isPlain: plainInBoth(saved, known), origin: newest, open: known };
}

/**
 * Whether the user's time allows a resend: it must be later than the state's last write, so that no run has used it yet.
 * It must also be later than the create if this machine has noted the create, or if the last write is unknown.
 */
export function mayResend(before: number | undefined, state: OwnState | undefined, { id, urn, at }: Sent): boolean {
  if (before === undefined) return false;
  const savedAt = state?.savedAt ?? -Infinity;
  const noted = state?.unconfirmed.find(
    (create) => create.trace === "note" && (create.urn === urn || (id !== undefined && create.id === id)),
  );
  // The user's time is a machine's, and so is that of a note's sign.
  const sentAt = noted?.sign?.ms ?? (savedAt === -Infinity ? (instantOf(at) ?? Infinity) : -Infinity);
  return before > Math.max(savedAt, sentAt);
}

/** What a run does about creates that the state has no record for, or only an older one. */
export class UnrecordedCreates {
  private readonly said = new Set<string>();

  constructor(
    private readonly options: Pick<RunOptions, "command"> & { readonly createNotes?: CreateNotes | undefined },
    private readonly ownState: ReadOwnState,
    private readonly clients: AccountClients,
  ) {}

  /**
   * Warnings about creates that a command makes harder to find: `destroy` removes everything else of the stack, before a
   * refresh the CLI may have cleared the pending creates (both are said once in a run), and a resource that leaves the state,
   * or whose own create a refresh resolves, leaves its further creates behind. `hasProgram`: whether the run declares any
   * resource.
   */
  async findings(call: "delete" | "read", saved: SavedResource, hasProgram: boolean): Promise<readonly Finding[]> {
    const { name, clearsPendingCreates = false } = this.options.command ?? {};
    const isDestroy = name === "destroy" || (name === undefined && !hasProgram);
    const leaving = (creates: readonly UnconfirmedCreate[]) =>
      creates.length > 0 ? [warning(saved, leavesUnrecorded(creates, call))] : [];
    if (!(call === "read" ? clearsPendingCreates : isDestroy)) {
      if (call === "read" && saved.origin.outcome !== "unconfirmed") return [];
      const own = await this.urnOf(saved);
      return leaving(unrecordedIn(await this.ownState()).filter(({ urn }) => urn === own));
    }
    if (this.said.has(call)) return [];
    this.said.add(call);
    const all = unrecordedIn(await this.ownState());
    return call === "read" ? [warning(saved, clearedPending(all))] : leaving(all);
  }

  /** Ends the notes of a create whose record leaves the state. */
  async forget(saved: SavedResource): Promise<void> {
    const urn = await this.urnOf(saved);
    if (urn !== undefined) this.options.createNotes?.settle(urn);
  }

  private async urnOf({ id, urn }: SavedResource): Promise<string | undefined> {
    return urn ?? (await this.ownState())?.unconfirmed.find((create) => create.id === id)?.urn;
  }

  /** The record to save. Of a resend that only a pending operation shows, now is the first sign that stays. */
  sighted(saved: SavedResource): SavedResource {
    const { origin, open } = saved;
    if (open === undefined || origin.isAtOrBefore !== true || origin.outcome !== "unconfirmed") return saved;
    const client = this.clients.find(origin.account);
    return client === undefined ? saved : { ...saved, origin: { ...origin, at: firstSignAt(client) } };
  }
}
