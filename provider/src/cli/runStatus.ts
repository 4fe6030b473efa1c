import type { LastRun } from "../client/jobRecord.js";

/** The words of a status, however the service writes it: `JOB_NO_CHANGE`, `NoChange`. */
const wordOf = (status: string): string =>
  status
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/^JOB(?=.)/, "");

/**
 * The statuses of a run that has not ended. The interface document has only `JOB_QUEUED`; the vendor's other documents
 * show the words without saying how this API writes them.
 */
const open = ["QUEUED", "RUNNING"];

/** Whether a run has a time, and its status is none of a run that still goes on. */
export const hasEnded = ({ dateTime, status = "" }: Partial<LastRun>): boolean =>
  dateTime !== undefined && !open.includes(wordOf(status));
