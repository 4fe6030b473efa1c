/** How the client should treat statuses, independent of provider/src/client/statuses.ts. */
interface ExpectedOfStatus {
  readonly name: string;
  readonly statuses: readonly number[];
  /** What the status means and when the request is retried: for a repeatable request, and for a create. */
  readonly repeatable: string;
  readonly create: string;
  /** `creates`: after a create with this status, the run sends no other create of the account. */
  readonly ends?: "creates";
  /** The statuses whose message for a create is in docs/messages.md. */
  readonly shown?: readonly number[];
}

const same = (decision: string) => ({ repeatable: decision, create: decision });

export const expectedOfStatuses: readonly ExpectedOfStatus[] = [
  { name: "2xx", statuses: [200, 201, 202, 204, 206, 299], ...same("answered never") },
  { name: "a redirect", statuses: [300, 301, 302, 303, 304, 305, 307, 308], ...same("ambiguous never") },
  { name: "a missing or refused token", statuses: [401], ...same("notProcessed withNewToken"), shown: [401] },
  { name: "a job that is locked", statuses: [423], ...same("notProcessed later") },
  { name: "a rate limit", statuses: [429], ...same("notProcessed later"), ends: "creates", shown: [429] },
  {
    name: "a refusal",
    statuses: [400, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 415, 418, 422, 451, 498],
    ...same("notProcessed never"),
    shown: [400, 403, 404, 409],
  },
  {
    ...{ name: "a timeout that either side saw", statuses: [408, 499] },
    ...{ repeatable: "ambiguous later", create: "ambiguous never" },
  },
  {
    ...{ name: "a broken service or proxy", statuses: [500, 501, 502, 503, 504, 507, 520, 599, 600, 999] },
    ...{ repeatable: "ambiguous later", create: "ambiguous never" },
  },
];

const processedByNobody = expectedOfStatuses.flatMap(({ create, statuses }) =>
  create.startsWith("notProcessed") ? statuses : [],
);

/** Whether a create with this status certainly made no job: another resource's create may follow. */
export const isRefusal = (status = 0): boolean => processedByNobody.includes(status);
