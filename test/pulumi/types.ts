// What the public types promise. There is nothing to run: `npm run typecheck` fails if a claim does not hold.
import type { Output, Unwrap } from "@pulumi/pulumi";
import type * as ours from "pulumi-data-connectivity";
import { CachingJob, IntervalUnit } from "pulumi-data-connectivity";
import type { EmulatorOptions, Fault, ProviderMocksOptions } from "pulumi-data-connectivity/testing";
import type * as z from "zod";
import type { JobRecord, JobRecordParams } from "../../provider/src/client/jobRecord.js";
import type { cachingParams, ComparedMember, ReportedParam, scheduleMembers } from "../../provider/src/jobs/index.js";
import type { Checks, schemas } from "../../provider/src/jobs/schemas.js";

type Same<A> = <T>(value: T) => T extends A ? 1 : 2;
type Equal<A, B> = Same<A> extends Same<B> ? true : false;
type Assignable<A, B> = [A] extends [B] ? true : false;
type Hold<Claims extends readonly true[]> = Claims;

/** What TypeScript users may write: not `null`, which the schemas treat as absent for the sake of JavaScript users. */
type Plain<T> = T extends object ? { -readonly [Member in keyof T]: Plain<NonNullable<T[Member]>> } : T;

type Args = Unwrap<ours.CachingJobArgs>;
/** What the members of a table accept. */
type Given<Member> = Member extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Member extends { readonly form: keyof Checks }
    ? z.input<ReturnType<Checks[Member["form"]]>>
    : never;
type Optional<Members> = {
  [Name in keyof Members]: Members[Name] extends { readonly required: false } ? Name : never;
}[keyof Members];
type AcceptedIn<Members> = { -readonly [Name in Exclude<keyof Members, Optional<Members>>]: Given<Members[Name]> } & {
  -readonly [Name in Optional<Members>]?: Given<Members[Name]>;
};
type Schedule = typeof scheduleMembers;
type Accepted = Omit<z.input<typeof schemas.CachingJob>, keyof Schedule | "params"> &
  AcceptedIn<Schedule> & { params: AcceptedIn<typeof cachingParams> };
type Query = Unwrap<ours.ScheduledQueryJobArgs>;
type AcceptedQuery = Omit<z.input<typeof schemas.ScheduledQueryJob>, keyof Schedule> & AcceptedIn<Schedule>;

/** The interfaces for users say exactly what the schemas accept. */
export type Schemas = Hold<
  [
    Equal<keyof Args, keyof Accepted>,
    Equal<keyof Args["params"], keyof Accepted["params"]>,
    Equal<Plain<Omit<Args, "additionalParams">>, Plain<Omit<Accepted, "additionalParams">>>,
    Assignable<Args["additionalParams"], Accepted["additionalParams"]>,
    Equal<keyof Query, keyof AcceptedQuery>,
    Equal<Plain<Omit<Query, "params">>, Plain<Omit<AcceptedQuery, "params">>>,
  ]
>;

type HasAll<Type, Names extends keyof Type> = Pick<Type, Names>;

/** The record has each member that is compared, and its `params` have each that the service reports as a string. */
export type Records = [HasAll<JobRecord, ComparedMember>, HasAll<JobRecordParams, ReportedParam>];

/** Outputs lift to their leaves. */
export type Outputs = Hold<
  [
    Equal<CachingJob["job"]["id"], Output<string | undefined>>,
    Equal<CachingJob["job"]["lastRun"], Output<ours.LastRun>>,
    Equal<CachingJob["job"]["lastRun"]["status"], Output<string | undefined>>,
    Equal<CachingJob["job"]["lastRun"]["duration"], Output<number | undefined>>,
    Equal<CachingJob["job"]["params"]["sourceTable"], Output<string | undefined>>,
    Equal<CachingJob["job"]["enabled"], Output<boolean | undefined>>,
    Equal<CachingJob["origin"]["outcome"], Output<"created" | "adopted" | "unconfirmed">>,
    Equal<CachingJob["origin"]["account"], Output<string | undefined>>,
    Equal<CachingJob["intervalUnit"], Output<IntervalUnit>>,
    Equal<CachingJob["params"]["sourceTable"], Output<string>>,
    Equal<CachingJob["params"]["timeCheckColumn"], Output<string | undefined>>,
    Equal<CachingJob["account"], Output<string | undefined>>,
    Equal<ours.ScheduledQueryJob["job"], Output<ours.JobRecord>>,
    Equal<Unwrap<ours.ScheduledQueryJob["params"]>["query"], string | undefined>,
    Equal<ReturnType<typeof ours.getDataSourcesOutput>["dataSources"], Output<readonly ours.DataSource[]>>,
  ]
