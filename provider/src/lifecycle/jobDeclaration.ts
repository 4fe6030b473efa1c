import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { checkDeclaration, jobKinds, scheduledQueryJob, type JobKind } from "../jobs/index.js";
import { offered } from "../jobs/scheduledQuery.js";
import type { Json, JsonObject } from "../json.js";

/** What a program declares to adopt a job, or why it cannot. */
export type JobDeclaration =
  { readonly kind: JobKind; readonly args: JsonObject } | { readonly problems: readonly string[] };

/** The declaration by which a job is adopted as it is: what has its default is left out. */
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
    ...(kind === scheduledQueryJob ? { params } : cachingParams(params)),
  });
  const problems = [
    // Left out, it would be declared as true.
    ...(unreadable.includes("enabled") ? ["its member enabled cannot be read."] : []),
    ...checkDeclaration(kind, args).map(({ text }) => text),
    ...(kind === scheduledQueryJob ? typeProblems(params) : []),
  ];
  return problems.length > 0 ? { problems } : { kind, args };
}

const documented = ["sourceConnection", "sourceName", "sourceSchema", "sourceTable"];
const optional = ["timeCheckColumn", "autoTruncateStrings"];
/** Not a member of the request: the service adds it. */
const added = "sourceConnectionName";

function cachingParams(params: JsonObject): JsonObject {
  const { timeCheckColumn, autoTruncateStrings } = params;
  const known = new Set([...documented, ...optional, added]);
  const more = Object.entries(params).filter(([member]) => !known.has(member));
  return {
    params: withoutUndefined({
      ...Object.fromEntries(documented.map((member) => [member, params[member]])),
      timeCheckColumn: timeCheckColumn === "" ? undefined : timeCheckColumn,
      autoTruncateStrings: asFlag(autoTruncateStrings),
    }),
    ...(more.length > 0 && { additionalParams: Object.fromEntries(more) }),
  };
}

/** The service tells a boolean as a string, in any case; false is the default. */
function asFlag(value: Json | undefined): Json | undefined {
  const text = typeof value === "string" ? value.toLowerCase() : JSON.stringify(value);
  return text === "true" ? true : text === "false" ? undefined : value;
}

/** What the check accepts and the type does not. */
const typeProblems = (params: JsonObject): string[] =>
  offered
    .filter((member) => params[member] !== undefined && typeof params[member] !== "string")
    .map((member) => `params.${member} is no string.`);

function withoutUndefined(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const entries = Object.entries(members);
  return Object.fromEntries(entries.flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])));
}
