import { IntervalUnit } from "./intervalUnit.js";
import type { Member } from "./kind.js";

const { Hour, Day, Week, Month } = IntervalUnit;

/** A member of a job outside `params`. */
type ScheduleMember = Member & {
  /** Whether the service reports the member as it was sent, so that it can be compared. */
  readonly isReported: boolean;
};

/** The members that all kinds of job share, and that are sent. */
export const scheduleMembers = {
  intervalUnit: { form: "choice", words: [Hour, Day, Week, Month], required: true, sent: "always", isReported: true },
  intervalValue: { form: "wholeNumber", min: 1, max: 2147483647, required: true, sent: "always", isReported: true },
  logVerbosity: { form: "wholeNumber", min: 1, max: 5, required: true, sent: "always", isReported: true },
  enabled: { form: "boolean", required: false, sent: "always", default: true, isReported: true },
  definedNextRun: { form: "dateTime", required: false, sent: "ifDeclared", isReported: false },
} as const satisfies Readonly<Record<string, ScheduleMember>>;

type Schedule = typeof scheduleMembers;

export type ScheduleName = keyof Schedule;

/** A member outside `params` that is compared between a job and its declaration. */
export type ComparedMember = {
  [Name in ScheduleName]: Schedule[Name]["isReported"] extends true ? Name : never;
}[ScheduleName];

export const isScheduleMember = (name: string): name is ScheduleName => Object.hasOwn(scheduleMembers, name);

const isCompared = (name: string): name is ComparedMember => isScheduleMember(name) && scheduleMembers[name].isReported;

/** The members outside `params` that are compared between a job and its declaration. */
export const comparedMembers: readonly ComparedMember[] = Object.keys(scheduleMembers).filter(isCompared);
