import { modes } from "../../../provider/src/config/index.js";
import { cachingJob, type Declaration } from "../../../provider/src/jobs/index.js";
import type { Origin } from "../../../provider/src/lifecycle/resource.js";
import { mayResend as mayResendBefore } from "../../../provider/src/lifecycle/unconfirmed/resends.js";
import { transition, type Transition } from "../../../provider/src/lifecycle/transitions.js";
import { unknownValue as unknown } from "../../../provider/src/unknown.js";
import { declaration } from "../../support/declaration.js";
import { resource, savedResource } from "../../support/resource.js";

const { params } = declaration;
const here = "https://jobs.example.com";
const elsewhere = "https://new.example.com";
const sentAt = "2026-11-01T12:00:00.500Z";
const later = "2026-11-02T00:00:00Z";

interface Given {
  /** What the state holds in addition to the plain declaration. */
  readonly saved?: Declaration;
  readonly outcome?: Origin["outcome"];
  /** When the create was sent. */
  readonly at?: string;
  /** The account in the state. */
  readonly was?: string;
  /** What is declared today in addition to the plain declaration. */
  readonly now?: Declaration;
  readonly baseUrl?: string;
  readonly account?: string;
  /** The account is unknown in the preview. */
  readonly nowhere?: true;
  readonly resendBefore?: string;
  /** Default: `create`. */
  readonly jobOperations?: "all";
}

function answer(given: Given): Transition {
  const { saved, outcome = "created", at = sentAt, was, now, baseUrl = here, account, nowhere, resendBefore } = given;
  const { jobOperations = "create" } = given;
  const job = outcome === "unconfirmed" ? {} : { id: "1" };
  const origin = { outcome, baseUrl: here, account: was, at };
  const before = savedResource(cachingJob, { ...declaration, ...saved }, job, origin);
  const place = nowhere ? undefined : { baseUrl, account };
  const instant = resendBefore === undefined ? undefined : Date.parse(resendBefore);
  const mayResend = mayResendBefore(instant, undefined, before.origin);
  const today = { place, mayResend, mode: modes[jobOperations] };
  return transition(before, resource(cachingJob, { ...declaration, ...now }), today);
}

const five = { intervalValue: 5 };
const items = { params: { ...params, sourceTable: "ITEMS" } };
const withMore = (additionalParams: Declaration) => ({ additionalParams });
const unknownInterval = { intervalValue: unknown };
const unknownTable = { params: { ...params, sourceTable: unknown } };
const confirmed = { changedAtService: "May" };
const start = { definedNextRun: "2027-01-01T00:00:00Z" };
const lost = { outcome: "unconfirmed" } as const;
const all = { jobOperations: "all" } as const;

