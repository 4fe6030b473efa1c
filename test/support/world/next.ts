import type { Declared, Name } from "./words.js";
import { membersOf } from "../../../provider/src/json.js";

/** What a user types next. */
export interface Next {
  readonly waitMs: number;
  readonly refresh: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** What the program declares besides, for this command. */
  readonly declares?: Declared;
  /** What the program leaves out for this command. */
  readonly leavesOut?: readonly Name[];
  /** Whether the messages say that this service cannot be used in this mode. */
  readonly isStuck?: boolean;
}

export const ready: Next = { waitMs: 0, refresh: false, env: {} };

const resends = "DATA_CONNECTIVITY_RESEND_UNCONFIRMED";
export const givesIds = "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED";

export const valuesIn = (env: Next["env"], variable: string) => membersOf(JSON.parse(env[variable] ?? "{}"));

/** One run can do what several messages say. */
export const withValues = (next: Next, variable: string, more: Readonly<Record<string, string>>): Next => ({
  ...next,
  env: { ...next.env, [variable]: JSON.stringify({ ...valuesIn(next.env, variable), ...more }) },
});

export const resendingToo = (next: Next, more: Readonly<Record<string, string>>): Next =>
  Object.keys(more).length === 0 ? next : withValues(next, resends, more);

/** The resources that the commands of a message name. */
export const urnsIn = (message: string): readonly string[] => message.match(/urn:pulumi:[^"]+/g) ?? [];
