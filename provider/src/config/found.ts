import { sentences } from "../sentences.js";
import type { ConfigWords, SettingPath } from "./configWords.js";
import type { Parsing } from "./values.js";

/** A setting that is missing or malformed: what is wrong, and the command that sets it right. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(
    readonly what: string,
    readonly fix: string,
  ) {
    super(sentences(what, fix));
  }
}

/** A setting as it was found, with the place that a fix has to change: another place may be overridden by this one. */
export interface Found {
  /** Undefined if it is not set. */
  readonly text: string | undefined;
  /** The variable or the full key, for messages. */
  readonly from: string;
  /** Whether the state has it too, from the last `up`. */
  readonly isSaved: boolean;
  /** What sets it at this place: mostly a command. */
  readonly set: (value: string) => string;
  /** The same for a token. */
  readonly setToken: () => string;
}

export const inVariable = (variable: string, text: string | undefined): Found => ({
  text,
  from: variable,
  isSaved: false,
  set: (value) => `export ${variable}=${value}`,
  setToken: () => `export ${variable}=<token>`,
});

/** A setting that is not in the environment, or a member of one. */
export const inConfig = (words: ConfigWords, path: SettingPath, text: string | undefined): Found => ({
  text,
  get from() {
    return words.name(path);
  },
  isSaved: true,
  set: (value) => words.set(path, value),
  setToken: () => words.setSecret(path),
});

/** The value of a setting. @throws SettingsError for a text that is not accepted. */
export function valueOf<Value>({ parse, unset, show = quoted, ...row }: Parsing<Value>, found: Found): Value {
  if (found.text === undefined) return unset;
  const value = parse(found.text);
  if (value !== undefined) return value;
  const what = `${found.from} is ${show(found.text)}. Accepted: ${row.accepted}.`;
  throw new SettingsError(what, `Set it: ${found.set(row.example)}`);
}

/** A given value in a message: what may be a secret never comes here. */
export const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
