import { getJob } from "../../client/jobCalls.js";
import type { CompleteRecord, KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { declaredMembers } from "../../jobs/index.js";
import { differencesFrom, differingMembers, isOfKind, isRecognized, untoldMembers } from "../compare.js";
import { inventoryOf } from "../inventory/inventory.js";
import { declarationOf } from "../jobDeclaration.js";
import type { NamedJob } from "../mode.js";
import { secretsOf, type JobState, type Resource, type SavedResource, type Undeclared } from "../resource.js";
import { Refusal } from "../result.js";
import * as messages from "./messages.js";
import { maxListAgeMs } from "./source.js";

/**
 * Reads the job that a resource adopts.
 * @throws Refusal where it is not there, is of another type or source, or is not as declared: no preview could have shown
 * that its values would be overwritten.
 */
export async function readToAdopt(service: Service, resource: Resource, id: string): Promise<CompleteRecord> {
  // One list serves all adoptions of a run. Only its good news count: what refuses is read anew.
  const { jobs } = inventoryOf(service);
  const list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  const listed = list.kind === "listed" ? jobs.present(list.jobs).find(({ job }) => job.id === id) : undefined;
  if (listed !== undefined && isOfKind(resource.kind, listed) && differingMembers(resource, listed.job).length === 0)
    return listed.job;
  const found = await getJob(service, id, secretsOf(resource));
  if (found.kind === "missing") throw new Refusal(resource, messages.nothingToAdopt(id));
  if (found.kind === "failed") throw new Refusal(resource, messages.notAdopted(id, found));
  const { job, jobType = "" } = found.record;
  if (!isOfKind(resource.kind, found.record))
    throw new Refusal(resource, messages.otherType(resource.kind, id, jobType));
  const differences = differencesFrom(resource, job);
  const untold = untoldMembers(resource, job);
  if (differences.length + untold.length > 0)
    throw new Refusal(resource, messages.differsFromAdopted(id, differences, untold));
  return job;
}

/**
 * Reads a job that is named by its id; undefined where the service has none.
 * @throws Refusal where it cannot be read, is of another type, or cannot be declared.
 */
export async function readNamed(
  service: Service,
  resource: Undeclared,
  named: NamedJob,
): Promise<Pick<JobState, "declared" | "job"> | undefined> {
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
  // The state says which job it is, and the account is declared only where it was named.
  return { declared: declaredMembers({ ...declaration.args, existingJobId: undefined, account }), job };
}

/** Whether a job was never read, as one that was adopted in the default mode: its id may be a typing mistake. */
export const isUnseen = (job: KnownRecord): boolean => Object.keys(job).every((member) => member === "id");

/** @throws Refusal for a job of another type, and for one that was never read and is not the declared one. */
export function refuseUnrecognized(saved: SavedResource, record: ReadRecord): void {
  const { id } = record.job;
  if (!isOfKind(saved.kind, record))
    throw new Refusal(saved, messages.savedOtherType(saved.kind, id, record.jobType ?? ""));
  if (isUnseen(saved.job) && !isRecognized(saved, record))
    throw new Refusal(saved, messages.otherSource(saved.kind, id));
}

/**
 * Reads a job that was never read, before it is changed or deleted; `notDone` says which of them was not. Whether the
 * service has it.
 * @throws Refusal where it is not the declared job, or where that cannot be found out.
 */
export async function readUnseen(
  service: Service,
  saved: SavedResource,
  notDone: typeof messages.notChanged,
): Promise<boolean> {
  const id = saved.jobId;
  const found = await getJob(service, id, secretsOf(saved, saved.job));
  if (found.kind === "missing") return false;
  if (found.kind === "failed") throw new Refusal(saved, notDone(id, found));
  refuseUnrecognized(saved, found.record);
  return true;
}
