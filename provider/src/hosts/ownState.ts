import type { Report } from "../finding.js";
import { canonicalJson, isObject, membersOf } from "../json.js";
import { instantOf } from "../dateTime.js";
import { loadAxios } from "../client/http.js";
import { leastInFlightMs } from "../client/send.js";
import { typeIn } from "../lifecycle/aliases.js";
import { openOfNote, openOfPending, openOfRecord } from "../lifecycle/unconfirmed/openCreate.js";
import {
  isSentTo,
  isUnmarked,
  type OwnState,
  type ReadOwnState,
  type StateJob,
  type UnconfirmedCreate,
} from "../lifecycle/ownState.js";
import { declaredMembers, isStandIn, readState } from "../lifecycle/resource.js";
import { SentJob } from "../lifecycle/sentJob.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { resourceLabel } from "../sentences.js";
import { CliError, printedJson } from "./cliOutput.js";
import { kindOfType, nameIn, stackNamesIn, stackOf } from "./engineNames.js";
import type { FirstReading, Reading } from "./firstReading.js";
import type { EarlierNote, ReadableNotes } from "./createNotes.js";
import { plainIn, unmarshal } from "./protocolValues.js";
import { isDefaultProvider } from "./providerConfig.js";
import { stackOfCli, type ExportStack, type StackOfCli } from "./stackExport.js";

/** What a provider process knows about the run's stack. */
export interface RunStack {
  /** A URN of the stack, which names the stack and its project. */
  readonly urn: string;
  /** The stack's organization at the backend; undefined if the host does not know it. */
  readonly organization: string | undefined;
  /** The provider that this process serves: `default` or a provider's URN. Undefined if not known. */
  readonly provider: string | undefined;
}

/** The run's stack, if only one of its resources identifies it. `id`: an id that no other stack has. */
interface StackOfResource extends Partial<Record<keyof RunStack, undefined>> {
  readonly id: string;
}

/** What a reader needs from its process. */
interface ReaderOptions {
  /** Undefined if no engine started this process, so that there is no state. */
  readonly exportStack: ExportStack | undefined;
  readonly report: Report;
  /** Default: asks the CLI that started this process. */
  readonly stackOfCli?: () => StackOfCli | undefined;
  /** This machine's notes about creates that were in flight when their process ended. */
  readonly createNotes?: Pick<ReadableNotes, "ofEarlierRuns" | "remove"> | undefined;
  /** What the first process of the run read. Default: this process is the only one. */
  readonly firstReading?: FirstReading | undefined;
}

const alone: FirstReading = (mine) => mine;

/** Reads the state of the run's own stack, once, or once more when it is known better which stack that is. */
export class OwnStateReader {
  /** Set by the host as soon as it knows the run's stack. */
  stack: RunStack | StackOfResource | undefined;
  private answer:
    { readonly on: RunStack | StackOfResource; readonly state: Promise<OwnState | undefined> } | undefined;

  constructor(private readonly options: ReaderOptions) {}

  readonly read: ReadOwnState = async () => {
    const { stack } = this;
    const { exportStack } = this.options;
    if (exportStack === undefined || stack === undefined) return undefined;
    // A refresh knows only a resource of it, which may be asked of the wrong stack, and not the provider.
    const isBetterKnown = stack.urn !== undefined && this.answer?.on.urn === undefined;
    if (this.answer === undefined || isBetterKnown) this.answer = { on: stack, state: this.ask(exportStack, stack) };
    return this.answer.state;
  };

