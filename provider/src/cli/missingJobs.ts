import { reportsSource } from "../client/jobMatch.js";
import type { AccountClient } from "../client/accountClient.js";
import { type PartAccount, isIn, type Part } from "./parts.js";
import type { MissingJob, ServiceJob } from "./picture.js";
import { sourceOfResource } from "./duplicates.js";
import { isUnconfirmed, type KnownJob } from "./stackExport.js";

/** The stacks' jobs that are in no list. */
export function missingJobs(
  jobs: readonly ServiceJob[],
  parts: readonly Part[],
  lists: readonly { readonly of: PartAccount; readonly client: AccountClient }[],
): MissingJob[] {
  const found = new Set(jobs.flatMap(({ owners }) => owners));
  const allTellSource = jobs.every(({ record, owners }) => owners.length > 0 || reportsSource(record));
  return parts.flatMap((part) => {
    const asked = lists.filter(({ of }) => of.part === part);
    const missing = part.exported?.jobs.filter((job) => !found.has(job)) ?? [];
    return missing.map((owner): MissingJob => {
      // An unconfirmed create has no job id, so its job can only be found by its source.
      const canBeFound = isUnconfirmed(owner)
        ? allTellSource && sourceOfResource(owner) !== undefined
        : owner.jobId !== undefined;
      const wasAsked = asked.some(({ of, client }) => isIn(of, client, owner) && isOfSubject(owner, client));
      return { owner, folder: part.stack && part.source.folder, wasLookedFor: canBeFound && wasAsked, canBeFound };
    });
  });
}

/** Whether a list with this token would contain the job. */
const isOfSubject = ({ origin }: KnownJob, { tokens: { subject } }: AccountClient): boolean =>
  origin?.subject === undefined || origin.subject === subject;

/** A stack's jobs that were not looked for, and why. */
export interface NotLookedFor extends Pick<KnownJob, "stack" | "provider" | "account"> {
  readonly folder: string | undefined;
  readonly what: string;
  readonly fix?: string;
}

/** Why jobs were not looked for, once for each account of a stack. Leaves out the accounts that are in `notListed`. */
export function whyNotLookedFor(missing: readonly MissingJob[], notListed: readonly PartAccount[]): NotLookedFor[] {
  const said = new Map<string, NotLookedFor>();
  for (const one of missing) {
    const { stack, project, provider, account } = one.owner;
    const isOf = ({ part, ...asked }: PartAccount) =>
      part.exported?.jobs.includes(one.owner) && asked.provider === provider && asked.account === account;
    if (one.wasLookedFor || notListed.some(isOf)) continue;
    const why = whyNot(one);
    said.set(JSON.stringify([project, stack, provider, account, why]), {
      ...{ stack, folder: one.folder, provider, account },
      ...why,
    });
  }
  return [...said.values()];
}

function whyNot({ owner, canBeFound }: MissingJob): Pick<NotLookedFor, "what" | "fix"> {
  if (canBeFound)
    return {
      what: `jobs that the stack has at ${owner.service ?? "an unknown address"} were not looked for, because the settings that were read do not name this account, or name another address, or because the token does not show the subject of these jobs.`,
    };
  if (isUnconfirmed(owner))
    return {
      what: "whether unconfirmed creates of the stack made their jobs is not known, because the source of one of these, or of a job in the list, cannot be read.",
    };
  return {
    what: "jobs of the stack were not looked for, because their ids cannot be read without --show-secrets.",
    fix: "Add it: pulumi stack export --show-secrets",
  };
}