const refused: readonly (readonly [why: string, given: Given, changes: readonly object[]])[] = [
  ["an interval", { now: five }, [{ path: "intervalValue", was: "4", now: "5" }]],
  ["a unit", { now: { intervalUnit: "Day" } }, [{ path: "intervalUnit", was: '"Hour"', now: '"Day"' }]],
  ["a verbosity", { now: { logVerbosity: 3 } }, [{ path: "logVerbosity", was: "2", now: "3" }]],
  ["being enabled no more", { now: { enabled: false } }, [{ path: "enabled", was: "true", now: "false" }]],
  ["a member of params, whose value is not shown", { now: items }, [{ path: "params.sourceTable" }]],
  ["a member of additionalParams that came", { now: withMore({ mode: 1 }) }, [{ path: "additionalParams.mode" }]],
  ["one whose name is no identifier", { now: withMore({ "a.b": 1 }) }, [{ path: 'additionalParams["a.b"]' }]],
  [
    "one with a quote and a backslash, of which the engine escapes the quote alone",
    { now: withMore({ 'a"b\\c': 1 }) },
    [{ path: String.raw`additionalParams["a\"b\c"]` }],
  ],
  ["one that went", { saved: withMore({ mode: 1 }) }, [{ path: "additionalParams.mode" }]],
  ["another job's id", { now: { existingJobId: "7" } }, [{ path: "existingJobId", was: "1", now: "7" }]],
  ["another service", { baseUrl: elsewhere }, [{ path: "baseUrl", was: here, now: elsewhere }]],
  ["another account", { was: "main", account: "eu" }, [{ path: "account", was: "main", now: "eu" }]],
  ["no account any more", { was: "main" }, [{ path: "account", was: "main", now: "none" }]],
  ["two changes", { now: { ...five, ...items } }, [{ path: "intervalValue" }, { path: "params.sourceTable" }]],
  ["a change beside an unknown", { now: { ...five, ...unknownTable } }, [{ path: "intervalValue" }]],
  ["a change in an unknown account", { now: { ...five, account: unknown }, nowhere: true }, [{}]],
  ["a change with an old changedAtService", { saved: confirmed, now: { ...five, ...confirmed } }, [{}]],
  [
    "a change with an earlier date, as after git revert",
    { saved: { changedAtService: "2026-11-02T08:00:00Z" }, now: { ...five, changedAtService: "2026-11-02" } },
    [{}],
  ],
  ["a change without the old changedAtService", { saved: confirmed, now: five }, [{}]],
  ["another address, with all operations", { ...all, baseUrl: elsewhere }, [{ path: "baseUrl" }]],
  [
    "another job beside a field, with all operations: the field is no reason",
    { ...all, now: { ...five, existingJobId: "7" } },
    [{ path: "existingJobId" }],
  ],
  [
    "another job, with all operations, whatever is confirmed",
    { ...all, now: { existingJobId: "7", ...confirmed } },
    [{ path: "existingJobId" }],
  ],
  ["a change with an empty changedAtService", { now: { ...five, changedAtService: "" } }, [{}]],
];

type Row = readonly [why: string, given: Given, more?: object];
const at = (baseUrl: string, account?: string) => ({
  origin: { outcome: "created", baseUrl, account, at: sentAt },
});
type TransitionName = Exclude<Transition["kind"], "refuse" | "record"> | "record asDeclared" | "record noEffect";

