import { isNotSeen, isOfOtherAccount } from "../../provider/src/lifecycle/texts/otherAccount.js";
import * as all from "../../provider/src/lifecycle/texts/allMode.js";
import * as sources from "../../provider/src/lifecycle/texts/sources.js";
import * as resends from "../../provider/src/lifecycle/texts/resends.js";
import type { Reason } from "../../provider/src/client/outcomes.js";
import * as searched from "../../provider/src/lifecycle/texts/searched.js";
import * as unconfirmed from "../../provider/src/lifecycle/texts/unconfirmed.js";
import * as replacements from "../../provider/src/lifecycle/texts/replacements.js";
import * as unrecorded from "../../provider/src/lifecycle/texts/unrecorded.js";
import { modes, stackConfiguration, type ConfigWords } from "../../provider/src/config/index.js";
import { cachingJob, scheduledQueryJob } from "../../provider/src/jobs/index.js";
import * as create from "../../provider/src/lifecycle/texts/createMode.js";
import { linesFor } from "../../provider/src/lifecycle/foresee.js";
import { otherSubject } from "../../provider/src/lifecycle/transitions.js";
import { notSent } from "../../provider/src/client/outcomes.js";
import type { OwnState, UnconfirmedCreate } from "../../provider/src/lifecycle/ownState.js";
import { changeIsRefused } from "../../provider/src/lifecycle/texts/refusedChange.js";
import * as messages from "../../provider/src/lifecycle/texts/shared.js";
import { SentJob } from "../../provider/src/lifecycle/sentJob.js";
import type { Origin, SavedResource } from "../../provider/src/lifecycle/resource.js";
import { unknownValue } from "../../provider/src/unknown.js";
import { declaration } from "../support/declaration.js";

const origin: Origin = {
  outcome: "created",
  baseUrl: "https://jobs.example.com",
  account: "eu",
  at: "2026-11-01T12:00:00.000Z",
};
const unconfirmedOrigin: Origin = { ...origin, outcome: "unconfirmed" };
const label = 'CachingJob "orders"';
const other = 'CachingJob "items"';
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
const sentFor = (sourceTable: string): SentJob =>
  new SentJob(cachingJob, { ...declaration, params: { ...declaration.params, sourceTable } }, () => true);
const killed: UnconfirmedCreate = {
  ...{ urn: "urn:items", label: 'CachingJob "items"', kind: cachingJob, isOfProvider: true },
  ...{ id: undefined, sent: sentFor("ITEMS") },
  ...{ trace: "pending", from: undefined, to: undefined, sign: undefined },
  ...{ why: "killedRun", at: origin.at, isAtOrBefore: true, isPending: true, firstAt: undefined },
};
const hidden = new SentJob(cachingJob, { ...declaration, params: unknownValue }, (member) => member !== "params");
const lost: UnconfirmedCreate = { ...killed, id: "unconfirmed-1", why: "lostReply", isAtOrBefore: false };
const ownStateWith = (...unconfirmed: UnconfirmedCreate[]): OwnState => ({
  ...{ jobs: [], unconfirmed, unconfirmedChanges: [] },
  savedAt: Date.parse("2026-11-01T12:34:56Z"),
});
const until = "2026-11-01T12:02:00.000Z";
const seen = { mayRun: false, isPreview: false, until } as const;
const settled = { mayRun: false, isPreview: false, until: undefined } as const;
const inUp = { mayRun: () => false, isPreview: false, adopts: undefined, until: () => until };
const alone = { ...inUp, state: undefined, resendBefore: undefined };
const inPreview = { ...alone, mayRun: () => true, isPreview: true };
const own: UnconfirmedCreate = { ...killed, sent: sentFor("OLD_ORDERS"), urn: "urn:orders", isAtOrBefore: false };
const usedAgain = {
  ...inUp,
  state: ownStateWith(own, lost),
  resendBefore: { "urn:orders": Date.parse(origin.at) },
};
const resent = { ...lost, id, firstAt: "2026-10-31T12:00:00.000Z" };
const resource = { ...savedIn(stackConfiguration), urn: "urn:orders" };
const what = "POST /api/job/create failed: the connection broke before a reply came (ECONNRESET).";
const failure = { what: "GET /api/job/list failed with HTTP 503: busy (5 tries).", fix: "Run pulumi up again later." };
const table = { path: "params.sourceTable", was: '"ORDERS"', now: '"ITEMS"' };
const changes = [{ path: "intervalValue", was: "4", now: "6" }, table, { path: "additionalParams.key" }];
const inOtherForm = [{ path: "params.sourceTable", was: '"R&amp;D"', now: '"R&D"', form: "escaped characters" }];
const elsewhere = { baseUrl: "https://new.example.com", baseUrlFrom: "DATA_CONNECTIVITY_BASE_URL" };
const moves = [{ path: "baseUrl", was: "https://jobs.example.com", now: "https://new.example.com" }];
const successor = [{ path: "existingJobId", was: "job-1", now: "job-2" }];
const job = { id: "job-7", intervalUnit: "Hour", intervalValue: 4, created: "2026-10-01T08:00:00.0000000Z" };
const record = { job, jobType: "Caching", unreadable: [] };
const aliases = { own: '[{ name: "items" }]', component: '[{ name: "sales" }]' };
const second = { holder: other, urn: "urn:items", id: "job-7", isKnown: true, aliases };
const unresolvedSearches = [
  { kind: "unclear", records: [record] },
  { kind: "none", isSettled: false },
] as const;
const noList = notSent("request", failure);
const updates = [
  { kind: "stayUnconfirmed", placeChanges: [] },
  { kind: "resend" },
  { kind: "decideDuringUp", unknown: ["params"] },
  { kind: "adopt", id: "job-1" },
] as const;
const refused = {
  kind: "failed",
  cause: "refused",
  ends: "request",
  what: "POST /api/job/create failed with HTTP 403: not allowed.",
  fix: "The token from DATA_CONNECTIVITY_TOKEN is not allowed to do this. Set a working token: export DATA_CONNECTIVITY_TOKEN=<token>",
} as const;

