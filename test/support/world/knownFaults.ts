/** The words of the world that a seed switches on. Words that never showed a fault have no name here. */
export type Word =
  | "texts"
  | "ids"
  | "numericIds"
  | "members"
  | "membersLeftOut"
  | "summaries"
  | "others"
  | "manyOthers"
  | "replicas"
  | "serviceClock"
  | "createdClock"
  | "noDate"
  | "limit"
  | "longPause"
  | "gateway"
  | "gatewaysOwnBody"
  | "secondIs429"
  | "machines"
  | "checkpoints"
  | "slowExport"
  | "secrets"
  | "onError"
  | "previewBeside"
  | "cancelLock";

/**
 * The words that no sequence has for now, each with what it would show. With `WORLD_ALL=1` all are
 * on.
 */
const switchedOff: Readonly<Partial<Record<Word, string>>> = {
  texts:
    "the simulated user does not follow the way out of a destroy of an unconfirmed create that the service keeps in another form",
  limit:
    "two providers under a limit of four requests a minute: a create may wait for longer than ten minutes in each run",
  manyOthers:
    "the simulated user does not follow the way out of a list that leaves out the sources of more jobs than are read",
  createdClock: "of the jobs that may be a create's, the simulated user takes one of another source",
  membersLeftOut: "a job cannot be adopted if the service leaves out members that have their default",
  onError: "an error that an onError hook repeats refers to itself",
};

const chosen = (process.env["WORLD_ON"] ?? "").split(",");

export const isOn = (word: Word): boolean =>
  switchedOff[word] === undefined || chosen.includes(word) || process.env["WORLD_ALL"] === "1";
