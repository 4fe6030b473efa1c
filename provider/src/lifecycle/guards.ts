import { jobToAdopt, whyNotAdopted } from "./adopt.js";
import { isSameId } from "../client/jobMatch.js";
import { isFailure, notSent, type CallFailure, type Reason } from "../client/outcomes.js";
import type { ModeRules } from "../config/index.js";
import { hasUnknown } from "../unknown.js";
import { lastSeen, tooLarge, type Plan, type Step, type StepOf } from "./plan.js";
import { refusalOf } from "./refusals.js";
import { shownAs } from "./resource.js";
import { differsFromAdopted, notProvedGone } from "./texts/allMode.js";
import { isOfOtherAccount } from "./texts/otherAccount.js";
import { adoptsOnlyInAll, notMadeAgain, replacedByOption, type SecondJob } from "./texts/createMode.js";
import * as messages from "./texts/shared.js";
import { unresolved } from "./texts/searched.js";
import { createIsUnconfirmed, staysUnconfirmed } from "./texts/unconfirmed.js";
import { changeIsRefused } from "./texts/refusedChange.js";
import { sourceInUse } from "./texts/sources.js";
import { countsAsDeleted, needsTaint, recordedMeanwhile, replacesUnconfirmed } from "./texts/replacements.js";
import {
  moveOf,
  placeOf,
  repeatedBy,
  secondJobFor,
  sentForOther,
  unconfirmedFor,
  undecidedOf,
} from "./unconfirmed/creates.js";
import { canTellInFlight, inFlightUntil, openOf, settledForMs } from "./unconfirmed/openCreate.js";
import { droppedSecrets } from "./unconfirmed/trace.js";

/**
 * When a guard is asked, in this order.
 * - `check`: in the engine's call of this name, in a preview too. Looks at the declaration, the settings and the stack's
 *   state. Here, a new resource's step is `new` or `adopt`, and every other step is `undecided`.
 * - `compare`: in the engine's call `diff`, in a preview too. Looks at the saved resource.
 * - `start`: before anything is looked up at the service. Looks at the token and the request.
 * - `look`: before deciding what to send. Looks at what the service reports about the job to adopt or to find.
 * - `send`: when only the request is left to send. Looks at what the run's other creates have changed.
 */
export type Moment = "check" | "compare" | "start" | "look" | "send";

interface Row<Kind extends Step["kind"], Known> {
  /** What must hold. */
  readonly name: string;
  readonly at: Moment;
  readonly steps: readonly Kind[];
  /** The modes it applies in. Default: both. */
  readonly modes?: (mode: ModeRules) => boolean;
  /** Whether it compares declared values: in a preview, it is then skipped if any of them is unknown. */
  readonly comparesValues?: true;
  /** Gets what the guard needs to know. If it fails, a preview says so, and `up` refuses. */
  readonly needs: (plan: Plan, step: StepOf<Kind>) => Promise<Known | CallFailure> | Known | CallFailure;
  /** Why the resource is refused; undefined if it is not. A string is a whole text. Depends on its arguments alone. */
  readonly why: (known: Known, plan: Plan, step: StepOf<Kind>) => string | Reason | undefined;
  /** The whole text with which `up` refuses if `needs` fails. Default: that of the failure, worded for the step. */
  readonly whyUnknown?: (failure: CallFailure, plan: Plan, step: StepOf<Kind>) => string | undefined;
}

/** A rule that a resource must pass before the run sends anything for it. */
interface Guard {
  readonly name: string;
  readonly at: Moment;
  readonly steps: readonly Step["kind"][];
  readonly modes: (mode: ModeRules) => boolean;
  /** Why the resource is refused. A {@link CallFailure} if the guard could not get what it needs to know. */
  readonly ask: (plan: Plan) => Promise<Reason | undefined>;
}

const whole = (what: string): Reason => ({ what, fix: undefined, isWhole: true });

function guard<Kind extends Step["kind"], Known>(row: Row<Kind, Known>): Guard {
  const { name, at, steps, modes = () => true, comparesValues, needs, why, whyUnknown } = row;
  const isFor = (step: Step): step is StepOf<Kind> => steps.some((kind) => kind === step.kind);
  const ask = async (plan: Plan): Promise<Reason | undefined> => {
    const { step, client, resource, isPreview } = plan;
    if (!isFor(step) || !modes(client.account.mode)) return undefined;
    if (comparesValues === true && hasUnknown(resource.declared)) return undefined;
    const known = await needs(plan, step);
    if (isFailure(known)) {
      const text = isPreview ? undefined : whyUnknown?.(known, plan, step);
      return text === undefined ? known : { ...known, ...whole(text) };
    }
    const refused = why(known, plan, step);
    return typeof refused === "string" ? whole(refused) : refused;
  };
  return { name, at, steps, modes, ask };
}