const refusedBy = (request: string) => ({ ...refused, what: `${request} failed with HTTP 403: not allowed.` });

/** A message as it is thrown. */
const on = (why: string | Reason): string => `${label}: ${typeof why === "string" ? why : messages.textOf(why)}`;

export function ofTheLifecycle(words = stackConfiguration): string[] {
  const saved = savedIn(words);
  const becameUnconfirmed = (text: string) =>
    messages.becameUnconfirmed(label, id, text, searched.waysToResolve(modes.create, saved, origin, until));
  const inCreate = { saved, resource: saved, mode: modes.create };
  const dated = (changedAtService: string) => ({ ...saved, declared: { ...saved.declared, changedAtService } });
  const reverted = { saved: dated("2026-11-02"), resource: dated("2026-11-01") };
  return [
    on(changeIsRefused({ ...inCreate, changes })),
    on(changeIsRefused({ ...inCreate, changes, ...reverted })),
    on(changeIsRefused({ ...inCreate, changes: moves })),
    on(changeIsRefused({ ...inCreate, changes: successor })),
    becameUnconfirmed(what),
    on(
      unconfirmed.staysUnconfirmed(
        modes.create,
        { ...saved, isPlain: (member) => member !== "params" },
        resource,
        [],
        alone,
      ),
    ),
    on(
      unconfirmed.staysUnconfirmed(modes.create, saved, resource, moves, {
        state: ownStateWith(resent, { ...lost, why: "killedRun", firstAt: origin.at }),
        resendBefore: undefined,
        ...inUp,
      }),
    ),
    on(messages.resendRefused(saved, refused, searched.waysToResolve(modes.create, saved, origin, undefined))),
    on(messages.notCreated(notSent("request", messages.duplicate('CachingJob "items"')))),
    on(messages.notCreated(notSent("request", messages.requestTooLarge(1024 * 1024)))),
    on(messages.notCreated(notSent("request", messages.waitedTooLong))),
    on(unconfirmed.createIsUnconfirmed(resource, killed, origin, alone)),
    on(unconfirmed.createIsUnconfirmed(resource, killed, origin, inPreview)),
    on(unconfirmed.createIsUnconfirmed(resource, { ...killed, otherStack: "dev (project orders)" }, origin, alone)),
    on(messages.notCreated(notSent("request", messages.stillInFlight(resource, undefined, until, 0)))),
    on(
      messages.notCreated(
        notSent(
          "request",
          messages.stillInFlight(resource, { label: 'CachingJob "items"', isPending: true, isAlone: true }, until, 0),
        ),
      ),
    ),
    unconfirmed.willBeRecorded(label, "its create"),
    unrecorded.leavesUnrecorded([killed], "delete"),
    unrecorded.leavesUnrecorded([killed], "read"),
    unrecorded.leavesUnrecorded([killed], "adopt"),
    unrecorded.clearedPending([killed]),
    unrecorded.clearedPending([]),
    on(unconfirmed.createIsUnconfirmed(resource, own, origin, usedAgain)),
    on(
      unconfirmed
        .createIsUnconfirmed(resource, { ...own, sent: hidden }, origin, usedAgain)
        .once?.again('CachingJob "items"') ?? "",
    ),
    on(unconfirmed.createIsUnconfirmed(resource, { ...killed, sent: hidden }, origin, inPreview)),
    on(unconfirmed.createIsUnconfirmed(resource, own, origin, alone, [{ path: "account", was: "eu", now: "us" }])),
    on(messages.isOfOtherSource("job-1", own.sent.described)),
    on(messages.hadBefore("job-1", { ...own, label }, own)),
    on(messages.namedOfOther("job-1", other, saved)),
    on(messages.hasOtherJob("job-1", "job-7", modes.create)),
    resends.isResent(label, killed),
    resends.waitsUntil(Date.parse(origin.at)),
    resends.tooFarAhead(Date.parse("9999-01-01T00:00:00Z"), Date.parse(origin.at)).message,
    on(sentence(replacements.replacesUnconfirmed)),
    on(replacements.needsTaint("urn:pulumi:test::project::…::orders", "job-1")),
    ...updates.flatMap((next) => linesFor(next, { origin }, { label }, { mode: modes.create })),
    messages.wasResent(label, origin, saved.job),
    messages.willRecordOnly(label),
    messages.unconfirmedByHook(label),
    create.makesSecondJob(label, second),
    on(create.notMadeAgain(saved, second)),
    on(create.notMadeAgain(saved, second, true)),
    messages.willAdopt(modes.create, label, "job-2"),
    on(create.adoptsOnlyInAll),
    on(create.cannotDelete(saved).what),
    on(create.cannotDelete(saved).once?.again(other) ?? ""),
    unrecorded.unconfirmedForgotten(saved),
    create.nothingToRead,
    on(create.cannotRead(words, "job-7", "imported")),
    on(create.cannotRead(words, "job-7", "read")),
    `CachingJob: ${create.cannotList(words)}`,
    on(messages.notOurState(saved)),
    messages.settingsOfLastUp,
    on(messages.unknownInCreate),
  ];
}

