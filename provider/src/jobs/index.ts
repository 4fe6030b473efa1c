import { cachingJob, cachingParams } from "./caching.js";
import { scheduledQueryJob } from "./scheduledQuery.js";

export { cachingJob, cachingParams, scheduledQueryJob };
export type { ReportedParam } from "./caching.js";
export { byForm, limitsOf, type ByForm, type Form, type FormName } from "./forms.js";
export { IntervalUnit } from "./intervalUnit.js";
export type { IsPlain, Problem } from "./validation.js";
export { namesConnection } from "./kind.js";
export type { Declaration, DeclaredJob, JobKind, Member, Param, ParamForm } from "./kind.js";
export { comparedMembers, scheduleMembers, type ComparedMember, type ScheduleName } from "./schedule.js";
export * from "./declaration.js";
export * from "./values.js";

export const jobKinds = [cachingJob, scheduledQueryJob] as const;