const canRead = (mode: ModeRules) => mode.canRead;
const cannotRead = (mode: ModeRules) => !mode.canRead;
const cannotChange = (mode: ModeRules) => !mode.canChange;

/** What the list shows about the creates to look for; the failure if there is no list. */
const searched = async ({ search }: Plan) => {
  const known = await search();
  return known?.found.kind === "failed" ? known.found : known;
};

/** The transitions of a resource whose create is not unconfirmed, apart from the adoption of another job. */
const ofKnownJobs = ["unchanged", "refuse", "record", "change", "decideDuringUp"] as const;

const commandOf = (kind: Step["kind"]) => (kind === "delete" ? "destroy" : "up");

/** What both guards of a source ask that another resource certainly has. */
const oneJob = {
  modes: cannotRead,
  needs: secondJobFor,
  why: (second: SecondJob | undefined, { resource, step }: Plan) =>
    second?.isKnown === true ? notMadeAgain(resource, second, step.kind === "resend") : undefined,
};

/**
 * Every reason to refuse a resource before anything is sent, in the order in which they are asked. Not included: mistakes
 * in the declaration or in a setting, which `check` reports first, and what only the reply to a request can show (the
 * service refuses it, the job to change is gone).
 */
export const guards: readonly Guard[] = [
  guard({
    name: "the token has the subject that the settings name",
    at: "check",
    steps: ["new", "adopt", "undecided"],
    needs: async ({ client }) => (await client.tokens.otherSubject())?.message,
    why: (other) => other,
  }),
  guard({
    name: "no option replaces a job that cannot be deleted",
    at: "check",
    steps: ["new", "adopt"],
    modes: cannotChange,
    needs: ({ details }) => details.isReplacement === true,
    why: (isReplacement) => (isReplacement ? replacedByOption : undefined),
  }),
  guard({
    name: "what matches is adopted only where jobs can be read",
    at: "check",
    steps: ["new"],
    modes: cannotRead,
    needs: ({ shared }) => shared.settings.adoptMatching(),
    why: (isAsked) => (isAsked ? adoptsOnlyInAll : undefined),
  }),
  guard({
    name: "a job is named for one run only as that of an unconfirmed create",
    at: "check",
    steps: ["adopt"],
    needs: async ({ resource, resends, client, ownState }) => {
      const named = resends.jobNamedFor(resource);
      return named === undefined || unconfirmedFor(await ownState(), resource, client).length > 0 ? undefined : named;
    },
    why: (named) => (named === undefined ? undefined : messages.hasNoUnconfirmedCreate(named)),
  }),
  guard({
    name: "no create of the job or of its source is unconfirmed",
    at: "check",
    steps: ["new"],
    modes: cannotRead,
    needs: undecidedOf,
    why: ({ unconfirmed: create, known }, { resource, client }) =>
      create && createIsUnconfirmed(resource, create, placeOf(create, client), known, moveOf(create, client)),
  }),
  guard({ ...oneJob, name: "no other resource of the stack has a job for the source", at: "check", steps: ["new"] }),
  guard({
    name: "a replacement leaves a trace in the state",
    at: "check",
    steps: ["new"],
    needs: ({ inventory, resource }) => inventory.savedRecordOf(resource),
    why: (replaced, { resource, client: { account }, details: { mayReplace } }) => {
      // Where jobs can be read, that is asked when it is known what this run has deleted.
      if (replaced === undefined || (replaced.jobId !== undefined && account.mode.canRead)) return undefined;
      if (replaced.isDropped === true) return replaced.jobId && countsAsDeleted(replaced.jobId, resource);
      // The engine's state is older than the one that was read here.
      if (mayReplace !== true) return recordedMeanwhile(replaced.jobId ?? replaced.id);
      return replaced.jobId === undefined ? replacesUnconfirmed : needsTaint(replaced.urn, replaced.jobId);
    },
  }),
  guard({ ...oneJob, name: "no other resource has a job for a resent source", at: "compare", steps: ["resend"] }),
  guard({
    name: "a job is named for one run only for a resource that has no other one",
    at: "compare",
    steps: ofKnownJobs,
    needs: ({ resource, resends }) => resends.jobNamedFor(resource),
    why: (named, { client }, { saved: { jobId, origin } }) =>
      named === undefined || origin.outcome === "unconfirmed" || isSameId(named, jobId)
        ? undefined
        : messages.hasOtherJob(named, jobId, client.account.mode),
  }),
  guard({
    name: "no other resource has the saved job",
    at: "compare",
    steps: [...ofKnownJobs, "adopt", "resend", "resolve", "stayUnconfirmed"],
    needs: async (plan, { kind, saved }) => {
      const here = saved && plan.holder(saved);
      const mayChange = kind === "change" && plan.client.account.mode.canChange;
      return here ?? (mayChange ? plan.inventory.ownerElsewhere(saved, plan.resource) : undefined);
    },
    why: (other, { resource }, { saved }) => other && saved && messages.heldByOther(saved.jobId, other.label, resource),
  }),
  guard({
    name: "the change can be made",
    at: "compare",
    steps: ["refuse"],
    needs: (_plan, { changes }) => changes,
    why: (changes, { client, resource }, { saved }) =>
      changeIsRefused({ saved, resource, changes, mode: client.account.mode }),
  }),
  guard({
    name: "something resolves the unconfirmed create",
    at: "start",
    steps: ["stayUnconfirmed"],
    needs: async ({ resends, ownState, client }) => resends.known(await ownState(), client),
    why: (known, { client, resource }, { saved, placeChanges }) =>
      staysUnconfirmed(client.account.mode, saved, resource, placeChanges, known),
  }),
  guard({
    name: "a job that nobody can compare is not one that the state had before",
    at: "start",
    steps: ["adopt"],
    modes: cannotRead,
    needs: ({ resource, resends, inventory }, { id }) =>
      resends.jobNamedFor(resource) === id ? inventory.ownerOf(id) : undefined,
    why: (owner, { resource }, { id }) => owner && messages.hadBefore(id, owner, resource),
  }),
  guard({
    name: "a job that nobody can compare is of the source that its create was sent with",
    at: "start",
    steps: ["adopt"],
    modes: cannotRead,
    comparesValues: true,
    needs: sentForOther,
    why: (sent, { resource }, { id }) => sent && messages.isOfOtherSource(id, shownAs(sent, resource)),
  }),
  guard({
    name: "the token has the subject of the stack's jobs",
    at: "start",
    steps: ["new", "adopt", "import"],
    needs: (plan) => plan.subjects(),
    why: (subjects, { resource, client }) => {
      const [other] = subjects === undefined || subjects.known.has(subjects.now) ? [] : subjects.known.values();
      return other && isOfOtherAccount(resource, client.place, { other }, client.tokens.shown());
    },
  }),
  guard({
    name: "the token has the subject that last saw the job",
    at: "start",
    steps: ["change", "resolve", "resend", "refresh", "delete"],
    needs: async ({ client: { tokens }, isPreview }, step) => {
      if (lastSeen(step).subject === undefined) return undefined;
      const error = isPreview ? await tokens.learnSubject() : undefined;
      if (!isPreview) await tokens.get();
      return error === undefined ? tokens.subject : notSent("creates", error);
    },
    why: (subject, { resource, client }, step) => {
      const origin = lastSeen(step);
      if (subject === undefined || subject === origin.subject) return undefined;
      const createUntil = inFlightUntil(openOf(step.saved), client);
      const seen = origin.outcome === "unconfirmed" ? { createUntil } : "itsJob";
      return isOfOtherAccount(resource, origin, seen, client.tokens.shown());
    },
  }),
  guard({
    name: "no create of the same job was unconfirmed before this run",
    at: "start",
    steps: ["new"],
    comparesValues: true,
    needs: ({ inventory, wanted }) => inventory.unconfirmedBefore(wanted()),
    why: (other) => (other === undefined ? undefined : messages.duplicate(other)),
  }),
  guard({
    name: "the request is small enough",
    at: "start",
    steps: ["new", "resend", "change"],
    comparesValues: true,
    needs: ({ wanted }) => wanted().body,
    why: tooLarge,
  }),
  guard({
    name: "no other resource has the job to adopt",
    at: "look",
    steps: ["adopt", "import"],
    needs: ({ otherHolder }) => otherHolder(),
    why: (other, { resource, resends }, { id }) =>
      other &&
      (resends.jobNamedFor(resource) === id ? messages.namedOfOther : messages.heldByOther)(id, other.label, resource),
  }),
  guard({
    name: "the job to adopt is as declared",
    at: "look",
    steps: ["adopt"],
    modes: canRead,
    comparesValues: true,
    needs: jobToAdopt,
    why: (known, { resource }, { id }) => known && whyNotAdopted(resource, id, known),
  }),
  guard({
    name: "it is known what became of the unconfirmed create",
    at: "look",
    steps: ["resolve", "resend", "new", "delete"],
    modes: canRead,
    needs: searched,
    why: (known, { seen }, { kind }) => {
      if (known === undefined || (known.found.kind === "found" && kind !== "delete")) return undefined;
      const { create, found } = known;
      if (found.kind === "none" && found.isSettled) return undefined;
      return unresolved(create, found, commandOf(kind), seen(create));
    },
    whyUnknown: (failure, { sent, seen }, { kind }) => {
      const [create] = sent();
      return create && unresolved(create, failure, commandOf(kind), seen(create));
    },
  }),
  guard({
    name: "the job that is found has no value that only its create knows",
    at: "look",
    steps: ["resolve", "new"],
    comparesValues: true,
    needs: searched,
    why: (known, { resource }) => {
      if (known?.found.kind !== "found") return undefined;
      const dropped = droppedSecrets(known.found.record.job, known.create, resource);
      return dropped.length > 0 ? differsFromAdopted(known.found.record.job.id, dropped, []) : undefined;
    },
  }),
  guard({
    name: "the token can prove that the unconfirmed create made no job",
    at: "look",
    steps: ["new", "resolve", "resend", "delete"],
    modes: canRead,
    needs: searched,
    why: (known, { client: { tokens } }, { kind }) =>
      known?.found.kind === "none" && known.create.origin.subject !== undefined && tokens.subject === undefined
        ? notProvedGone(known.create, kind !== "new")
        : undefined,
  }),
  guard({
    name: "no create of the same job has become unconfirmed in this run",
    at: "send",
    steps: ["new", "resend"],
    comparesValues: true,
    needs: ({ inventory, wanted }) => inventory.unconfirmedDuplicateOf(wanted()),
    why: (other) => (other === undefined ? undefined : messages.duplicate(other)),
  }),
  guard({
    name: "no other job has the source",
    at: "send",
    steps: ["new", "resend", "change"],
    modes: canRead,
    needs: ({ sourceUse }) => sourceUse(),
    why: (use, { resource, inventory, isPreview, details }, step) => {
      // This run replaces the job, but a preview does not delete it.
      const isToDelete = use?.kind === "own" && step.kind === "new" && details.isDeletedFirst !== false;
      const mayMove = use?.kind === "held" && inventory.mayMove(use.id);
      const mayBeOwn = use?.kind === "taken" && use.mayBeOwn;
      if (use === undefined || (isPreview && (isToDelete || mayMove || mayBeOwn))) return undefined;
      if (use.kind === "own" && use.isUnmarked && step.kind === "new" && details.mayReplace !== true)
        return recordedMeanwhile(use.id);
      return sourceInUse(use, resource, step.kind);
    },
  }),
  guard({
    name: "the unconfirmed create can no longer be in flight",
    at: "send",
    steps: ["new", "resend", "change"],
    needs: repeatedBy,
    why: (open, { client, isPreview, resource, resends }, { kind }) => {
      if (open === undefined || settledForMs(open.create, client) >= 0) return undefined;
      // A preview in mode `create` sends nothing, so it may not know the service's time.
      if (isPreview && !canTellInFlight(open.create, client)) return undefined;
      const again = kind === "resend" || !client.account.mode.canRead;
      return messages.stillInFlight(
        resource,
        resends.isPreview ? open.other && { ...open.other, isPending: false } : open.other,
        inFlightUntil(open.create, client),
        again && !resends.isPreview ? open.savedAt : undefined,
      );
    },
  }),
];

/**
 * Why the first guard that the resource does not pass refuses it; undefined if it passes all guards of these moments. A
 * preview asks the same guards as `up`, but goes on after one that cannot get what it needs to know: the preview may lack
 * a token that `up` has.
 */
export async function whyRefused(plan: Plan, ...moments: readonly Moment[]): Promise<Reason | undefined> {
  let unknown: Reason | undefined;
  for (const { at, ask } of guards) {
    const why = moments.includes(at) ? await ask(plan) : undefined;
    if (why === undefined) continue;
    if (plan.isPreview && isFailure(why)) {
      unknown ??= why;
      continue;
    }
    return why;
  }
  return unknown;
}

/** @throws Refusal if the resource does not pass all guards of these moments. */
export async function passGuards(plan: Plan, ...moments: readonly Moment[]): Promise<void> {
  const why = await whyRefused(plan, ...moments);
  if (why !== undefined) throw refusalOf(plan, why);
}
