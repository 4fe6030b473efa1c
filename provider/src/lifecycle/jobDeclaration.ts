import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { checkDeclaration, jobKinds, type JobKind } from "../jobs/index.js";
import type { Json, JsonObject } from "../json.js";

/** What a program declares to adopt a job, or why it cannot. */
export type JobDeclaration =
  { readonly kind: JobKind; readonly args: JsonObject } | { readonly problems: readonly string[] };

/** A declaration that adopts a job as it is. Members with their default value are left out. */
export function declarationOf({ job, jobType, unreadable }: ReadRecord, account: Account): JobDeclaration {
  const kind = jobKinds.find((known) => known.jobType === jobType);
  if (kind === undefined) {
    const type = jobType === undefined ? "the service does not tell its type" : `its type ${jobType} is not known here`;
    return { problems: [`${type}.`] };
  }
  const { params } = job;
  if (params === undefined) return { problems: ["the service does not tell its params."] };
  const args = withoutUndefined({
    existingJobId: job.id,
    account: account.name,
    intervalUnit: job.intervalUnit,
    intervalValue: job.intervalValue,
    logVerbosity: job.logVerbosity,
    enabled: job.enabled === false ? false : undefined,
    ...kind.declaredParams(params),
  });
  const problems = [
    // Left out, it would be declared as true.
    ...(unreadable.includes("enabled") ? ["its member enabled cannot be read."] : []),
    ...checkDeclaration(kind, args).map(({ text }) => text),
    ...kind.problemsOfTold(params),
  ];
  return problems.length > 0 ? { problems } : { kind, args };
}

function withoutUndefined(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const entries = Object.entries(members);
  return Object.fromEntries(entries.flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])));
}
