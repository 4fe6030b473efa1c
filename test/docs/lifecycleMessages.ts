import * as all from "../../provider/src/lifecycle/all/messages.js";
import * as unconfirmed from "../../provider/src/lifecycle/all/unconfirmedMessages.js";
import { stackConfiguration, type ConfigWords } from "../../provider/src/config/index.js";
import { cachingJob, scheduledQueryJob } from "../../provider/src/jobs/index.js";
import * as create from "../../provider/src/lifecycle/create/messages.js";
import { nothingSent } from "../../provider/src/client/operation.js";
import * as messages from "../../provider/src/lifecycle/messages.js";
import type { Origin, SavedResource } from "../../provider/src/lifecycle/resource.js";
import { declaration } from "../support/declaration.js";
import type { Row } from "./everyMessage.js";

const origin: Origin = {
  outcome: "created",
  baseUrl: "https://jobs.example.com",
  account: "eu",
  at: "2026-11-01T12:00:00.000Z",
};
const unconfirmedOrigin: Origin = { ...origin, outcome: "unconfirmed" };
const label = 'CachingJob "orders"';
const id = "unconfirmed-6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f";
const savedIn = (words: ConfigWords): SavedResource => ({
  id,
  jobId: "job-1",
  kind: cachingJob,
  label,
  words,
  key: label,
  declared: declaration,
  isPlain: () => true,
  job: { id: "job-1" },
  origin,
});
const what = "POST /api/job/create failed: the connection broke before a reply came (ECONNRESET).";
const failure = { what: "GET /api/job/list failed with HTTP 503: busy (5 tries).", fix: "Run pulumi up again later." };
const table = { path: "params.sourceTable", was: '"ORDERS"', now: '"ITEMS"' };
const changes = [{ path: "intervalValue", was: "4", now: "6" }, table, { path: "additionalParams.key" }];
const moves = [{ path: "baseUrl", was: "https://jobs.example.com", now: "https://new.example.com" }];
const successor = [{ path: "existingJobId", was: "job-1", now: "job-2" }];
const job = { id: "job-7", intervalUnit: "Hour", intervalValue: 4, created: "2026-10-01T08:00:00.0000000Z" };
const record = { job, jobType: "Caching", unreadable: [] };
const imported = { id: "job-7", account: undefined, done: "imported" } as const;
const refused = {
  outcome: "notCreated",
  cause: "refused",
  status: 403,
  what: "POST /api/job/create failed with HTTP 403: not allowed.",
  fix: "The token from DATA_CONNECTIVITY_TOKEN is not allowed to do this. Set a working token: export DATA_CONNECTIVITY_TOKEN=<token>",
} as const;

const refusedBy = (request: string) => ({ ...refused, what: `${request} failed with HTTP 403: not allowed.` });

/** A message as it is thrown. */
const on = (text: string): string => `${label}: ${text}`;

export function ofTheLifecycle(words = stackConfiguration): Row[] {
  const saved = savedIn(words);
  const becameUnconfirmed = (text: string) =>
    messages.becameUnconfirmed(label, id, text, create.waysToResolve(saved, origin));
  return [
    ["a change of a job", on(create.cannotChange(saved, changes))],
    ["a job at another address", on(create.cannotChange(saved, moves))],
    ["another job in its place", on(create.cannotChange(saved, successor))],
    ["a create that becomes unconfirmed", becameUnconfirmed(what)],
    [
      "a job that stays unconfirmed",
      on(create.staysUnconfirmed({ ...saved, isPlain: (member) => member !== "params" }, [])),
    ],
    ["an unconfirmed job, and another address", on(create.staysUnconfirmed(saved, moves))],
    [
      "an unconfirmed job, resent and refused",
      on(messages.resendRefused(saved, refused, create.waysToResolve(saved, origin))),
    ],
    [
      "a duplicate of an unconfirmed job",
      on(messages.notCreated(nothingSent("declined", messages.duplicate('CachingJob "items"')))),
    ],
    ["the preview of an unconfirmed job", messages.willStayUnconfirmed(label, origin, true)],
    ["the preview of a job that will be resent", messages.willResend(label, origin)],
    ["a time to resend that is too early", messages.isNotLater(label, origin, Date.parse("2026-11-01T12:00:00Z"))],
    ["an unconfirmed job, resent", messages.wasResent(label, origin, saved.job)],
    ["the preview of an unknown value", create.willDecideDuringUp(label, ["params"])],
    ["the preview of a confirmed change", messages.willRecordAsDeclared(label, saved.job)],
    ["the preview of a change without effect", messages.willRecordOnly(label)],
    ["the preview of an adoption", create.willAdopt(label, "job-2")],
    ["a delete", on(create.cannotDelete(saved))],
    ["a delete of an unconfirmed job", messages.unconfirmedForgotten(saved)],
    ["a refresh", create.nothingToRead],
    ["an import", on(create.cannotRead(words, imported))],
    ["a job that the program gets", on(create.cannotRead(words, { ...imported, done: "read" }))],
    ["a state without the property origin", on(messages.notOurState)],
    ["an unknown value in a create", on(messages.unknownInCreate)],
  ];
}

