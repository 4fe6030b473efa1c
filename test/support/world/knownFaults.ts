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
  | "cancelLock"
  | "secondAddress"
  | "target"
  | "replace"
  | "taint";

/**
 * The words that no sequence has for now, each with what it would show. With `WORLD_ALL=1` all are
 * on.
 */
const switchedOff: Readonly<Partial<Record<Word, string>>> = {};

const chosen = (process.env["WORLD_ON"] ?? "").split(",");

export const isOn = (word: Word): boolean =>
  switchedOff[word] === undefined || chosen.includes(word) || process.env["WORLD_ALL"] === "1";
