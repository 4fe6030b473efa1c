import { getJob } from "../../client/jobCalls.js";
import { identityTold, kindTold } from "../../client/jobMatch.js";
import type { CompleteRecord, KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import type { Account } from "../../config/index.js";
import { checkDeclaration, declaredParams, jobKinds, problemsOfTold, type JobKind } from "../../jobs/index.js";
import type { Json, JsonObject } from "../../json.js";
import { differencesFrom, isEqual, untoldMembers, withDrift } from "../compare.js";
import type { Context } from "../context.js";
import { recordKey, type Inventory } from "../inventory/inventory.js";
import type { Mode } from "../mode.js";
import { declaredMembers, secretsOf, seenBy, type Origin, type Resource, type SavedResource } from "../resource.js";
import { Refusal, type ReadBack } from "../result.js";
import { isSettled, search, type Search } from "./find.js";
import * as messages from "./messages.js";
import { maxListAgeMs } from "./source.js";
import { stillUnconfirmed } from "./unconfirmedMessages.js";

/**
 * Reads the job that a resource adopts.
 * @throws Refusal if the job does not exist, has another type or source, or differs from the declaration in another
 * way. The adoption of such a job would overwrite the job's values, and no preview could have shown that.
 */
export async function readToAdopt(
  { jobs, service }: Inventory,
  resource: Resource,
  id: string,
): Promise<CompleteRecord> {
  // One list serves all adoptions of a run. If the list does not confirm a job, read the job itself before refusing it.
  const list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  const listed = list.kind === "listed" ? jobs.present(list.entries).find(({ job }) => job.id === id) : undefined;
  if (listed !== undefined && isEqual(resource, listed)) return listed.job;
  const found = await getJob(service, id, secretsOf(resource));
  if (found.kind === "missing") throw new Refusal(resource, messages.nothingToAdopt(id));
  if (found.kind === "failed") throw new Refusal(resource, messages.couldNotBeRead({ id, done: "adopted" }, found));
  const { job, jobType = "" } = found.record;
  if (kindTold(resource.kind, found.record) === "other")
    throw new Refusal(resource, messages.otherType(resource.kind, id, jobType));
  const differences = differencesFrom(resource, job, resource.isPlain);
  const untold = untoldMembers(resource, job);
  if (differences.length + untold.length > 0)
    throw new Refusal(resource, messages.differsFromAdopted(id, differences, untold));
  return job;
}

/** @throws Refusal if the job cannot be read, is of another type, or cannot be declared. */
export const readNamed: Mode["readNamed"] = async (service, resource, named) => {
  const found = await getJob(service, named.id);
  if (found.kind === "missing") return undefined;
  if (found.kind === "failed") throw new Refusal(resource, messages.couldNotBeRead(named, found));
  const { job } = found.record;
  const declaration = declarationOf(found.record, service.account);
  if ("problems" in declaration)
    throw new Refusal(resource, messages.cannotBeDeclared(named, declaration.problems.join(" ")));
  if (declaration.kind !== resource.kind)
    throw new Refusal(resource, messages.namedAsOtherType(named, declaration.kind, resource.kind));
  const { account } = named;
  // The state has the job's id, so existingJobId is not declared. The account is declared only if it was named.
  return { declared: declaredMembers({ ...declaration.args, existingJobId: undefined, account }), job };
};

/** Whether a job was never read, for example because mode `create` adopted it. The id of such a job may be a typo. */
const isUnseen = (job: KnownRecord): boolean => Object.keys(job).every((member) => member === "id");

/** @throws Refusal if the job is of another type, or if the job was never read before and is not the declared job. */
function refuseUnrecognized(saved: SavedResource, record: ReadRecord): void {
  const { id } = record.job;
  if (kindTold(saved.kind, record) === "other")
    throw new Refusal(saved, messages.savedOtherType(saved.kind, id, record.jobType ?? ""));
  if (isUnseen(saved.job) && identityTold(saved, record) !== "same")
    throw new Refusal(saved, messages.otherSource(saved.kind, id));
}

/**
 * Reads a saved job before it is changed or deleted, if it was never read. Returns false if the service does not have
 * it. `notDone` makes the message that the job was not changed or deleted.
 * @throws Refusal if the job is not the declared job, or cannot be read.
 */
export async function isThere(service: Service, saved: SavedResource, notDone: typeof messages.notChanged) {
  if (!isUnseen(saved.job)) return true;
  const id = saved.jobId;
  const found = await getJob(service, id, secretsOf(saved, saved.job));
  if (found.kind === "missing") return false;
  if (found.kind === "failed") throw new Refusal(saved, notDone(id, found));
  refuseUnrecognized(saved, found.record);
  return true;
}

/** What a program declares to adopt a job, or why no program can adopt it. */
type JobDeclaration = { readonly kind: JobKind; readonly args: JsonObject } | { readonly problems: readonly string[] };

/** A declaration that adopts a job as it is. Members with their default value are left out. */
export function declarationOf({ job, jobType, unreadable }: ReadRecord, account: Account): JobDeclaration {
  const kind = jobKinds.find((known) => known.jobType === jobType);
  if (kind === undefined) {
    const type = jobType === undefined ? "the service does not tell its type" : `its type ${jobType} is not known here`;
    return { problems: [`${type}.`] };
  }
  const { params } = job;
  if (params === undefined) return { problems: ["the service does not tell its params."] };
  const members: Readonly<Record<string, Json | undefined>> = {
    existingJobId: job.id,
    account: account.name,
    intervalUnit: job.intervalUnit,
    intervalValue: job.intervalValue,
    logVerbosity: job.logVerbosity,
    enabled: job.enabled === false ? false : undefined,
    ...declaredParams(kind, params),
  };
  const args: JsonObject = Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])),
  );
  const problems = [
    // Refuse an unreadable `enabled`: a declaration that leaves out `enabled` means true.
    ...(unreadable.includes("enabled") ? ['its value of "enabled" cannot be read.'] : []),
    ...checkDeclaration(kind, args).map(({ text }) => text),
    ...problemsOfTold(kind, params),
  ];
  return problems.length > 0 ? { problems } : { kind, args };
}