>;

/** The optional members of each type that do not accept `undefined`, which `config.getBoolean("x")` may return. */
type Refusing<T> = T extends unknown
  ? keyof {
      [
        Member in keyof T as object extends Pick<T, Member>
          ? undefined extends Required<T>[Member]
            ? never
            : Member
          : never
      ]: 1;
    }
  : never;
type Inputs = [
  ...[ours.CachingJobArgs, ours.CachingJobParams, ours.ScheduledQueryJobArgs, ours.ScheduledQueryJobParams],
  ...[ours.GetAccountsArgs, ours.GetAccountsOutputArgs],
  ...[ours.GetConnectionArgs, ours.GetConnectionOutputArgs, ours.GetConnectionsArgs, ours.GetConnectionsOutputArgs],
  ...[
    ours.GetDataSourcesArgs,
    ours.GetDataSourcesOutputArgs,
    ours.GetJobArgs,
    ours.GetJobOutputArgs,
    ours.GetJobsArgs,
    ours.GetJobsOutputArgs,
  ],
  ...[EmulatorOptions, Fault, ProviderMocksOptions],
];
export type TakeUndefined = Hold<
  [Equal<{ [Index in keyof Inputs]: Refusing<Inputs[Index]> }[number], never>, Equal<Refusing<{ x?: 1; y: 1 }>, "x">]
>;

/** Members that the service may omit are optional here, and members that it never returns do not exist. */
export type WrongOutputs = [
  // @ts-expect-error: it may be absent
  Hold<[Equal<CachingJob["job"]["id"], Output<string>>]>,
  // @ts-expect-error: not a member of the service's record
  CachingJob["job"]["status"],
  // @ts-expect-error: not a member of the last run
  CachingJob["job"]["lastRun"]["state"],
];

/** Declarations that the provider would refuse do not compile. Outputs are accepted wherever plain values are. */
export function declarations(text: Output<string>, params: Output<ours.CachingJobParams>): void {
  const source = { sourceConnection: text, sourceName: "S", sourceSchema: "P", sourceTable: text };
  const job = { intervalUnit: IntervalUnit.Hour, intervalValue: 4, logVerbosity: 2 };
  new CachingJob("plain", { ...job, intervalUnit: "Week", params: { ...source, autoTruncateStrings: "true" } });
  new CachingJob("outputs", { ...job, params, existingJobId: text, additionalParams: { deep: [{ text }, null] } });

  new CachingJob("absent", { ...job, params, enabled: text.apply(() => undefined) });

  // @ts-expect-error: no params
  new CachingJob("x", job);
  // @ts-expect-error: no such unit
  new CachingJob("x", { ...job, intervalUnit: "Minute", params: source });
  // @ts-expect-error: a number, not a string
  new CachingJob("x", { ...job, intervalValue: "4", params: source });
  // @ts-expect-error: no such member
  new CachingJob("x", { ...job, params: { ...source, sourceTabel: "ORDERS" } });
  // @ts-expect-error: true, false, "true" or "false"
  new CachingJob("x", { ...job, params: { ...source, autoTruncateStrings: "yes" } });
  // @ts-expect-error: not a JSON value
  new CachingJob("x", { ...job, params: source, additionalParams: { since: new Date() } });
  // @ts-expect-error: a Pulumi resource never takes its outputs as inputs
  new CachingJob("x", { ...job, params: source, job: {} });
}
