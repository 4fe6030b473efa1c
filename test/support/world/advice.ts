import { z } from "zod";
import { resendIn } from "../resending.js";

type Resends = Readonly<Record<string, string>>;

/** What a message says that its reader can do, in the order in which a careful reader tries it. */
export type Advice =
  | { readonly kind: "wait"; readonly minutes: number }
  | { readonly kind: "waitUntil"; readonly until: number; readonly refreshes: boolean }
  /** The reply to the create named this job: look whether it is the create's. If so, name it; if not, do `else`. */
  | { readonly kind: "lookAtNamed"; readonly id: string; readonly else: Advice }
  /** Nothing shows that the named job is of an unconfirmed create: declare its id, or name no job. */
  | { readonly kind: "declareNamed"; readonly id: string }
  /** Look whether the create made a job. If so, name its id; if not, resend. */
  | { readonly kind: "lookThenResend"; readonly resends: Resends }
  /** One of these jobs may be the create's. */
  | { readonly kind: "decide"; readonly ids: readonly string[]; readonly resends: Resends | undefined }
  /** Jobs of this source exist, and no stack is known to have them. */
  | { readonly kind: "adopt"; readonly ids: readonly string[] }
  /** Declare the values that the service has. `id`: the job that is to be adopted. */
  | { readonly kind: "declare"; readonly id: string | undefined }
  /** Look whether this job has the source. If so, adopt it; if not, make the declared job by hand. */
  | { readonly kind: "adoptIfSame"; readonly ids: readonly string[] }
  /** The service reports too little for mode `all`. */
  | { readonly kind: "lookAtUnreported"; readonly ids: readonly string[] }
  | { readonly kind: "dropExistingJobId" }
  /** Another resource has the job that this one names. */
  | { readonly kind: "shared"; readonly id: string }
  | { readonly kind: "refresh" }
  /** `forgets`: whether the resource must leave the state first. */
  | { readonly kind: "alias"; readonly from: string; readonly forgets: boolean }
  /** Edit the job at the service, and confirm that. */
  | { readonly kind: "confirm"; readonly id: string | undefined; readonly value: string }
  /** Delete the job at the service, and the resource from the state. */
  | { readonly kind: "deleteAndForget"; readonly id: string | undefined }
  | { readonly kind: "forget" }
  /** Look whether the job is there, and adopt it if so. */
  | { readonly kind: "adoptIfThere" }
  /** Put back what the killed run's program had. */
  | { readonly kind: "undoMove" }
  /** Use the account that has the job: that of the resource, or of another one. */
  | { readonly kind: "useItsAccount"; readonly of?: string }
  | { readonly kind: "again" };

interface Rule {
  readonly of: RegExp;
  readonly advice: (found: RegExpExecArray, text: string) => Advice;
}

/** The creates that the command of a message resends, by URN. */
export const resendsIn = (text: string): Resends | undefined => {
  const { env } = resendIn(text) ?? {};
  return env && z.record(z.string(), z.string()).parse(JSON.parse(env.DATA_CONNECTIVITY_RESEND_UNCONFIRMED));
};

const words: Readonly<Record<string, number>> = { two: 2, ten: 10, twelve: 12 };

