import { declaredSource, comparePart, isOfKind, isSameId } from "../client/jobMatch.js";
import type { CompleteRecord, KnownRecord, ReadRecord } from "../client/jobRecord.js";
import type { CallFailure } from "../client/outcomes.js";
import { confirmedByList } from "../client/requests.js";
import type { Account } from "../config/index.js";
import { utcNow } from "../dateTime.js";
import { warning } from "../finding.js";
import {
  checkDeclaration,
  comparedMembers,
  declaredParams,
  isLeftOut,
  jobKinds,
  problemsOfReported,
  scheduleMembers,
  type ComparedMember,
  type JobKind,
  type Member,
  unreportedMembers,
} from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import { differencesShown, secretsOfOwners } from "./inventory/secrets.js";
import type { UnconfirmedCreate } from "./ownState.js";
import type { Plan, StepOf } from "./plan.js";
import {
  declaredMembers,
  newOrigin,
  sentOf,
  type JobState,
  type NamedJob,
  type PropertyChange,
  type Resource,
} from "./resource.js";
import type { SentJob } from "./sentJob.js";
import { Refusal } from "./result.js";
import { useOfSource } from "./source.js";
import * as texts from "./texts/allMode.js";
import { cannotRead, cannotList } from "./texts/createMode.js";
import { noSuchJob } from "./texts/shared.js";
import { unconfirmedFor } from "./unconfirmed/creates.js";
import { unknownValue } from "../unknown.js";
import { droppedParams } from "./unconfirmed/trace.js";
import { besideAdoption } from "./unconfirmed/unrecorded.js";

type WithoutOrigin = Omit<JobState, "origin">;

/**
 * Adopts a job, once the plan's guards have passed.
 * @throws Refusal if another process of this run has just adopted it, or if the other processes cannot be notified.
 */
export async function adopt(plan: Plan, id: string): Promise<JobState> {
  const { resource, client } = plan;
  const job = await adoptedRecord(plan, id);
  await give(plan, id, resource, job.created);
  return { declared: resource.declared, job, origin: newOrigin(client, "adopted", plan.at()) };
}

/** What is known of the job to adopt. */
export async function adoptedRecord(plan: Plan, id: string): Promise<KnownRecord> {
  const isReadable = id !== unknownValue && plan.client.account.mode.canRead;
  const reported = isReadable ? await plan.reported() : undefined;
  return reported?.kind === "done" && reported.value !== "missing" ? reported.value.job : { id };
}

/** Gives a job to the resource that adopts it, with a warning about the resource's other creates. */
async function give(plan: Plan, id: string, resource: Resource, created: string | undefined): Promise<void> {
  const { inventory } = plan;
  for (const finding of await besideAdoption(plan, resource, id, created)) inventory.report(finding);
  inventory.adopt(id, resource, plan.at());
}

/**
 * Adopts a job as it is, and derives its declaration, once the plan's guards have passed.
 * @throws Refusal if it cannot be read or declared.
 */
export async function importJob(plan: Plan, named: NamedJob): Promise<JobState> {
  const { inventory, resource, client } = plan;
  const found = await readNamed(inventory, resource, named, "imported");
  if (found === undefined) throw new Refusal(resource, noSuchJob(named.id, "imported"));
  await give(plan, named.id, { ...resource, declared: found.declared }, found.job.created);
  return { ...found, origin: newOrigin(client, "adopted", plan.at()) };
}

/**
 * Reads a job by its id, in the form of a saved state; undefined if the service has no such job. Does not adopt it.
 * @throws Refusal if the job cannot be read, is of another type, or cannot be declared.
 */
export async function lookUp(inventory: Inventory, resource: Resource, named: NamedJob): Promise<JobState | undefined> {
  const found = await readNamed(inventory, resource, named, "read");
  return found && { ...found, origin: newOrigin(inventory.client, "adopted", utcNow()) };
}

/**
 * Reads a job and derives its declaration; undefined if the service has no job with this id.
 * @throws Refusal if the job cannot be read, is of another type, or cannot be declared.
 */
