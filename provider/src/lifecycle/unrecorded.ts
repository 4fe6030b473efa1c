import type { AccountClients } from "../client/accountClient.js";
import { orSettingsError, SettingsError } from "../config/index.js";
import { warning, type Finding } from "../finding.js";
import type { CreateNotes, ReadOwnState } from "./ownState.js";
import { firstSignAt } from "./openCreate.js";
import type { SavedResource } from "./resource.js";
import type { RunOptions } from "./runTypes.js";
import { clearedPending, leavesUnrecorded, unrecordedIn } from "./texts/unconfirmedCreates.js";

/** What a run does about creates that the state has no record for, or only an older one. */
export class UnrecordedCreates {
  private readonly said = new Set<string>();

  constructor(
    private readonly options: Pick<RunOptions, "command"> & { readonly createNotes?: CreateNotes | undefined },
    private readonly ownState: ReadOwnState,
    private readonly clients: AccountClients,
  ) {}

  /**
   * The first such warning of a run. The commands make these creates harder to find: `destroy` removes everything else of
   * the stack, and before a refresh, the CLI may have cleared the pending creates. `hasProgram`: whether the run declares
   * any resource.
   */
  async findings(call: "delete" | "read", saved: SavedResource, hasProgram: boolean): Promise<readonly Finding[]> {
    const { name, clearsPendingCreates = false } = this.options.command ?? {};
    const isDestroy = name === "destroy" || (name === undefined && !hasProgram);
    if (this.said.has(call) || !(call === "read" ? clearsPendingCreates : isDestroy)) return [];
    this.said.add(call);
    const creates = unrecordedIn(await this.ownState());
    if (call === "read") return [warning(saved, clearedPending(creates))];
    return creates.length > 0 ? [warning(saved, leavesUnrecorded(creates))] : [];
  }

  /** Ends the notes of a create whose record leaves the state. */
  async forget({ id, urn }: SavedResource): Promise<void> {
    const known = urn ?? (await this.ownState())?.unconfirmed.find((create) => create.id === id)?.urn;
    if (known !== undefined) this.options.createNotes?.settle(known);
  }

  /** The record to save. Of a resend that only a pending operation shows, now is the first sign that stays. */
  sighted(saved: SavedResource): SavedResource {
    const { origin, open } = saved;
    if (open === undefined || origin.isAtOrBefore !== true || origin.outcome !== "unconfirmed") return saved;
    const client = orSettingsError(() => this.clients.of(origin.account));
    return client instanceof SettingsError ? saved : { ...saved, origin: { ...origin, at: firstSignAt(client) } };
  }
}
