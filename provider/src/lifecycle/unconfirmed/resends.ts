import type { AccountClient } from "../../client/accountClient.js";
import { orSettingsError, SettingsError, settingsErrorOf, type Settings } from "../../config/index.js";
import { instantOf } from "../../dateTime.js";
import type { OwnState, ReadOwnState, UnconfirmedCreate } from "../ownState.js";
import type { Resource, SavedResource } from "../resource.js";
import type { RunOptions } from "../runTypes.js";
import { notUsedYet, tooFarAhead, waitsUntil } from "../texts/resends.js";
import { longestAheadMs } from "../texts/shared.js";
import type { KnownCreates } from "../texts/unconfirmed.js";
import type { CurrentSettings } from "../transitions.js";
import { inFlightUntil, openOf, settledForMs, type OpenCreate } from "./openCreate.js";
import { withNewestSend } from "./trace.js";

/** The resends that the user allows for one run, by naming resources, each with a time. */
export class Resends {
  constructor(
    private readonly settings: Settings,
    private readonly ownState: ReadOwnState,
    private readonly say: (line: string) => void,
    private readonly run: Pick<RunOptions, "command" | "comparesSubjects">,
  ) {}

  /**
   * Whether the run of a killed create may be alive. A command that holds the stack's lock has no other run of the stack
   * beside it, but the lock does not stop those of another stack.
   */
  readonly mayRun = ({ otherStack }: Pick<OpenCreate, "otherStack">): boolean =>
    this.run.command?.holdsLock !== true || otherStack !== undefined;

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
    const isNamedNow = saved.origin.account === undefined && client?.account.name !== undefined;
    return {
      place: client?.place,
      isOtherAccount: isNamedNow && (await client.isElsewhere(saved.origin)),
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
      mayRun: this.mayRun,
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

  /** What to say of a create that has to be recorded first, if the user asks for its resend. */
  notUsedFor({ urn = "" }: Pick<Resource, "urn">): string | undefined {
    return this.settings.resendUnconfirmed()?.[urn] === undefined ? undefined : notUsedYet;
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

/** What identifies a create: its resource, or the stand-in for its job's id. */
interface Sent {
  readonly id?: string | undefined;
  readonly urn?: string | undefined;
  readonly at: string;
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
