import { emptyReply, refusal, reply, type Answer } from "./answer.js";
import type { EmulatedJob } from "./emulatedJob.js";
import { parseJobBody } from "./jobBody.js";
import type { JobStore } from "./jobStore.js";
import type { Endpoint } from "./operations.js";

/** What the service looks at in a request. */
export interface ServiceRequest {
  method: string;
  endpoint: Endpoint | undefined;
  authorized: boolean;
  /** The parsed body, `undefined` when it is not JSON. */
  json: unknown;
}

/** Where the vendor's documents disagree or say nothing: what this service does. */
export interface ServiceVariant {
  dataSources: readonly string[];
  jobReplies: "wrapped" | "bare";
  jobTypeIn: "reads" | "all";
  missingJob: "404" | "null";
  runsBetweenReads: boolean;
}

const invalid = (problem: string): Answer => refusal(400, "INVALID_REQUEST", problem);

/** A job as a reply shows it: members without a value are no part of JSON. */
function recordOf(job: EmulatedJob, { withType }: { withType: boolean }): object {
  return { ...job, jobType: withType ? job.jobType : undefined, body: undefined };
}

/** The service: what it answers to a request, and what it does to its jobs. */
export class Service {
  constructor(
    private readonly store: JobStore,
    private readonly variant: ServiceVariant,
  ) {}

  /** Changes no job, except that jobs run between reads where the variant says so: the caller decides about the effect. */
  answer({ method, endpoint, authorized, json }: ServiceRequest): Answer {
    if (endpoint === undefined) return refusal(404, "NOT_FOUND", "There is no such path.");
    if (endpoint.method !== method) {
      const message = `This path accepts ${endpoint.method} only.`;
      return refusal(405, "METHOD_NOT_ALLOWED", message, { Allow: endpoint.method });
    }
    if (!authorized) return emptyReply(401, { "WWW-Authenticate": 'Bearer error="invalid_token"' });
    switch (endpoint.operation) {
      case "sources":
        return reply(200, { dataSources: this.variant.dataSources.map((dataSource) => ({ dataSource })) });
      case "create":
        return this.#create(json);
      case "list":
        return reply(200, { jobs: this.store.jobs.map((job) => this.#read(job)) });
      case "get":
      case "update":
      case "delete":
        return this.#ofOneJob(endpoint.operation, endpoint.id ?? "", json);
    }
  }

  #create(body: unknown): Answer {
    const parsed = parseJobBody(body);
    if ("problem" in parsed) return invalid(parsed.problem);
    const job = this.store.describe(parsed.declared, body);
    const apply = (): void => {
      this.store.insert(job);
    };
    return { ...this.#replyToWrite(job), effect: { jobId: job.id, apply } };
  }

  #ofOneJob(operation: "get" | "update" | "delete", id: string, body: unknown): Answer {
    const known = this.store.find(id);
    if (known === undefined) {
      return this.variant.missingJob === "null"
        ? reply(200, { jobs: null })
        : refusal(404, "NOT_FOUND", "There is no such job.");
    }
    switch (operation) {
      case "get":
        return this.#oneJob(this.#read(known));
      case "update":
        return this.#update(known, body);
      case "delete": {
        const apply = (): void => {
          this.store.remove(id);
        };
        return { ...emptyReply(200), effect: { jobId: id, apply } };
      }
    }
  }

  #update(known: EmulatedJob, body: unknown): Answer {
    const parsed = parseJobBody(body);
    if ("problem" in parsed) return invalid(parsed.problem);
    const { declared } = parsed;
    if (declared.jobType !== known.jobType) return invalid(`jobType: must be ${known.jobType}, as the job was made`);
    const job = this.store.redescribe(known, declared, body);
    const apply = (): void => {
      this.store.replace(job);
    };
    return { ...this.#replyToWrite(job), effect: { jobId: job.id, apply } };
  }

  #read(job: EmulatedJob): object {
    return recordOf(this.variant.runsBetweenReads ? this.store.run(job) : job, { withType: true });
  }

  #replyToWrite(job: EmulatedJob): Answer {
    return this.#oneJob(recordOf(job, { withType: this.variant.jobTypeIn === "all" }));
  }

  #oneJob(record: object): Answer {
    return reply(200, this.variant.jobReplies === "wrapped" ? { jobs: [record] } : record);
  }
}