  private async ask(exportStack: ExportStack, stack: RunStack | StackOfResource): Promise<OwnState | undefined> {
    const { report, createNotes, firstReading = alone, stackOfCli: ofCli = stackOfCli } = this.options;
    let why: string | undefined;
    let unread: OwnState["unread"] = "unreadable";
    for (const { name, isCertain } of asked(stack, ofCli())) {
      try {
        const exporting = exportStack(name);
        // The first create needs it next. Meanwhile the CLI works in a process of its own.
        loadAxios();
        const deployment = deploymentOf(await exporting, stack, isCertain);
        if (deployment === undefined) continue;
        // Read the notes after the state: a create that ends in between is in the state, or still has its note.
        const [settled, notes] = notesBeside(deployment, createNotes?.ofEarlierRuns() ?? []);
        for (const note of settled) createNotes?.remove(note);
        const state = ownStateIn(deployment, stack.provider, firstReading(readingOf(deployment)), {
          notes,
          ...(stack.urn !== undefined && { ofStack: stackOf(stack.urn) }),
        });
        const hidden = hiddenOrigin(deployment);
        if (hidden === undefined) return state;
        report({
          severity: "warning",
          text: `The stack's state does not show which job ${hidden} has, because its origin is a secret there. Take it out of additionalSecretOutputs. Until a pulumi up has saved that, no job is adopted by its source.`,
        });
        return { ...state, unread };
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
        report({ severity: "debug", text: why });
        if (!(error instanceof CliError && error.isMissing)) continue;
        unread = "noCli";
        break;
      }
    }
    report({
      severity: "warning",
      text: `The stack's state cannot be read, so this run does not know which creates earlier runs left unconfirmed, nor the jobs of the stack's other providers: ${why ?? "pulumi stack export shows another stack."}`,
    });
    // If nothing identifies the stack, the CLI may have been asked for another one.
    if (stack.urn === undefined && why === undefined) return undefined;
    const beside =
      stack.urn === undefined ? undefined : { notes: createNotes?.ofEarlierRuns() ?? [], ofStack: stackOf(stack.urn) };
    return { ...ownStateIn({}, stack.provider, readingOf({}), beside), unread };
  }
}

/** A stack name to try. `isCertain`: whether even an empty state under this name is the run's. */
interface Asked extends StackOfCli {
  readonly isCertain: boolean;
}