async function readNamed(
  inventory: Inventory,
  resource: Resource,
  { id, account }: NamedJob,
  done: "imported" | "read",
): Promise<WithoutOrigin | undefined> {
  const { client } = inventory;
  if (!client.account.mode.canRead) throw new Refusal(resource, cannotRead(resource.words, id, done));
  await client.learnAccount();
  const found = await confirmedByList(await inventory.jobs.get(id), id, () => inventory.jobs.listWithin(0));
  if (found.kind === "failed") throw new Refusal(resource, texts.notDone(done, id, found));
  if (found.value === "missing") return undefined;
  const { job } = found.value;
  if (done === "imported" && !isSameId(job.id, id))
    throw new Refusal(resource, texts.isNamedOtherwise(done, id, job.id));
  const declaration = declarationOf(found.value, client.account);
  if ("problems" in declaration)
    throw new Refusal(resource, texts.cannotBeDeclared(id, done, declaration.problems.join(" ")));
  if (declaration.kind !== resource.kind)
    throw new Refusal(resource, texts.namedAsOtherType(id, done, declaration.kind, resource.kind));
  // The state has the job's id, so existingJobId is not declared. The account is declared only if it was named.
  return { declared: declaredMembers({ ...declaration.args, existingJobId: undefined, account }), job };
}

/** What a program declares to adopt a job, or why no program can adopt it. */
type JobDeclaration = { readonly kind: JobKind; readonly args: JsonObject } | { readonly problems: readonly string[] };

/** A declaration that adopts a job as it is. Members with their default value are left out. */
export function declarationOf(
  { job, jobType, unreadable }: ReadRecord,
  account: Pick<Account, "name">,
): JobDeclaration {
  const kind = jobKinds.find((known) => known.jobType === jobType);
  if (kind === undefined) {
    const type =
      jobType === undefined ? "the service does not report its type" : `its type ${jobType} is not known here`;
    return { problems: [`${type}.`] };
  }
  const { params } = job;
  if (params === undefined) return { problems: ["the service does not report its params."] };
  const schedule = comparedMembers.map((name) => ({ name, reported: job[name], ...presenceOf(name) }));
  const members: Readonly<Record<string, Json | undefined>> = {
    existingJobId: job.id,
    account: account.name,
    ...Object.fromEntries(
      schedule.map(({ name, reported, fallback }) => [name, reported === fallback ? undefined : reported]),
    ),
    ...declaredParams(kind, params),
  };
  const args: JsonObject = Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])),
  );
  const problems = [
    ...schedule.flatMap(({ name, reported, required }) => {
      // Leaving out an optional member declares its default.
      if (required || reported !== undefined) return [];
      return `its value of "${name}" ${unreadable.includes(name) ? "cannot be read" : "is not reported by the service"}.`;
    }),
    ...checkDeclaration(kind, args).map(({ text }) => text),
    ...problemsOfReported(kind, params),
  ];
  return problems.length > 0 ? { problems } : { kind, args };
}

function presenceOf(name: ComparedMember): { readonly required: boolean; readonly fallback: Json | undefined } {
  const { required, default: fallback }: Member = scheduleMembers[name];
  return { required, fallback };
}

/** What is known of a job that is to be adopted. */
interface Looked {
  readonly reported: ReadRecord | "missing";
  /**
   * What the unconfirmed creates were sent with, of the resource and of its source, that may have made the job, and the
   * secrets of who has it.
   */
  readonly sent: readonly SentJob[];
  /** Whether one of these creates is the resource's own. */
  readonly isOwn: boolean;
  /** Those from the declaration. */
  readonly differences: readonly PropertyChange[];
}

/** Looks at the job that a step adopts; undefined if nothing is to be compared. */
export async function jobToAdopt(
  { reported, ownState, resource, client, inventory }: Plan,
  { saved, id }: StepOf<"adopt">,
): Promise<Looked | CallFailure | undefined> {
  const found = await reported();
  if (found?.kind !== "done") return found;
  const own = saved?.origin.outcome === "unconfirmed" ? saved : undefined;
  // Of the resource's own record, the engine also passes the secrets.
  const isOther = (create: UnconfirmedCreate) => own === undefined || create.trace !== "record" || create.id !== own.id;
  const others = unconfirmedFor(await ownState(), resource, client).filter(isOther);
  const creates = [...(own === undefined ? [] : [sentOf(own)]), ...others.map(({ sent }) => sent)];
  const sent = [...creates, ...(await secretsOfOwners(inventory, id, resource.kind))];
  const isOwn = own !== undefined || others.some(({ urn }) => urn === resource.urn);
  const { value } = found;
  const differences = value === "missing" ? [] : await differencesShown(inventory, resource, value.job, sent);
  return { reported: value, sent, isOwn, differences };
}