/** The first rule that fits a message says what it advises. */
const rules: readonly Rule[] = [
  { of: /The error on \w+ "[^"]+" says how to go on\./, advice: () => ({ kind: "again" }) },
  {
    of: /The reply names job (\S+): it may be the job of this create/,
    advice: ([whole, id = ""], text) => ({
      kind: "lookAtNamed",
      id,
      else: adviceIn(text.replace(whole, "")) ?? { kind: "again" },
    }),
  },
  {
    of: /names job (\S+) for it, and no create of it is known to be unconfirmed/,
    advice: ([, id = ""]) => ({ kind: "declareNamed", id }),
  },
  {
    of: /Delete it there if it exists\. Then remove this resource from the state|delete that job at the service\. Then remove this resource from the state/,
    advice: () => ({ kind: "deleteAndForget", id: undefined }),
  },
  {
    of: /Look at the job at the service\. If no stack has it, adopt it with existingJobId/,
    advice: () => ({ kind: "adoptIfThere" }),
  },
  {
    of: /It was sent with other settings:\n {2}(?:provider|baseUrl|account)|(?:this change is not possible|no way to change a job):(?:\n {2}.*)*\n {2}(?:baseUrl|account)/,
    advice: () => ({ kind: "undoMove" }),
  },
  { of: /A confirmation does not show that the job is gone/, advice: () => ({ kind: "forget" }) },
  {
    of: /is of another account or sub-account than the token with which other jobs of this stack, such as that of \w+ "([^"]+)"/,
    advice: ([, of = ""]) => ({ kind: "useItsAccount", of }),
  },
  {
    of: /is of another account or sub-account than the token with which its (?:job|create)/,
    advice: () => ({ kind: "useItsAccount" }),
  },
  {
    of: /First look in the service at/,
    advice: (_, text) => ({ kind: "lookThenResend", resends: resendsIn(text) ?? {} }),
  },
  {
    of: /(?:could be from this create[^:]*: (?:only you can tell|([^\n]*))\.)/,
    advice: (_, text) => ({ kind: "decide", ids: idsIn(text), resends: resendsIn(text) }),
  },
  {
    of: /Wait until ([\dT:-]+(?:\.\d+)?Z)(?: by the service's clock)?(?:, then run pulumi (refresh)\b)?/,
    advice: ([, until = "", refresh]) => ({
      kind: "waitUntil",
      until: Date.parse(until),
      refreshes: refresh !== undefined,
    }),
  },
  {
    of: /Wait (two|ten|twelve) minutes/,
    advice: ([, word = ""]) => ({ kind: "wait", minutes: words[word] ?? 12 }),
  },
  {
    of: /A job for this source exists already: (.*)/,
    advice: ([, text = ""]) => ({
      kind: "adopt",
      ids: [...text.matchAll(/(?:^|; and )job (\S+?)[,.;](?: |$)/g)].map(([, id = ""]) => id),
    }),
  },
  {
    of: /Job (\S+) may have this source: the service reports the source in another form/,
    advice: ([, id = ""]) => ({ kind: "adoptIfSame", ids: [id] }),
  },
  {
    of: /A job for this source may exist already: ([^;]*source of [^.]*)/,
    advice: ([, text = ""]) => ({ kind: "lookAtUnreported", ids: text.match(/[\w{}-]{4,}(?=,|$|;| and )/g) ?? [] }),
  },
  {
    of: /already has job (\S+), and two resources must not share a job/,
    advice: ([, id = ""]) => ({ kind: "shared", id }),
  },
  {
    of: /Declare the values that the service has|Leave out what the service does not report/,
    advice: (_, text) => ({ kind: "declare", id: /job (\S+) (?:differs|cannot be compared)/.exec(text)?.[1] }),
  },
  {
    of: /Correct the id, or leave it out to create a new job|Nothing was changed\. Check the id\./,
    advice: () => ({ kind: "dropExistingJobId" }),
  },
  { of: /[Rr]un pulumi refresh, which/, advice: () => ({ kind: "refresh" }) },
  {
    of: /First remove this resource from the state:[^]*was renamed to this resource, add to its options: aliases: \[\{ name: "([^"<]+)"/,
    advice: ([, from = ""]) => ({ kind: "alias", from, forgets: true }),
  },
  {
    of: /was renamed to this resource(?:, add to its|(: remove this resource, .*)Then add to its) options: aliases: \[\{ name: "([^"<]+)"/,
    advice: ([, forgets, from = ""]) => ({ kind: "alias", from, forgets: forgets !== undefined }),
  },
  {
    of: /Edit job (\S+) at the service to match the declaration, then confirm that in the declaration: changedAtService: "([^"]*)"/,
    advice: ([, id, value = ""]) => ({ kind: "confirm", id, value }),
  },
  {
    of: /confirm that in the declaration: changedAtService: "<today's date>"/,
    advice: () => ({ kind: "confirm", id: undefined, value: new Date().toISOString() }),
  },
  {
    of: /Delete job (\S+) at the service yourself, then remove it from the state/,
    advice: ([, id]) => ({ kind: "deleteAndForget", id }),
  },
  { of: /job (\S+) at \S+ cannot be deleted either/, advice: ([, id]) => ({ kind: "deleteAndForget", id }) },
  {
    of: /is still unconfirmed|resend the create once/,
    advice: (_, text) => {
      const resends = resendsIn(text);
      return resends === undefined ? { kind: "again" } : { kind: "lookThenResend", resends };
    },
  },
  { of: /remove (?:this|its) resource from the state/, advice: () => ({ kind: "forget" }) },
  {
    of: /[Rr]un (?:pulumi up|the command|the failed command)(?: again|\.|,)|[Rr]esolve that create first|[Ss]ee the (?:error|warning) (?:on|of)|Check the service/,
    advice: () => ({ kind: "again" }),
  },
];

/** What a message advises; undefined if nothing is understood. */
export function adviceIn(text: string): Advice | undefined {
  for (const { of, advice } of rules) {
    const found = of.exec(text);
    if (found !== null) return advice(found, text);
  }
  return undefined;
}

function idsIn(text: string): string[] {
  const [, one] = /Job (\S+) at the service could be from this create/.exec(text) ?? [];
  const [, several = ""] = /only you can tell which: ([^\n]*)\./.exec(text) ?? [];
  return one === undefined ? several.split(", ").filter((id) => id !== "") : [one];
}
