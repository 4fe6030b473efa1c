import type { ReadRecord } from "../../client/jobRecord.js";
import type { CreateSteps } from "../../client/gate.js";
import { wasSent, type CallFailure, type CreateOutcome, type NotCreated } from "../../client/operation.js";
import type { JobList } from "../../client/listJobs.js";
import type { Service } from "../../client/service.js";
import { normalizedText } from "../../jobs/index.js";
import { sentences } from "../../sentences.js";
import type { Resource } from "../resource.js";
import { declaredSource, isEqual } from "../compare.js";
import { inventoryOf } from "../inventory/inventory.js";
import { idsOf } from "../messages.js";
import type { ClaimNew } from "../operations.js";
import * as allMessages from "./messages.js";
import { maxListAgeMs, takeSource } from "./source.js";

const firstLookMs = 500;
const longestWaitMs = 5000;
const maxLookMs = 15_000;

type Unconfirmed = Extract<CreateOutcome, { outcome: "unconfirmed" }>;

/**
 * A create that looks at the service's jobs before and after: one whose source has a job already is not sent, and one
 * whose answer is lost is looked for. The request itself is never repeated.
 */
export function checkedCreate(
  service: Service,
  resource: Resource,
  claim: ClaimNew,
  send: (claim: ClaimNew) => Promise<CreateOutcome>,
): CreateSteps {
  const { kind, label, key, declared } = resource;
  const { clock } = service;
  const { jobs, holders, underWay } = inventoryOf(service);
  const began = clock.now();
  return {
    async preflight() {
      const list = await jobs.listSince(clock.now());
      if (list.kind === "listed") return undefined;
      return wasSent(list) ? { what: allMessages.preflightFailed(list.what), fix: list.fix } : list;
    },
    async send() {
      const source = declaredSource(resource);
      const why =
        source === undefined
          ? await noList(jobs.listSince(clock.now() - maxListAgeMs))
          : await takeSource(service, resource, source, began);
      if (why !== undefined)
        return "kind" in why ? { ...why, outcome: "notCreated", cause: "unsent", status: undefined } : declined(why);
      const equal = normalizedText(kind, declared);
      underWay.begin(equal, { label, declaration: key });
      let outcome: CreateOutcome | undefined;
      try {
        const { listNumber } = jobs;
        const sent = await send((id, at) =>
          jobs.isNewSince(listNumber, id) ? claim(id, at) : allMessages.wasListedBefore,
        );
        outcome = sent.outcome === "unconfirmed" ? await look(sent, listNumber) : sent;
        if (outcome.outcome === "created")
          jobs.noteWritten({ job: outcome.job, jobType: kind.jobType, unreadable: [] }, source);
        return outcome;
      } finally {
        underWay.end(equal);
        if (source !== undefined) endSource(source, outcome);
      }
    },
  };

  /** A source whose create is unconfirmed may be taken: no other create of it is sent in this run. */
  function endSource(source: string, outcome: CreateOutcome | undefined): void {
    if (outcome?.outcome === "created") underWay.endSource(source);
    else if (outcome?.outcome === "notCreated") underWay.giveBackSource(source);
  }

  /** Looks for the job of an ambiguous create: only one that is new, equal and claimed by nobody else can be it. */
  async function look(sent: Unconfirmed, listNumber: number): Promise<CreateOutcome> {
    const end = clock.now() + Math.min(maxLookMs, Math.max(2000, service.account.timeoutSeconds * 1000));
    const answered = clock.now();
    for (let waitMs = firstLookMs; clock.now() + waitMs < end; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      await clock.sleep(waitMs);
      if (underWay.isSentTwice(normalizedText(kind, declared))) break;
      // Looks that run in parallel share a list that is new enough for both.
      const list = await jobs.listSince(Math.max(answered, clock.now() - waitMs / 2));
      if (list.kind === "failed") continue;
      const candidates = newAndEqual(list.jobs, listNumber);
      const [found, ...more] = candidates;
      if (found !== undefined && more.length === 0 && claim(found.job.id, sent.at) === undefined) {
        return {
          outcome: "created",
          at: sent.at,
          job: found.job,
          notes: [allMessages.foundByLooking(sent.what, found.job.id)],
        };
      }
      if (more.length > 0) return { ...sent, what: sentences(sent.what, allMessages.severalFound(idsOf(candidates))) };
    }
    return { ...sent, what: sentences(sent.what, allMessages.notFoundByLooking) };
  }

  function newAndEqual(listed: readonly ReadRecord[], listNumber: number): ReadRecord[] {
    return listed.filter(
      (record) =>
        jobs.isNewSince(listNumber, record.job.id) &&
        holders.of(record.job.id) === undefined &&
        isEqual(resource, record),
    );
  }
}

/** Why the list of jobs, by which an answer is judged, cannot be had. */
async function noList(list: Promise<JobList>): Promise<CallFailure | undefined> {
  const result = await list;
  return result.kind === "failed" ? result : undefined;
}

const declined = (explanation: { readonly what: string; readonly fix: string | undefined }): NotCreated => ({
  outcome: "notCreated",
  cause: "declined",
  status: undefined,
  ...explanation,
});
