import { getJob } from "../client/jobCalls.js";
import { kindTold } from "../client/jobMatch.js";
import type { CompleteRecord, ReadRecord } from "../client/jobRecord.js";
import type { CallFailure } from "../client/operation.js";
import type { Account } from "../config/index.js";
import { utcNow } from "../dateTime.js";
import {
  checkDeclaration,
  comparedMembers,
  declaredParams,
  jobKinds,
  problemsOfTold,
  scheduleMembers,
  untoldMembers,
  type ComparedMember,
  type JobKind,
  type Member,
} from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";
import { differencesFrom, isEqual } from "./compare.js";
import type { Inventory } from "./inventory/inventory.js";
import { declaredMembers, newOrigin, secretsOf, type JobState, type NamedJob, type Resource } from "./resource.js";
import { Refusal } from "./result.js";
import * as texts from "./texts/allMode.js";
import { cannotRead } from "./texts/createMode.js";
import { noSuchJob } from "./texts/shared.js";

type WithoutOrigin = Omit<JobState, "origin">;

/**
 * Gives a job to the resource that adopts the job. If jobs can be read, reads the job first. `read`: what the job and its
 * declaration are; by default, those of the resource.
 * @throws Refusal if another resource has the job, or if the job is not the declared job.
 */
export async function adopt(
  inventory: Inventory,
  resource: Resource,
  id: string,
  read: () => Promise<WithoutOrigin> = () => readDeclared(inventory, resource, id),
): Promise<JobState> {
  const at = utcNow();
  const found = await inventory.adopt(id, resource, at, read);
  return { ...found, origin: newOrigin(inventory.service, "adopted", at) };
}

async function readDeclared(inventory: Inventory, resource: Resource, id: string): Promise<WithoutOrigin> {
  const { declared } = resource;
  if (!inventory.service.account.mode.canRead) return { declared, job: { id } };
  const read = await readToAdopt(inventory, resource, id);
  if (read.kind === "found") return { declared, job: read.job };
  throw new Refusal(resource, texts.notDone("adopted", id, read));
}

/** Adopts a job as it is, and derives its declaration. @throws Refusal if it cannot be read or declared. */
export const importJob = (inventory: Inventory, resource: Resource, named: NamedJob): Promise<JobState> =>
  adopt(inventory, resource, named.id, async () => {
    const found = await readNamed(inventory, resource, named, "imported");
    if (found === undefined) throw new Refusal(resource, noSuchJob(named.id, "imported"));
    return found;
  });

/**
 * Reads a job by its id, as a state would have it; undefined if the service has no such job. The job is not adopted.
 * @throws Refusal if the job cannot be read, is of another type, or cannot be declared.
 */
export async function lookUp(inventory: Inventory, resource: Resource, named: NamedJob): Promise<JobState | undefined> {
  const found = await readNamed(inventory, resource, named, "read");
  return found && { ...found, origin: newOrigin(inventory.service, "adopted", utcNow()) };
}

/**
 * Reads the job that a resource adopts. A failure does not show whether the job can be adopted.
 * @throws Refusal if the job does not exist, has another type or source, or differs from the declaration in another
 * way. The adoption of such a job would overwrite the job's values, and no preview could have shown that.
 */
export async function readToAdopt(
  { jobs, service }: Inventory,
  resource: Resource,
  id: string,
): Promise<{ readonly kind: "found"; readonly job: CompleteRecord } | CallFailure> {
  // One list serves all adoptions of a run. If the list does not confirm a job, read the job itself before refusing it.
  const listed = await jobs.recent(id);
  if (listed !== undefined && isEqual(resource, listed)) return { kind: "found", job: listed.job };
  // The differences of another source are shown below.
  const found = await getJob(service, id, secretsOf(resource));
  if (found.kind === "missing") throw new Refusal(resource, noSuchJob(id, "adopted"));
  if (found.kind === "failed") return found;
  const { job, jobType = "" } = found.record;
  if (kindTold(resource.kind, found.record) === "other")
    throw new Refusal(resource, texts.otherType(resource.kind, id, jobType));
  const differences = differencesFrom(resource, job, resource.isPlain);
  const untold = untoldMembers(resource, job);
  if (differences.length + untold.length > 0)
    throw new Refusal(resource, texts.differsFromAdopted(id, differences, untold));
  return { kind: "found", job };
}

/**
 * Reads a job and derives its declaration; undefined if the service has no job with this id.
 * @throws Refusal if the job cannot be read, is of another type, or cannot be declared.
 */
async function readNamed(
  { service }: Inventory,
  resource: Resource,
  { id, account }: NamedJob,
  done: "imported" | "read",
): Promise<WithoutOrigin | undefined> {
  if (!service.account.mode.canRead) throw new Refusal(resource, cannotRead(resource.words, id, done));
  const found = await getJob(service, id);
  if (found.kind === "missing") return undefined;
  if (found.kind === "failed") throw new Refusal(resource, texts.notDone(done, id, found));
  const { job } = found.record;
  const declaration = declarationOf(found.record, service.account);
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
    const type = jobType === undefined ? "the service does not tell its type" : `its type ${jobType} is not known here`;
    return { problems: [`${type}.`] };
  }
  const { params } = job;
  if (params === undefined) return { problems: ["the service does not tell its params."] };
  const schedule = comparedMembers.map((name) => ({ name, told: job[name], ...presenceOf(name) }));
  const members: Readonly<Record<string, Json | undefined>> = {
    existingJobId: job.id,
    account: account.name,
    ...Object.fromEntries(schedule.map(({ name, told, fallback }) => [name, told === fallback ? undefined : told])),
    ...declaredParams(kind, params),
  };
  const args: JsonObject = Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])),
  );
  const problems = [
    ...schedule.flatMap(({ name, told, required }) => {
      // A declaration that leaves out an optional member means its default.
      if (required || told !== undefined) return [];
      return `its value of "${name}" ${unreadable.includes(name) ? "cannot be read" : "is not told by the service"}.`;
    }),
    ...checkDeclaration(kind, args).map(({ text }) => text),
    ...problemsOfTold(kind, params),
  ];
  return problems.length > 0 ? { problems } : { kind, args };
}

function presenceOf(name: ComparedMember): { readonly required: boolean; readonly fallback: Json | undefined } {
  const { required, default: fallback }: Member = scheduleMembers[name];
  return { required, fallback };
}
