import type { TestFault } from "../emulator/index.js";

export interface Seen {
  readonly outcome: string;
  /** POST requests that the service read to the end. */
  readonly posts: number;
  readonly lists: number;
  readonly jobs: number;
  readonly says: string;
}

export interface Expected extends Partial<Omit<Seen, "says">> {
  readonly says: RegExp;
}

export const list = (fault: TestFault): TestFault => ({ on: "sources", ...fault });
export const onCreate = (fault: TestFault): TestFault => ({ on: "create", ...fault });
export const status = (code: number, more: object = {}): TestFault => ({ kind: "reply", status: code, ...more });

export const unconfirmed = (jobs: number, says: RegExp): Expected => ({ outcome: "unconfirmed", posts: 1, jobs, says });
export const created = (says = /^$/): Expected => ({ outcome: "created", posts: 1, jobs: 1, says });
export const refused = (says: RegExp, posts = 1): Expected => ({ outcome: "notCreated", posts, jobs: 0, says });
export const unsent = (says: RegExp): Expected => ({ outcome: "notCreated", posts: 0, jobs: 0, says });

export type Row = readonly [name: string, faults: readonly TestFault[], expected: Expected];
