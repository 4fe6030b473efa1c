import { sentences } from "../sentences.js";
import { namespace } from "./table.js";

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
  /** Undefined where it is not set. */
  readonly text: string | undefined;
  /** The variable or the full key, for messages. */
  readonly from: string;
  /** The command that sets it at this place. */
  readonly set: (value: string) => string;
}

export const inVariable = (variable: string, text: string | undefined): Found => ({
  text,
  from: variable,
  set: (value) => `export ${variable}=${value}`,
});

export const inKey = (key: string, text: string | undefined): Found => ({
  text,
  from: `${namespace}:${key}`,
  set: (value) => `pulumi config set ${namespace}:${key} ${value}`.trimEnd(),
});

/** A member of one account in the setting `accounts`. */
export const inAccount = (account: string, member: string, text: string | undefined): Found => ({
  text,
  from: `${namespace}:accounts.${account}.${member}`,
  set: (value) => `pulumi config set --path ${namespace}:accounts.${account}.${member} ${value}`.trimEnd(),
});

/** The error for a value that is not accepted. `example` is an accepted value, and never one that weakens a guard. */
export const malformed = ({ from, set }: Found, given: string, accepted: string, example: string): SettingsError =>
  new SettingsError(`${from} is ${given}. Accepted: ${accepted}.`, `Set it: ${set(example)}`);

/** A given value in a message: what may be a secret never comes here. */
export const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