/**
 * Why a job is not adopted: it does not exist, has another type or source, or differs from the declaration in another
 * way. Adopting such a job would overwrite its values, and no preview could have shown that.
 */
export function whyNotAdopted(
  resource: Resource,
  id: string,
  { reported, sent, isOwn, differences }: Looked,
): string | undefined {
  if (reported === "missing") return noSuchJob(id, "adopted");
  const { job, jobType = "" } = reported;
  if (!isSameId(job.id, id)) return texts.isNamedOtherwise("adopted", id, job.id);
  if (!isOfKind(resource.kind, reported)) return texts.otherType(resource.kind, id, jobType);
  const dropped = new Set(sent.flatMap((one) => droppedParams(job, one, resource)).map(({ path }) => path));
  const wrong = [
    // The user says that the job is from the resource's own create: then the service gave its values their form.
    ...differences.filter(({ form }) => !isOwn || form === undefined),
    ...[...dropped].map((path) => ({ path })),
  ];
  // A service may leave out what has its default, as the declaration does.
  const unreported = unreportedMembers(resource, job).filter((path) => !isLeftOut(resource, path));
  return wrong.length + unreported.length > 0 ? texts.differsFromAdopted(id, wrong, unreported) : undefined;
}

/**
 * With `adoptMatching`: the id of the job that a new resource adopts because it has the declared source. Undefined if there
 * is no such job, if another resource has it or may have it, or if the jobs of killed runs' creates of other sources are
 * to be looked for first: the create is then refused.
 */
export async function matchingJob({ inventory, resource, step }: Plan): Promise<string | undefined> {
  const { client, report } = inventory;
  const source = declaredSource(resource);
  if (
    source === undefined ||
    step.kind !== "new" ||
    step.killed.some((create) => create.sent.source !== source || create.otherStack !== undefined)
  )
    return undefined;
  const use = await useOfSource(inventory, resource, source, {
    began: client.machineClock.monotonic().plus(-maxListAgeMs),
  });
  if (use?.kind !== "taken") return undefined;
  const [id, ...others] = use.records.map(({ job }) => job.id);
  // If several jobs have the source, it is not clear which one is meant.
  if (id === undefined || others.length > 0) return undefined;
  // Check this last, and without awaiting: the listed job may be from a create in flight.
  if (inventory.of(id) !== undefined || inventory.claimantOf(source, resource) !== undefined) return undefined;
  if (use.mayBeOwn) report(warning(resource, texts.stateIsUnknown(resource.label, id)));
  return use.mayBeOwn ? undefined : id;
}

/**
 * The jobs of an account that are of this kind and have these values in `params`, sorted by id. Leaves out, with a
 * warning, a job whose type or values the service does not report.
 * @throws Refusal if jobs cannot be read.
 */
export async function listed(
  inventory: Inventory,
  asked: Pick<Resource, "kind" | "label" | "words">,
  values: Readonly<Record<string, unknown>>,
): Promise<readonly CompleteRecord[]> {
  const { kind, label, words } = asked;
  const { client, report } = inventory;
  if (!client.account.mode.canRead) throw new Refusal(asked, cannotList(words));
  await client.learnAccount();
  const { jobs } = inventory;
  const list = await jobs.listSince();
  if (list.kind === "failed") throw new Refusal(asked, texts.notListed(list));
  const reported = (record: ReadRecord) => comparePart(kind, values, record);
  await jobs.complete(jobs.present(list.value), (record) => reported(record) !== "unreported");
  const present = jobs.present(list.value);
  const unreported = present.filter((record) => reported(record) === "unreported");
  if (unreported.length > 0) report({ severity: "warning", text: `${label}: ${texts.leftOutOfList(unreported)}` });
  return present
    .flatMap((record) => (reported(record) === "same" ? [record.job] : []))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