const sentence = ({ what: text, fix }: { readonly what: string; readonly fix: string | undefined }): string =>
  `${text} No job was created: the create was not sent. ${fix ?? ""}`.trimEnd();

export function ofTheLifecycleWithAll(words = stackConfiguration): string[] {
  const saved = savedIn(words);
  const renamedFrom = {
    kind: "beingTaken",
    label: 'CachingJob "items"',
    urn: "urn:pulumi:test::project::type::items",
  } as const;
  const shown = `${words.name(["token"])} (issuer parent-1, subject sub-2)`;
  const inAll = { saved, resource: saved, mode: modes.all };
  return [
    ...[
      { kind: "taken", records: [record], mayBeOwn: false } as const,
      {
        kind: "taken",
        records: [record, { ...record, job: { ...record.job, id: "job-8" } }],
        mayBeOwn: false,
      } as const,
      { kind: "own", id: "job-7", isUnmarked: false } as const,
    ].map((use) => on(sentence(sources.sourceInUse(use, resource, "new")))),
    on(
      sentence(
        sources.sourceInUse(
          { kind: "held", id: "job-7", label: 'CachingJob "items"', urn: undefined, isMoved: true },
          resource,
          "new",
        ),
      ),
    ),
    on(sentence(sources.sourceIsHeld('CachingJob "items"', "job-7", resource, undefined, "new"))),
    on(sentence(sources.sourceIsHeld('CachingJob "items"', "job-7", resource, aliases, "new"))),
    on(
      messages.resendRefused(
        saved,
        notSent("request", sources.sourceIsHeld('CachingJob "items"', "job-7", resource, aliases, "resend")),
        [],
      ),
    ),
    on(
      all.notDone("changed", "job-1", sources.sourceIsHeld('CachingJob "items"', "job-7", resource, aliases, "change")),
    ),
    ...[[], [record]].map((notAsked) =>
      on(
        sentence(
          sources.sourceInUse({ kind: "unreported", records: [record], isReported: false, notAsked }, resource, "new"),
        ),
      ),
    ),
    on(sentence(sources.sourceInUse({ kind: "otherForm", record, differences: inOtherForm }, resource, "new"))),
    on(
      all.notDone(
        "changed",
        "job-1",
        sources.sourceInUse({ kind: "otherForm", record, differences: inOtherForm }, resource, "change"),
      ),
    ),
    on(all.notRefreshed(all.listLacksJobs)),
    on(messages.notCreated(notSent("request", sources.sourceInUse({ kind: "unlisted" }, resource, "new")))),
    ...sources.mayBeNamed(resource, "job-7", inOtherForm),
    all.stateIsUnknown(label, "job-7"),
    on(all.isNamed("job-7", 'CachingJob "items"')),
    on(all.isNamed("job-7", undefined)),
    on(
      sentence(
        sources.sourceInUse({ kind: "beingTaken", label: 'CachingJob "items"', urn: undefined }, resource, "new"),
      ),
    ),
    on(
      sentence(sources.sourceInUse(renamedFrom, { ...resource, urn: "urn:pulumi:test::project::type::orders" }, "new")),
    ),
    on(messages.heldByOther("job-7", 'CachingJob "items"', resource)),
    on(messages.noSuchJob("job-7", "adopted")),
    on(all.notDone("adopted", "job-7", failure)),
    on(all.otherType(cachingJob, "job-7", "ScheduledQuery")),
    on(all.differsFromAdopted("job-7", [], ["sourceTable"])),
    on(all.differsFromAdopted("job-7", changes, ["timeCheckColumn"])),
    on(messages.noSuchJob("job-7", "imported")),
    on(messages.isManaged("job-7")),
    on(messages.isManaged(undefined)),
    on(all.notDone("imported", "job-7", failure)),
    on(all.cannotBeDeclared("job-7", "imported", 'its value of "enabled" cannot be read.')),
    on(all.namedAsOtherType("job-7", "imported", scheduledQueryJob, cachingJob)),
    on(changeIsRefused({ ...inAll, changes: moves })),
    on(changeIsRefused({ ...inAll, changes: [{ path: "account", ...otherSubject, from: "the token" }] })),
    on(changeIsRefused({ ...inAll, changes: successor })),
    on(all.isElsewhere(saved, elsewhere, undefined)),
    on(all.isElsewhere({ ...saved, origin: unconfirmedOrigin }, elsewhere, until)),
    ...([{ other }, "itsJob", { createUntil: until }] as const).flatMap((seen) => {
      const { what, once } = isOfOtherAccount(saved, origin, seen, shown);
      return [on(what), on(once?.again(other) ?? "")];
    }),
    on(isNotSeen(saved, shown)),
    on(all.nothingToChange("job-1")),
    on(all.notDone("changed", "job-1", refusedBy("PUT /api/job/job-1/update"))),
    on(all.perhapsChanged("job-1", failure, false)),
    on(all.perhapsChanged("job-1", failure, true)),
    on(all.isOtherJob(saved, { kind: "other", differs: "kind", record: { ...record, jobType: "ScheduledQuery" } })),
    on(all.isOtherJob(saved, { kind: "other", differs: "source", record })),
    on(all.notDone("deleted", "job-1", refusedBy("DELETE /api/job/job-1/delete"))),
    on(all.perhapsDeleted("job-1", failure)),
    all.leftTo('CachingJob "items"', "has", label, "job-1"),
    all.leftTo('CachingJob "items"', "reads", label, "job-1"),
    on(all.notRefreshed(failure)),
    `CachingJob: ${all.notListed(failure)}`,
    `CachingJob: ${all.leftOutOfList([record])}`,
    all.foundByList(label, "job-7"),
    on(unconfirmed.staysUnconfirmed(modes.all, saved, resource, moves, alone)),
    ...[alone, inPreview].map((known) =>
      on(unconfirmed.staysUnconfirmed(modes.all, { ...saved, id: messages.notInState }, resource, moves, known)),
    ),
    on(searched.unresolved(saved, { kind: "none", isSettled: true }, "refresh", settled)),
    ...(["up", "refresh", "destroy"] as const).flatMap((command) =>
      unresolvedSearches.map((found) => on(searched.unresolved(saved, found, command, seen))),
    ),
    on(searched.unresolved(saved, { kind: "found", record }, "destroy", settled)),
    on(searched.unresolved(saved, noList, "up", seen)),
    on(searched.unresolved(saved, noList, "destroy", seen)),
    on(
      searched.unresolved(saved, { kind: "none", isSettled: false }, "up", {
        ...seen,
        mayRun: true,
        isPreview: true,
      }),
    ),
    messages.becameUnconfirmed(
      label,
      id,
      "a run was killed in its create.",
      searched.waysAfterSearch(
        { ...saved, origin: { ...unconfirmedOrigin, isAtOrBefore: true } },
        { kind: "none", isSettled: false },
        until,
        { now: resource, others: [saved] },
      ),
    ),
    ...linesFor({ kind: "resolve" }, { origin }, { label }, { mode: modes.all }),
    all.foundByList(label, "job-7", true),
    all.killedRunMadeNone(label, unconfirmed.sentText(killed)),
    all.killedInChange(label, origin.at, false),
    all.killedInChange(label, origin.at, true),
    messages.willAdopt(modes.all, label, "job-7"),
  ];
}
