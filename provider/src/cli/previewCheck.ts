import { type Settings, SettingsError } from "../config/index.js";
import { parseJson } from "../json.js";
import { differingMembers, hasSameSource, isOfKind } from "../lifecycle/compare.js";
import { sentences } from "../sentences.js";
import { hasUnknown } from "../unknown.js";
import { InputError } from "./command.js";
import { arrayOf, type DeclaredJob, labelOf, memberOf, readDeclared, readJob } from "./stackExport.js";
import type { ServiceJob } from "./serviceJobs.js";

/** One job of a preview that would fail during `pulumi up`, or that cannot be compared. */
interface Finding {
  readonly text: string;
  readonly isRefused: boolean;
}

/** What `pulumi up` would refuse of a preview, as far as the listed jobs tell; `listed` has those of every account that was listed. */
export const findingsOf = (
  { created, changed }: Preview,
  listed: readonly ServiceJob[],
  settings: Settings,
): Finding[] =>
  created.flatMap((job) => {
    const refused = (text: string): Finding[] => [{ text: `${labelOf(job)}: ${text}`, isRefused: true }];
    try {
      const { name } = settings.account(accountNameOf(job));
      const jobs = listed.filter(({ account }) => account.name === name);
      if (isHidden(job.declared)) {
        const text = `${labelOf(job)}: not compared, because a value is secret or not known in a preview.`;
        return [{ text, isRefused: false }];
      }
      const why = whyRefused(job, jobs, changed);
      return why === undefined ? [] : refused(why);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return refused(sentences(error.what, error.fix));
    }
  });

function accountNameOf({ declared }: DeclaredJob): string | undefined {
  const { account } = declared;
  return typeof account === "string" ? account : undefined;
}

/** The engine writes this in place of a secret. */
const isHidden = (value: unknown): boolean =>
  hasUnknown(value) || JSON.stringify(value).includes(JSON.stringify("[secret]"));

function whyRefused(job: DeclaredJob, jobs: readonly ServiceJob[], changed: ReadonlySet<string>): string | undefined {
  const { existingJobId: id } = job.declared;
  if (typeof id !== "string") {
    const other = jobs.find(({ record }) => hasSameSource(job, record) && !changed.has(record.job.id));
    if (other === undefined) return undefined;
    return `job ${other.record.job.id} has its source already. Adopt that job with existingJobId, or name the renamed resource in aliases.`;
  }
  const found = jobs.find(({ record }) => record.job.id === id);
  if (found === undefined) return `the service lists no job ${id} to adopt.`;
  if (!isOfKind(job.kind, found.record)) return `job ${id} is of another type.`;
  const members = differingMembers(job, found.record.job);
  if (members.length === 0) return undefined;
  return `job ${id} differs from the declaration in ${members.join(", ")}. Declare the job as it is, and change it in the next run.`;
}

/** What a preview does to jobs, as far as only the service knows whether that will work. */
interface Preview {
  /** The jobs that it creates or adopts. */
  readonly created: readonly DeclaredJob[];
  /** The ids of the jobs that it changes: their sources may become free in the same run. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Reads what `pulumi preview --json` prints.
 * @throws InputError where it is something else, or failed.
 */
export function readPreview(text: string, from: string): Preview {
  const preview = parseJson(text.replace(/^\uFEFF/, ""));
  const steps = memberOf(preview, "steps");
  if (!Array.isArray(steps))
    throw new InputError(`${from} is not a preview. Expected: what pulumi preview --json prints.`);
  // Without pipefail, a shell hides that the preview failed.
  if (arrayOf(memberOf(preview, "diagnostics")).some((one) => memberOf(one, "severity") === "error"))
    throw new InputError(
      `${from} is a preview that failed, so it does not show what pulumi up would do. Run pulumi preview, and correct what it reports.`,
    );
  const of = (operation: string) => arrayOf(steps).filter((step) => memberOf(step, "op") === operation);
  return {
    created: of("create").flatMap((step) => readDeclared(memberOf(step, "newState")) ?? []),
    changed: new Set(of("update").flatMap((step) => readJob(memberOf(step, "oldState"))?.jobId ?? [])),
  };
}