const sentence = ({ what: text, fix }: { readonly what: string; readonly fix: string | undefined }): string =>
  `${text} No job was created: the create was not sent. ${fix ?? ""}`.trimEnd();

export function ofTheLifecycleWithAll(words = stackConfiguration): Row[] {
  const saved = savedIn(words);
  return [
    ["a second job for one source", on(sentence(all.sourceIsTaken(record, undefined, label)))],
    ["a second resource for one source", on(sentence(all.sourceIsTaken(record, 'CachingJob "items"', label)))],
    ["a delete of a job that another resource names", on(all.wantedByOther("job-7", `CachingJob "items"`))],
    [
      "two resources that create a job for one source",
      on(sentence(all.sourceIsBeingTaken('CachingJob "items"', label))),
    ],
    ["adoption of another resource's job", on(messages.heldByOther("job-7", 'CachingJob "items"', label))],
    ["adoption of a missing job", on(all.nothingToAdopt("job-7"))],
    ["adoption of a job that cannot be read", on(all.notAdopted("job-7", failure))],
    ["adoption of a job of another type", on(all.otherType(cachingJob, "job-7", "ScheduledQuery"))],
    ["adoption of a job that cannot be compared", on(all.differsFromAdopted("job-7", [], ["sourceTable"]))],
    ["adoption of a job that differs", on(all.differsFromAdopted("job-7", changes, ["timeCheckColumn"]))],
    ["an import of a missing job", on(messages.noSuchJob("job-7", "imported"))],
    ["an import of a job that cannot be read", on(all.couldNotBeRead(imported, failure))],
    [
      "an import of a job that cannot be declared",
      on(all.cannotBeDeclared(imported, 'its value of "enabled" cannot be read.')),
    ],
    ["an import of a job of another type", on(all.namedAsOtherType(imported, scheduledQueryJob, cachingJob))],
    ["a job at another address", on(all.cannotMove(saved, moves))],
    ["another job in its place", on(all.cannotMove(saved, successor))],
    ["a refresh at another address", on(all.isElsewhere(saved, "https://new.example.com"))],
    [
      "the same, and an unconfirmed create",
      on(all.isElsewhere({ ...saved, origin: unconfirmedOrigin }, "https://new.example.com")),
    ],
    ["a token of another account or sub-account", on(all.isOfOther(origin))],
    ["the same, and an unconfirmed create", on(all.isOfOther(unconfirmedOrigin))],
    ["a change of a job that is gone", on(all.nothingToChange("job-1"))],
    ["a change that is refused", on(all.notChanged("job-1", refusedBy("PUT /api/job/job-1/update")))],
    ["a change without a clear answer", on(all.perhapsChanged("job-1", failure))],
    ["a change of a job of another type", on(all.savedOtherType(cachingJob, "job-1", "ScheduledQuery"))],
    ["a change of a job that was adopted unseen and is another one", on(all.otherSource(cachingJob, "job-1"))],
    ["a delete that is refused", on(all.notDeleted("job-1", refusedBy("DELETE /api/job/job-1/delete")))],
    ["a delete without a clear answer", on(all.perhapsDeleted("job-1", failure))],
    ["a delete of a job that another resource has", all.leftToOther(label, "job-1", 'CachingJob "items"')],
    ["a refresh without an answer", on(all.notRefreshed(failure))],
    ["an unconfirmed create, found", all.foundByList(label, "job-7")],
    ["an unconfirmed create, unclear", on(unconfirmed.undecided(saved, [record]))],
    ["an unconfirmed create, too early", on(unconfirmed.resolvedTooEarly(saved))],
    ["an unconfirmed create, and no list", on(unconfirmed.unresolvedByList(saved, failure))],
    ["an unconfirmed create at another address", on(unconfirmed.staysUnconfirmed(saved, moves))],
    ["a refresh of an unconfirmed create, unclear", unconfirmed.stillUnconfirmed(saved, [record], true)],
    ["a refresh of an unconfirmed create, too early", unconfirmed.stillUnconfirmed(saved, [], false)],
    ["a refresh of an unconfirmed create, not there", unconfirmed.stillUnconfirmed(saved, [], true)],
    ["a delete of an unconfirmed create", on(unconfirmed.perhapsThere(saved, { kind: "found", record }))],
    ["the same, unclear", on(unconfirmed.perhapsThere(saved, { kind: "unclear", records: [record] }))],
    ["a delete of an unconfirmed create, too early", on(unconfirmed.forgottenTooEarly(saved))],
    ["a delete of an unconfirmed create, and no list", on(unconfirmed.notForgottenByList(saved, failure))],
    ["the preview of an unconfirmed create", messages.willResolve(label, origin)],
    ["the preview of an adoption", all.willCompareAndAdopt(label, "job-7")],
  ];
}