/** The most certain first. Without a name, the CLI takes the selected stack, which is usually the run's. */
function asked({ urn, organization }: RunStack | StackOfResource, ofCli: StackOfCli | undefined): readonly Asked[] {
  const chosen = ofCli === undefined ? { name: undefined, isCertain: false } : { ...ofCli, isCertain: true };
  if (urn === undefined) return [chosen];
  const { stack, project } = stackNamesIn(urn);
  return organization === undefined
    ? [chosen, { name: stack, isCertain: true }]
    : [{ name: `${organization}/${project}/${stack}`, isCertain: true }, chosen];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The state in an export; undefined if it is another stack's. `isCertain`: whether an empty state is the stack's.
 * @throws CliError if the text is not an export.
 */
function deploymentOf(text: string, stack: RunStack | StackOfResource, isCertain: boolean): Members | undefined {
  const { deployment } = membersOf(printedJson("stack export", text));
  if (!isObject(deployment)) throw new CliError('what pulumi stack export printed has no "deployment".');
  const resources = objectsOf(deployment["resources"]);
  if ("id" in stack) return resources.some(({ id }) => id === stack.id) ? deployment : undefined;
  const pending = pendingOperationsIn(deployment).map(({ resource }) => resource);
  const urns = [...resources, ...pending].map(({ urn }) => stackOf(urn));
  const isStack = urns.length === 0 ? isCertain : urns.every((urn) => urn === stackOf(stack.urn));
  return isStack ? deployment : undefined;
}

/** A resource of this package whose origin the state hides, by its label. */
function hiddenOrigin(deployment: Members): string | undefined {
  const hidesOrigin = ({ type, outputs }: Members) =>
    kindOfType(type) !== undefined && hasUnknown(unmarshal({ origin: membersOf(outputs)["origin"] }).values);
  const hidden = objectsOf(deployment["resources"]).find(hidesOrigin);
  return hidden && resourceIn(hidden)?.label;
}

export const objectsOf = (value: unknown) => (Array.isArray(value) ? value.map(membersOf) : []);

/** The engine's pending operations. */
export const pendingOperationsIn = (deployment: Members) =>
  objectsOf(deployment["pending_operations"]).map(({ type, resource }) => ({ type, resource: membersOf(resource) }));

const savedAtIn = (deployment: Members): number | undefined =>
  instantOf(String(membersOf(deployment["manifest"])["time"]));

export function readingOf(deployment: Members): Reading {
  const pending = pendingOperationsIn(deployment).map(
    ({ type, resource }) => `${String(type)} ${String(resource["urn"])}`,
  );
  return { savedAt: savedAtIn(deployment), pendingOperations: pending };
}

/** The notes of this folder, beside a state. `ofStack`: the stack, as `stackOf` returns it; default: that of the state. */
interface Notes {
  readonly notes: readonly EarlierNote[];
  readonly ofStack?: string;
}

/** What a state shows. `before`: the pending operations, and when the state was last written, before this run. */
export function ownStateIn(
  deployment: Members,
  provider: RunStack["provider"],
  before: Reading,
  { notes, ofStack = stackOf(objectsOf(deployment["resources"])[0]?.["urn"]) }: Notes = { notes: [] },
): OwnState {
  const jobs = jobsIn(deployment, provider);
  const pending = pendingOperationsIn(deployment).filter(({ type, resource }) =>
    before.pendingOperations.includes(`${String(type)} ${String(resource["urn"])}`),
  );
  const { savedAt } = before;
  return {
    jobs,
    unconfirmed: unconfirmedIn({ jobs, pending, notes: newestOf(notes), ofStack, provider, savedAt }),
    unconfirmedChanges: pending.flatMap(({ type, resource }) => {
      const named = type === "updating" && savedAt !== undefined ? resourceIn(resource) : undefined;
      const own = jobs.find(({ urn, jobId }) => jobId !== undefined && isOf(resource, urn));
      if (named === undefined || own === undefined) return [];
      const at = new Date(savedAt ?? 0).toISOString();
      // An alias may have renamed it: a refresh still knows it under its old name.
      return [...new Set([own.urn, named.urn])].map((urn) => ({ urn, sent: named.sent, at }));
    }),
    savedAt,
  };
}

const jobsIn = (deployment: Members, provider?: RunStack["provider"]) =>
  objectsOf(deployment["resources"]).flatMap((resource) => jobIn(resource, provider) ?? []);

/** The newest note of each resource in each account: a stack at another backend may have the same URN. */
const newestOf = (notes: readonly EarlierNote[]): readonly EarlierNote[] => {
  const ordered = [...notes].sort((one, other) => one.sentMs - other.sentMs);
  return [
    ...new Map(ordered.map((note) => [canonicalJson([note.urn, note.baseUrl, note.subject ?? null]), note])).values(),
  ];
};

/** Divides the notes into those whose create, or a later one, the state records, and the others. */
function notesBeside(deployment: Members, notes: readonly EarlierNote[]) {
  const jobs = notes.length === 0 ? [] : jobsIn(deployment);
  const isSettled = (note: EarlierNote) => {
    const noted = resourceNoted(note);
    return jobs.some((job) => {
      const { urn, origin, jobId } = job;
      // A create is recorded in the service's time, an adoption in that of a machine.
      const since = origin.outcome === "adopted" ? note.sentMs : Date.parse(note.at);
      const isSamePlace = isSentTo(note, origin);
      // What a run records of a killed create is later than each note, whatever they are of. An adoption is dated by a
      // machine that nobody checks: of a record that is being replaced, it shows nothing.
      const isOwn =
        urn === note.urn &&
        isSamePlace &&
        (origin.outcome !== "adopted" || isUnmarked(job)) &&
        (jobId !== undefined || noted === undefined || job.sent.mayShareSource(noted.sent));
      // The user may have resolved it under another name, but not before it could no longer be in flight: what was created
      // sooner was sent beside it.
      const isLater =
        origin.outcome === "adopted" || Date.parse(origin.at) - since > (note.flightMs ?? leastInFlightMs);
      const isRenamed =
        isLater &&
        noted?.sent.source !== undefined &&
        jobId !== undefined &&
        stackOf(urn) === stackOf(note.urn) &&
        note.subject !== undefined &&
        origin.subject !== undefined &&
        isSamePlace &&
        noted.kind === job.kind &&
        noted.sent.source === job.sent.source;
      return (isOwn || isRenamed) && Date.parse(origin.at) >= since;
    });
  };
  return [notes.filter(isSettled), notes.filter((note) => !isSettled(note))] as const;
}

/** A pending operation of a state that was written so much later than a note is of another create. */
const longestBesideMs = 24 * 3_600_000;

interface Traces {
  readonly jobs: readonly StateJob[];
  readonly pending: ReturnType<typeof pendingOperationsIn>;
  readonly notes: readonly EarlierNote[];
  readonly ofStack: string;
  readonly provider: RunStack["provider"];
  readonly savedAt: number | undefined;
}

/** Each create without a known outcome, from the stack's own records, the engine's pending operations and the notes. */
function unconfirmedIn({ jobs, pending, notes, ofStack, provider, savedAt }: Traces): readonly UnconfirmedCreate[] {
  const ofPending = {
    ...({ trace: "pending", why: "killedRun", isAtOrBefore: true } as const),
    at: new Date(savedAt ?? Date.now()).toISOString(),
    ...openOfPending(savedAt),
  };
  const told = new Set<EarlierNote>();
  const isOutdated = ({ sentMs }: EarlierNote) => (savedAt ?? Infinity) - sentMs > longestBesideMs;
  const saved = jobs.flatMap((job): UnconfirmedCreate[] => {
    const { id, origin, urn, isReplaced } = job;
    if (origin.outcome !== "unconfirmed" || isReplaced === true) return [];
    const { at, firstAt, isAtOrBefore, namedId } = origin;
    const record = openOfRecord(origin);
    const known = { ...job, id, isPending: false, firstAt: firstAt ?? at, namedId, place: origin };
    const note = notes.find((one) => one.urn === urn && isSentTo(one, origin));
    const noted = note && resourceNoted(note);
    const resend = pending.find(({ type, resource }) => type === "updating" && isOf(resource, urn));
    // An earlier note is about another create than the record.
    const isLater = note !== undefined && Date.parse(note.at) > Date.parse(at);
    if (isLater && noted !== undefined && !(resend !== undefined && isOutdated(note))) {
      // It was sent, so there was proof, or the user's word, that the create before it made no job.
      told.add(note);
      const { sent } = noted;
      const from = job.sent.mayShareSource(sent) ? record.from : note.at;
      return [{ ...known, sent, ...ofNote(note), ...openOfNote(note, from) }];
    }
    const perhaps = resend && !isAdoption(resend.resource) ? resourceIn(resend.resource, provider) : undefined;
    if (perhaps !== undefined) {
      // The engine notes it before anything is looked up, so it may not have been sent.
      const newest = { ...known, ...ofPending, from: record.from };
      if (job.sent.mayShareSource(perhaps.sent)) return [{ ...newest, sent: perhaps.sent }];
      return [newest, { ...perhaps, ...ofPending, id: undefined, isPending: false, firstAt: undefined }];
    }
    const why = isAtOrBefore === true ? "killedRun" : "lostReply";
    return [{ ...known, ...record, trace: "record", why, at, firstAt, isAtOrBefore: isAtOrBefore === true }];
  });
  // If the state has the resource, its create was recorded later, unless the killed run was about to replace it: the state
  // then marks it, or has it with another source.
  const isRecorded = ({ urn, sent }: Pick<UnconfirmedCreate, "urn" | "sent">) =>
    jobs.some((job) => {
      if (job.urn !== urn || !isUnmarked(job)) return false;
      if (job.jobId === undefined) return job.sent.mayShareSource(sent);
      const [own, its] = [job.sent.account, sent.account];
      const isSame = sent.source === undefined ? job.sent.mayShareSource(sent) : sent.source === job.sent.source;
      return isSame && (own === undefined || its === undefined || own === its);
    });
  const begun = pending.flatMap(({ type, resource }): UnconfirmedCreate[] => {
    const named = type === "creating" && !isAdoption(resource) ? resourceIn(resource, provider) : undefined;
    if (named === undefined) return [];
    // The engine keeps a pending create until somebody clears it. The note may be of a later one.
    const isOfNote = (one: EarlierNote) =>
      one.urn === named.urn && !isOutdated(one) && resourceNoted(one)?.sent.mayShareSource(named.sent) !== false;
    const note = notes.find(isOfNote);
    if (isRecorded(named) && (note === undefined || told.has(note))) return [];
    if (note !== undefined) told.add(note);
    const open = note === undefined ? ofPending : { ...ofNote(note), ...openOfNote(note) };
    return [{ ...named, ...open, id: undefined, isPending: true, firstAt: undefined }];
  });
  // What this stack records at another place is later than the user's answer, or the note is of another backend's stack.
  const isAnswered = (note: EarlierNote) =>
    jobs.some(({ urn, origin }) => {
      const since = origin.outcome === "adopted" ? note.sentMs : Date.parse(note.at);
      return urn === note.urn && !isSentTo(note, origin) && Date.parse(origin.at) >= since;
    });
  const onlyNoted = notes.flatMap((note): UnconfirmedCreate[] => {
    const named = told.has(note) || isAnswered(note) ? undefined : resourceNoted(note);
    if (named === undefined) return [];
    const { stack, project } = stackNamesIn(note.urn);
    const isOther = stackOf(note.urn) !== ofStack;
    const open = {
      ...ofNote(note),
      ...openOfNote(note),
      ...(isOther && { otherStack: `${stack} (project ${project})` }),
    };
    return [{ ...named, ...open, id: undefined, isPending: false, firstAt: undefined }];
  });
  return [...saved, ...begun, ...onlyNoted];
}

/** Whether a pending operation is about a resource, which its program may have renamed by an alias. */
const isOf = (resource: Members, urn: string): boolean =>
  resource["urn"] === urn || (Array.isArray(resource["aliases"]) && resource["aliases"].includes(urn));

const ofNote = (note: EarlierNote) =>
  ({ trace: "note", why: "killedRun", at: note.at, isAtOrBefore: false, place: note }) as const;

/** The resource of a note, with what was sent. Which provider sent it is not known: its place tells more. */
function resourceNoted({ urn, declared }: EarlierNote) {
  const named = resourceIn({ urn, type: typeIn(urn) });
  if (named === undefined) return undefined;
  const isPlain = (member: string) => declared[member] !== unknownValue;
  return { ...named, sent: new SentJob(named.kind, declared, isPlain) };
}

/** An adoption creates nothing, so it is never an unconfirmed create. */
const isAdoption = ({ inputs }: Members): boolean => typeof membersOf(inputs)["existingJobId"] === "string";

/** A job's resource in a state; undefined for a resource of another type. */
export function resourceIn(resource: Members, provider?: RunStack["provider"]) {
  const { type, urn, inputs } = resource;
  const kind = kindOfType(type);
  if (kind === undefined || typeof urn !== "string") return undefined;
  // The state's secrets are encrypted, so they are unknown here.
  const { values, secrets } = unmarshal(inputs);
  const sent = new SentJob(kind, declaredMembers(values), plainIn({ secrets }));
  const label = resourceLabel(kind.resource, nameIn(urn));
  // A provider reference is the provider's URN and id.
  const own = String(resource["provider"]).replace(/::[^:]*$/, "");
  const isDefault = provider === "default" && isDefaultProvider(nameIn(own));
  const isOfProvider = provider === undefined || isDefault || own === provider;
  return { urn, kind, label, sent, isOfProvider };
}

/** A job of the state; undefined for a resource of another type, and for a job that the program only reads. */
function jobIn(resource: Members, provider: RunStack["provider"]): StateJob | undefined {
  const { id, inputs, outputs, external } = resource;
  // After a failed update, the engine keeps the old inputs: only the outputs show what was sent.
  const named = resourceIn({ ...resource, inputs: { ...membersOf(inputs), ...membersOf(outputs) } }, provider);
  const saved = readState(membersOf(outputs));
  if (named === undefined || saved === undefined || typeof id !== "string" || external === true) return undefined;
  const { job, origin } = saved;
  const isReplaced = resource["delete"] === true;
  const isDropped = resource["pendingReplacement"] === true;
  const isTainted = resource["taint"] === true || isDropped;
  const jobId = job.id ?? origin.jobId ?? (isStandIn(id) ? undefined : id);
  const marks = { ...(isReplaced && { isReplaced }), ...(isTainted && { isTainted }), ...(isDropped && { isDropped }) };
  return { ...named, id, jobId, lastModified: job.lastModified, origin, ...marks };
}
