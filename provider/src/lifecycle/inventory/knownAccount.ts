import type { AccountClient } from "../../client/accountClient.js";
import type { Connection, List, Table } from "../../client/requests.js";
import type { Declarer } from "./holders.js";
import { ServiceJobs } from "./serviceJobs.js";

/** What one process knows about an account. */
export class KnownAccount {
  readonly jobs: ServiceJobs;
  /** The resources that are getting a job in this run, or may get one from an unconfirmed create, by the job's source. */
  readonly taking = new Map<string, Declarer>();
  /** How many creates of a declaration are in flight, by the declaration's normalized text. */
  readonly sent = new Map<string, number>();
  /** The resources whose create became unconfirmed in this run, by the declaration's normalized text. */
  readonly unconfirmed = new Map<string, Declarer>();
  /** The same for the creates of earlier runs. */
  readonly unconfirmedBefore = new Map<string, Declarer>();
  /** The keys of the resources whose jobs a refresh of this run did not find. */
  readonly gone = new Set<string>();
  /** The URNs of the resources whose saved records have a job. */
  readonly confirmed = new Set<string>();
  /** In a preview: the keys of the resources that may leave their sources. */
  readonly mayMove = new Set<string>();
  connections: Promise<List<Connection>> | undefined;
  readonly tables = new Map<string, Promise<List<Table>>>();

  constructor(client: AccountClient) {
    this.jobs = new ServiceJobs(client);
  }

  /** Merges what was noted under a name of this account before its token was known. */
  join({ taking, unconfirmed, unconfirmedBefore, confirmed, mayMove }: KnownAccount): void {
    for (const [source, declarer] of taking) this.taking.set(source, this.taking.get(source) ?? declarer);
    for (const [text, declarer] of unconfirmed) this.unconfirmed.set(text, declarer);
    for (const [text, declarer] of unconfirmedBefore) this.unconfirmedBefore.set(text, declarer);
    for (const urn of confirmed) this.confirmed.add(urn);
    for (const key of mayMove) this.mayMove.add(key);
  }
}
