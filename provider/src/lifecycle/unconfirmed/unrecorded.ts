import type { AccountClients } from "../../client/accountClient.js";
import { isSameId } from "../../client/jobMatch.js";
import { warning, type Finding } from "../../finding.js";
import type { Plan } from "../plan.js";
import type { Memory } from "../inventory/memory.js";
import type { OwnState, UnconfirmedCreate } from "../ownState.js";
import type { Resource, SavedResource } from "../resource.js";
import type { RunOptions } from "../runTypes.js";
import { killedInChange } from "../texts/allMode.js";
import { clearedPending, leavesUnrecorded, unrecordedIn } from "../texts/unrecorded.js";
import { besideIn, moveOf } from "./creates.js";
import { ageIn, firstSignAt, flightIn } from "./openCreate.js";
import { killedChangesOf } from "./trace.js";

// What a run says about requests of killed runs that it does not look for.

/** A warning about creates that a call leaves behind, if there are any. */
const leaving = (
  resource: Parameters<typeof warning>[0],
  creates: readonly UnconfirmedCreate[],
  call: Parameters<typeof leavesUnrecorded>[1],
): readonly Finding[] => (creates.length > 0 ? [warning(resource, leavesUnrecorded(creates, call))] : []);

/**
 * A warning about the other creates of a resource that adopts a job: nothing looks for their jobs. `created`: when the
 * service made the adopted job, if it was read.
 */
export async function besideAdoption(
  { ownState, client, resends }: Plan,
  resource: Resource,
  id: string,
  created: string | undefined,
): Promise<readonly Finding[]> {
  const state = await ownState();
  // A job that the state had before was not made by the killed run: the resource may keep the job that was to be replaced.
  const isOld = state?.jobs.some(({ jobId }) => isSameId(jobId, id)) === true;
  // Where no job can be read, only the variable says that the job is the create's.
  const isAnswer = client.account.mode.canRead || resends.jobNamedFor(resource) !== undefined;
  const isOther = (create: UnconfirmedCreate) =>
    (create.id === undefined && (isOld || !isAnswer || ageIn(client, created, create) === "other")) ||
    !create.sent.mayHaveSourceOf(resource) ||
    moveOf(create, client).length > 0;
  const creates = (state?.unconfirmed ?? []).filter((create) => create.urn === resource.urn && isOther(create));
  return leaving(resource, creates, "adopt");
}

/** A warning about the other creates of a resource whose job is found: nothing looks for theirs any more. */
export function besideFound({ resource, step }: Plan, { open }: SavedResource): readonly Finding[] {
  const { killed } = step.kind === "resend" && step.searched !== undefined ? step.searched : { killed: [], ...step };
  // They are looked for in this order, after the record.
  const left = killed.slice(1 + killed.findIndex((create) => create === open));
  return leaving(
    resource,
    left.filter(({ urn }) => urn === resource.urn),
    "found",
  );
}

/** A warning line if, according to the stack's state, another run may have sent a change of the resource's job. */
export const linesOnKilledChanges = (state: OwnState | undefined, resource: Resource, mayRun: boolean): string[] =>
  killedChangesOf(state, resource).map(({ at }) => killedInChange(resource.label, at, mayRun));

/** What a run does about creates that the state has no record for, or only an older one. */
export class UnrecordedCreates {
  private readonly said = new Set<string>();

  constructor(
    private readonly options: Pick<RunOptions, "command">,
    private readonly memory: Memory,
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
    if (!(call === "read" ? clearsPendingCreates : isDestroy)) {
      if (call === "read" && saved.origin.outcome !== "unconfirmed") return [];
      const own = await this.urnOf(saved);
      const creates = unrecordedIn(await this.memory.ownState()).filter(({ urn }) => urn === own);
      return leaving(saved, creates, call);
    }
    if (this.said.has(call)) return [];
    this.said.add(call);
    const all = unrecordedIn(await this.memory.stateBefore());
    return call === "read" ? [warning(saved, clearedPending(all))] : leaving(saved, all, call);
  }

  /** Ends the notes of an unconfirmed create whose record leaves the state. Beside a known job, a note is of a later create. */
  async forget(saved: SavedResource): Promise<void> {
    if (saved.origin.outcome === "unconfirmed") this.memory.settle(await this.urnOf(saved), saved.origin);
  }

  private async urnOf({ id, urn }: SavedResource): Promise<string | undefined> {
    return urn ?? (await this.memory.stateBefore())?.unconfirmed.find((create) => create.id === id)?.urn;
  }

  /** The record to save. Of a resend that only a pending operation shows, now is the first sign that stays. */
  async sighted(saved: SavedResource): Promise<SavedResource> {
    const { origin, open } = saved;
    if (open === undefined || origin.isAtOrBefore !== true || origin.outcome !== "unconfirmed") return saved;
    const client = this.clients.find(origin.account);
    if (client === undefined) return saved;
    const beside = besideIn(await this.memory.ownState(), saved, client);
    return { ...saved, origin: { ...origin, ...flightIn(client), beside, at: firstSignAt(client) } };
  }
}
