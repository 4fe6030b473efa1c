import { getJob } from "../client/requests.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { utcNow } from "../dateTime.js";
import {
  checkDeclaration,
  comparedMembers,
  declaredParams,
  jobKinds,
  problemsOfReported,
  scheduleMembers,
  type ComparedMember,
  type JobKind,
  type Member,
} from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Plan } from "./plan.js";
import { declaredMembers, newOrigin, type JobState, type NamedJob, type Resource } from "./resource.js";
import { Refusal } from "./result.js";
import * as texts from "./texts/allMode.js";
import { cannotRead } from "./texts/createMode.js";
import { noSuchJob } from "./texts/shared.js";

type WithoutOrigin = Omit<JobState, "origin">;

/**
 * Adopts a job, once the plan's guards have passed.
 * @throws Refusal if another process of this run has just adopted it, or if the other processes cannot be notified.
 */
export async function adopt(plan: Plan, id: string): Promise<JobState> {
  const { inventory, resource, client } = plan;
  const reported = client.account.mode.canRead ? await plan.reported() : undefined;
  inventory.keep(id, resource, "adopted");
  const job = reported?.kind === "done" && reported.value !== "missing" ? reported.value.job : { id };
  return { declared: resource.declared, job, origin: newOrigin(client, "adopted", plan.at()) };
}

/**
 * Adopts a job as it is, and derives its declaration, once the plan's guards have passed.
 * @throws Refusal if it cannot be read or declared.
 */
export async function importJob(plan: Plan, named: NamedJob): Promise<JobState> {
  const { inventory, resource, client } = plan;
  try {
    const found = await readNamed(inventory, resource, named, "imported");
    if (found === undefined) throw new Refusal(resource, noSuchJob(named.id, "imported"));
    inventory.keep(named.id, resource, "adopted");
    return { ...found, origin: newOrigin(client, "adopted", plan.at()) };
  } catch (error) {
    plan.giveBack();
    throw error;
  }
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
  { client }: Inventory,
  resource: Resource,
  { id, account }: NamedJob,
  done: "imported" | "read",
): Promise<WithoutOrigin | undefined> {
  if (!client.account.mode.canRead) throw new Refusal(resource, cannotRead(resource.words, id, done));
  const found = await getJob(client, id);
  if (found.kind === "failed") throw new Refusal(resource, texts.notDone(done, id, found));
  if (found.value === "missing") return undefined;
  const { job } = found.value;
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