const rows: Readonly<Record<TransitionName, readonly Row[]>> = {
  "record asDeclared": [
    ["a change", { now: { ...five, ...confirmed } }, { ...at(here), job: { id: "1" } }],
    [
      "a change with a later date",
      { saved: { changedAtService: "2026-11-02" }, now: { ...five, changedAtService: "2026-11-02T08:00:00Z" } },
      at(here),
    ],
    [
      "two changes, with a new changedAtService",
      { saved: confirmed, now: { ...five, ...items, changedAtService: "June" } },
      at(here),
    ],
    ["a move of the service", { now: confirmed, baseUrl: elsewhere }, at(elsewhere)],
    ["a move to another account", { now: confirmed, was: "main", account: "eu" }, at(here, "eu")],
  ],
  decideDuringUp: [
    ["an unknown interval, with all operations", { ...all, now: unknownInterval }, { unknown: ["intervalValue"] }],
    ["a change beside an unknown, with all operations", { ...all, now: { ...five, params: unknown } }],
    ["an unknown interval", { now: unknownInterval }, { unknown: ["intervalValue"] }],
    ["an unknown deep in params", { now: unknownTable }, { unknown: ["params"] }],
    ["unknown params", { now: { params: unknown } }],
    ["unknown additionalParams", { now: { additionalParams: unknown } }],
    ["an unknown account", { now: { account: unknown }, nowhere: true }],
    ["an unknown existingJobId", { now: { existingJobId: unknown } }],
    ["a change and an unknown changedAtService", { now: { ...five, changedAtService: unknown } }],
    ["a new changedAtService beside an unknown", { now: { ...confirmed, ...unknownInterval } }],
    ["an unconfirmed create and an unknown existingJobId", { ...lost, now: { existingJobId: unknown } }],
    ["an unconfirmed create and an unknown account", { ...lost, now: { account: unknown }, nowhere: true }],
    ["an unknown value in what is to be resent", { ...lost, now: unknownInterval, resendBefore: later }],
  ],
  change: [
    ["an interval", { ...all, now: five }, at(here)],
    ["a table", { ...all, now: items }, at(here)],
    ["being enabled no more", { ...all, now: { enabled: false } }, at(here)],
    ["a first start", { ...all, now: start }, at(here)],
    [
      "a change of an adopted job, and an account newly named",
      { ...all, now: five, account: "main" },
      at(here, "main"),
    ],
  ],
  resolve: [
    ["no time", { ...lost, ...all }],
    ["an earlier time", { ...lost, ...all, resendBefore: "2026-11-01T12:00:00Z" }],
    ["a change", { ...lost, ...all, now: five }],
  ],
  "record noEffect": [
    ["a first start that went, with all operations", { ...all, saved: start }, at(here)],
    ["a changedAtService without a change, with all operations", { ...all, now: confirmed }, at(here)],
    ["another first start", { now: start }, { ...at(here), job: { id: "1" } }],
    ["a first start that went", { saved: start }, at(here)],
    ["a changedAtService without a change", { now: confirmed }, at(here)],
    ["a changedAtService that went", { saved: confirmed }, at(here)],
    ["its own id", { now: { existingJobId: "1" } }, at(here)],
    ["an existingJobId that went", { saved: { existingJobId: "1" }, outcome: "adopted" }],
    ["an account where none was", { now: { account: "main" }, account: "main" }, at(here, "main")],
    ["an account of the settings where none was", { account: "main" }, at(here, "main")],
  ],
  unchanged: [
    ["the same", {}],
    ["the same adopted", { outcome: "adopted" }],
    ["the same in an account", { was: "main", account: "main" }],
    ["the account of the settings, now by name", { was: "main", account: "main", now: { account: "main" } }],
    ["defaults spelled out", { now: { enabled: true, additionalParams: {}, changedAtService: "" } }],
    ["nulls for what is absent", { now: { enabled: null, definedNextRun: null, existingJobId: null, job: null } }],
    ["a time to resend", { resendBefore: later }],
  ],
  adopt: [
    ["another job in its place", { now: { existingJobId: "7", ...confirmed } }, { id: "7" }],
    ["its id", { ...lost, now: { existingJobId: "7" } }, { id: "7" }],
    ["its id, and a change", { ...lost, now: { existingJobId: "7", ...five } }, { id: "7" }],
    ["its id at another service", { ...lost, now: { existingJobId: "7" }, baseUrl: elsewhere }, { id: "7" }],
    ["its id and a time to resend", { ...lost, now: { existingJobId: "7" }, resendBefore: later }, { id: "7" }],
  ],
  resend: [
    ["a later time, with all operations", { ...lost, ...all, resendBefore: later }],
    ["a later time", { ...lost, resendBefore: "2026-11-01T12:00:00.501Z" }],
    ["a later time, and a change", { ...lost, resendBefore: later, now: five }],
    ["a later time, and an account newly named", { ...lost, resendBefore: later, account: "main" }],
  ],
  stayUnconfirmed: [
    ["an equal time", { ...lost, resendBefore: sentAt }],
    ["any time where the time of the create was lost", { ...lost, at: "", resendBefore: later }],
    ["an earlier time", { ...lost, resendBefore: "2026-11-01T12:00:00Z" }],
    ["no time", lost],
    ["a change alone", { ...lost, now: { ...five, ...confirmed } }],
    ["a later time at another service", { ...lost, resendBefore: later, baseUrl: elsewhere }],
    ["another service, with all operations", { ...lost, ...all, baseUrl: elsewhere }],
    ["a later time in another account", { ...lost, resendBefore: later, was: "main", account: "eu" }],
    ["a later time and no account any more", { ...lost, resendBefore: later, was: "main" }],
  ],
};

describe("A job that exists", () => {
  test.each(refused)("is not changed: %s", (_why, given, changes) => {
    expect(answer(given)).toMatchObject({ kind: "refuse", changes });
  });

  test("is refused without any value of params", () => {
    expect(answer({ now: items })).toEqual({ kind: "refuse", changes: [{ path: "params.sourceTable" }] });
  });
});

describe.each(Object.entries(rows))("The answer is %s", (name, cases) => {
  const [kind, why] = name.split(" ");
  test.each(cases.map(([why, given, more]) => ({ why, given, more })))("to $why", ({ given, more }) => {
    expect(answer(given)).toMatchObject({ kind, ...(why !== undefined && { why }), ...more });
  });
});