/**
 * The service that a saved job belongs to. Requests for the job go nowhere else: at another address, or with another
 * account's token, the job would seem to be gone.
 * @throws Refusal if today's settings name another address, or if the token has another subject.
 */
export async function serviceOfSaved({ settings, services }: Context, saved: SavedResource): Promise<Service> {
  const { origin } = saved;
  const account = settings.account(origin.account);
  if (account.baseUrl !== origin.baseUrl) throw new Refusal(saved, messages.isElsewhere(saved, account.baseUrl));
  const service = services.of(account.name);
  await refuseOtherSubject(service, saved, origin);
  return service;
}

/** @throws Refusal if today's token is of another account or sub-account than the token that last saw the job. */
export async function refuseOtherSubject(service: Service, resource: Resource, origin: Origin): Promise<void> {
  if (origin.subject === undefined) return;
  await service.tokens.get();
  const { subject } = service.tokens;
  if (subject !== undefined && subject !== origin.subject) throw new Refusal(resource, messages.isOfOther(origin));
}

/**
 * One list serves all jobs of an account. A job is gone only if neither the list nor a request with its id finds it.
 * @throws Refusal if the answer proves nothing: the state stays as it is.
 */
export async function readBack(context: Context, saved: SavedResource): Promise<ReadBack | undefined> {
  const service = await serviceOfSaved(context, saved);
  const inventory = context.inventories.of(service);
  const { jobs } = inventory;
  const isUnconfirmed = saved.origin.outcome === "unconfirmed";
  // Claim the job before waiting for the list: the refresh of an unconfirmed create must not take the job meanwhile.
  if (!isUnconfirmed) inventory.hold(saved, saved, "read");
  const list = await jobs.listSince();
  if (list.kind === "failed") {
    // The first resource explains the failure and makes the run fail. The other resources just keep their state.
    if (jobs.failureShown) return asSaved(saved);
    jobs.failureShown = true;
    throw new Refusal(saved, messages.notRefreshed(list));
  }
  if (isUnconfirmed) return resolveUnconfirmed(context, inventory, saved, search(inventory, saved, list.entries));
  const listed = list.entries.find(({ job }) => job.id === saved.jobId);
  return compareKnown(service, saved, listed);
}

const asSaved = (saved: SavedResource): ReadBack => ({ kind: "done", id: saved.id, state: saved, hasDrifted: false });

function resolveUnconfirmed(context: Context, inventory: Inventory, saved: SavedResource, found: Search): ReadBack {
  const { service } = inventory;
  const { label, declared, origin } = saved;
  const stays = (records: readonly ReadRecord[]): ReadBack => {
    context.say(stillUnconfirmed(saved, records, isSettled(origin, service)));
    return asSaved(saved);
  };
  if (found.kind !== "found") return stays(found.kind === "unclear" ? found.records : []);
  const { job } = found.record;
  const other = inventory.take(job.id, saved, recordKey(job.id, origin.at), "found");
  if (other !== undefined) return stays([found.record]);
  context.say(messages.foundByList(label, job.id));
  const created = seenBy(service, { ...origin, outcome: "created" });
  return { kind: "done", id: job.id, state: { declared, job, origin: created }, hasDrifted: false };
}

async function compareKnown(
  service: Service,
  saved: SavedResource,
  listed?: ReadRecord,
): Promise<ReadBack | undefined> {
  const { jobId } = saved;
  let told = listed;
  if (told === undefined) {
    const found = await getJob(service, jobId, secretsOf(saved, saved.job));
    if (found.kind === "missing") return undefined;
    if (found.kind === "failed") throw new Refusal(saved, messages.notRefreshed(found));
    told = found.record;
  }
  refuseUnrecognized(saved, told);
  const declared = withDrift(saved, told);
  const state = { declared, job: told.job, origin: seenBy(service, saved.origin) };
  const hasDrifted = JSON.stringify(declared) !== JSON.stringify(saved.declared);
  return { kind: "done", id: jobId, state, hasDrifted };
}
