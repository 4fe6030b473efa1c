import { toldSource } from "../../client/jobMatch.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import { listJobs, type List } from "../../client/lists.js";
import type { Service } from "../../client/service.js";
import type { JobKind } from "../../jobs/index.js";

/**
 * The jobs of an account in one run: the newest list, plus this run's own changes since that list. Callers share a list
 * if it is new enough for them, so a refresh of many jobs takes one request.
 */
export class ServiceJobs {
  private newest: { readonly startedAt: number; readonly list: Promise<List<ReadRecord>> } | undefined;
  /** The number of the newest list. A job that first appears in a later list is newer than this list. */
  listNumber = 0;
  /** By job id, the number of the first list that contained the job. */
  private readonly firstSeen = new Map<string, number>();
  /** By id, the jobs that this run created or changed, with the source that it sent: the record may lack the source. */
  private readonly written = new Map<string, { readonly record: ReadRecord; readonly source: string | undefined }>();
  private readonly deleted = new Set<string>();
  /** Whether a resource has already shown why there is no list. */
  failureShown = false;

  constructor(private readonly service: Service) {}

  /** A list that was requested at `time` or later; by default, any list of this run. */
  listSince(time = 0): Promise<List<ReadRecord>> {
    if (this.newest === undefined || this.newest.startedAt < time) {
      const list = listJobs(this.service).then((result) => {
        this.listNumber += 1;
        for (const { job } of result.kind === "listed" ? result.entries : [])
          if (!this.firstSeen.has(job.id)) this.firstSeen.set(job.id, this.listNumber);
        return result;
      });
      this.newest = { startedAt: this.service.clock.now(), list };
    }
    return this.newest.list;
  }

  /** Requests a new list, and returns whether it lacks this job. */
  async isAbsent(id: string): Promise<boolean> {
    const list = await this.listSince(this.service.clock.now());
    return list.kind === "listed" && !list.entries.some(({ job }) => job.id === id);
  }

  /**
   * Whether a job is newer than a list. A job with the id of a job that this run deleted counts as newer, because the
   * service may reuse the id.
   */
  isNewSince(listNumber: number, id: string): boolean {
    return this.deleted.has(id) || (this.firstSeen.get(id) ?? Infinity) > listNumber;
  }

  /** The listed jobs, updated with this run's own changes. */
  present(jobs: readonly ReadRecord[]): ReadRecord[] {
    const listed = new Map(jobs.map((record) => [record.job.id, record]));
    for (const [id, { record }] of this.written) listed.set(id, record);
    return [...listed.values()].filter(({ job }) => !this.deleted.has(job.id));
  }

  /** The job that has this source, in the list updated with this run's own changes. */
  withSource(kind: JobKind, source: string, jobs: readonly ReadRecord[]): ReadRecord | undefined {
    return this.present(jobs).find(
      (record) => (this.written.get(record.job.id)?.source ?? toldSource(kind, record)) === source,
    );
  }

  noteWritten(record: ReadRecord, source: string | undefined): void {
    this.deleted.delete(record.job.id);
    this.written.set(record.job.id, { record, source });
  }

  noteDeleted(id: string): void {
    this.deleted.add(id);
  }
}
