import {
  CheckResponse,
  CreateResponse,
  ReadResponse,
  UpdateResponse,
  type CreateRequest,
  type ReadRequest,
  type UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isSameId } from "../../client/jobMatch.js";
import { withTimeLimit } from "../../client/send.js";
import { jobKinds } from "../../jobs/index.js";
import {
  declaredMembers,
  jobOutputs,
  savedResource,
  secretMembers,
  type JobState,
  type Resource,
  type SavedResource,
} from "../../lifecycle/resource.js";
import type { Done, Recorded } from "../../lifecycle/result.js";
import type { Run } from "../../lifecycle/run.js";
import { undeclaredParams } from "../../lifecycle/compare.js";
import { declarersOf, type StateJob, type UnconfirmedCreate } from "../../lifecycle/ownState.js";
import { isManaged, noSuchJob, unconfirmedByHook } from "../../lifecycle/texts/shared.js";
import { secretsSent } from "../../lifecycle/unconfirmed/trace.js";
import type { PropertyPath } from "../../propertyPath.js";
import { resourceLabel } from "../../sentences.js";
import { nameIn, parseImportId, pluginType } from "../engineNames.js";
import { plainIn, type Unmarshalled } from "../protocolValues.js";
import { CallError, failureOf, initFailed, type ResourceCalls } from "./calls.js";
import { failAfterwards } from "./failedView.js";
import {
  adoptedAgain,
  forgottenReplaced,
  forgottenUnprotected,
  letGoOfAll,
  notDeletedUnread,
  protectionEnds,
  recordedNowhere,
  unconfirmedStays,
} from "./messages.js";
import { detailedResponse, diffResponse, previewOfCreate, previewOfUpdate } from "./previews.js";
import { isToDelete } from "./pulumiDo.js";
import type { PluginRun } from "./run.js";
import { isEmpty, outputSecrets, read, write } from "./wire.js";

export const resourceCalls = (plugin: PluginRun): ResourceCalls => ({
  check: (request) =>
    plugin.answer(request.getUrn(), async ({ run, warnings }) => {
      const news = read(request.getNews());
      const resource = resourceOf(run, request.getUrn(), news);
      const { label, kind, declared } = resource;
      const before = isEmpty(request.getOlds()) ? undefined : read(request.getOlds()).values;
      const unreadable = news.problems.map((text) => `${label}: ${text}`);
      const { problems, account } = await run.check(resource, before, unreadable);
      if (problems.length === 0)
        plugin.warn(request.getUrn(), warnings.of(kind, { label, parent: request.getUrn() }, declared));
      const mayEnd = account?.mode.options.protect === true && run.settings.protect() !== false;
      const isOfClasses = request.getOlds()?.getFieldsMap().has("__provider") === true;
      if (mayEnd && isOfClasses) run.reportOnce({ severity: "warning", text: protectionEnds(resource.words) });
      return new CheckResponse().setInputs(write(declared, news.secrets)).setFailuresList(problems.map(failureOf));
    }),

  diff: (request) =>
    plugin.answer(request.getUrn(), async ({ run }) => {
      const news = read(request.getNews());
      const resource = resourceOf(run, request.getUrn(), news);
      const saved = savedIn(run, request, request.getOlds());
      const { canRead, canChange } = run.rulesFor(saved.origin);
      const difference = await run.diff(saved, resource);
      if (difference === "refreshed")
        return canRead ? detailedResponse(saved.declared, resource.declared) : diffResponse(false);
      // Without a difference, the engine keeps the old outputs: a value that became secret would stay in clear text.
      if (difference === "none") return diffResponse(isNewlySecret(resource, news, read(request.getOlds())));
      // For a job that cannot be deleted, name no paths: `replaceOnChanges` could match one and replace the job.
      const canBeReplaced = canChange && saved.origin.outcome !== "unconfirmed";
      return canBeReplaced ? detailedResponse(saved.declared, resource.declared, true) : diffResponse(true);
    }),

  create: (request) =>
    plugin.answer(request.getUrn(), async ({ run, warnings, isAlone }) => {
      const inputs = read(request.getProperties());
      const resource = resourceOf(run, request.getUrn(), inputs);
      if (request.getPreview()) {
        plugin.warn(request.getUrn(), warnings.ofToken(resource.declared["account"]));
        await run.foresee(resource);
        return new CreateResponse().setProperties(previewOfCreate(resource, inputs.secrets));
      }
      const created = await withTimeLimit(request.getTimeout(), () => run.create(resource));
      if (isAlone && created.kind === "recorded") {
        const { canRead } = run.rulesFor(created.state.origin);
        throw new CallError(recordedNowhere(resource, created, pluginType(resource.kind), canRead));
      }
      const done = succeeded(created, inputs.secrets);
      await failIfUnconfirmed(request, resource, done);
      return new CreateResponse().setId(done.id).setProperties(outputsOf(done.state, inputs.secrets));
    }),

  update: (request) =>
    plugin.answer(request.getUrn(), async ({ run, warnings }) => {
      const inputs = read(request.getNews());
      const resource = resourceOf(run, request.getUrn(), inputs);
      const saved = savedIn(run, request, request.getOlds());
      if (request.getPreview()) {
        const { canChange } = run.rulesFor(saved.origin);
        plugin.warn(request.getUrn(), warnings.ofToken(resource.declared["account"]));
        await run.foresee(resource, saved);
        return new UpdateResponse().setProperties(previewOfUpdate(saved, resource, inputs.secrets, canChange));
      }
      const updated = await withTimeLimit(request.getTimeout(), () => run.update(saved, resource));
      // A failed update may keep what was declared before, with other secrets.
      const old = read(request.getOlds()).secrets;
      const before = updated.kind === "recorded" ? old : [];
      const done = succeeded(updated, [...inputs.secrets, ...before]);
      // A refresh may have marked what no declaration has: what a killed run sent.
      const hasMore = Object.keys(undeclaredParams(done.state.job, resource)).length > 0;
      const marks = hasMore ? old.filter(([member]) => member === "job") : [];
      await failIfUnconfirmed(request, resource, done);
      return new UpdateResponse().setProperties(outputsOf(done.state, [...inputs.secrets, ...marks]));
    }),

  read: (request) =>
    plugin.answer(request.getUrn(), async ({ run, isAlone }) => {
      const [id, properties, inputs] = [request.getId(), request.getProperties(), request.getInputs()];
      if (inputs === undefined) return readNew(run, request.getUrn(), id);
      if (isEmpty(inputs) || !hasMember(properties, "origin"))
        return isAlone ? asImported(await readAlone(run, request)) : readOnly(run, request);
      const outputs = read(properties);
      const saved = savedOf(run, request.getUrn(), id, outputs);
      // Leave a state that was edited by hand as it is: the edited state must not make a refresh fail.
      if (saved === undefined) return new ReadResponse().setId(id).setProperties(properties).setInputs(inputs);
      // What the read resolves, the run forgets.
      const open = saved.origin.outcome === "unconfirmed" ? await secretsSentBefore(run, request.getUrn()) : undefined;
      const found = await run.read(saved);
      if (found === undefined) return new ReadResponse();
      // New members of a job do not count as drift.
      const isNew = found.hasDrifted || JSON.stringify(found.state.job.params) !== JSON.stringify(saved.job.params);
      const sent = open ?? (isNew ? await secretsSentBefore(run, request.getUrn()) : []);
      const marked = [...read(inputs).secrets, ...outputs.secrets.filter(([member]) => member !== "job"), ...sent];
      return new ReadResponse()
        .setId(found.id)
        .setProperties(found.state === saved ? properties : outputsOf(found.state, [...outputs.secrets, ...sent]))
        .setInputs(found.hasDrifted ? inputsOf(found.state, marked) : inputs);
    }),

  delete: (request) =>
    plugin.answer(request.getUrn(), async ({ run, isAlone }) => {
      const isUnread = isAlone && isEmpty(request.getProperties());
      const saved = isUnread ? await readToDelete(run, request) : savedIn(run, request, request.getProperties());
      if (run.rulesFor(saved.origin).canChange) await withTimeLimit(request.getTimeout(), () => run.delete(saved));
      else plugin.warn(request.getUrn(), await letGo(run, saved));
      return new Empty();
    }),
});

/**
 * Reads a job that the program only looks up by its id (`get`). A refresh reads the job again. The job's state has no
 * origin, because the job does not belong to the stack, and no inputs but the `state` that the program gives to the look-up.
 * The engine passes that as the properties, too.
 */
async function readOnly(run: Run, request: ReadRequest): Promise<ReadResponse> {
  const [named, properties] = [request.getId(), request.getProperties()];
  const isRefresh = hasMember(properties, "job");
  const { id, account = accountIn(properties) } = parseImportId(named);
  // As everywhere in the state, the id is the job's own, without the account.
  const response = new ReadResponse().setId(id).setInputs(request.getInputs());
  if (isRefresh && !run.rulesFor({ account }).canRead) return response.setProperties(properties);
  const resource = resourceOf(run, request.getUrn(), read(undefined));
  const managed = isRefresh ? undefined : await otherUnder(run, request.getUrn(), id);
  if (managed !== undefined) throw new CallError(`${resource.label}: ${isManaged(managed.jobId)}`);
  const found = await run.lookUp(resource, { id, account }, !isRefresh);
  if (found !== undefined) {
    // The owner may have left since an earlier run has marked what it read.
    const secrets = outputSecrets([...read(properties).secrets, ...(await secretsOfOwners(run, id))]);
    return response.setProperties(write({ ...found.declared, job: found.job, jobId: found.job.id }, secrets));
  }
  if (isRefresh) return new ReadResponse();
  throw new CallError(`${resource.label}: ${noSuchJob(id, "read")}`);
}

/** The resource of the state that has this URN, unless it has the job of this id. */
const otherUnder = async ({ memory }: Run, own: string, id: string): Promise<StateJob | undefined> =>
  (await memory.ownState())?.jobs.find(
    ({ urn, jobId, isReplaced }) => urn === own && isReplaced !== true && !isSameId(jobId, id),
  );

const hasMember = (properties: Struct | undefined, member: string): boolean =>
  properties?.getFieldsMap().has(member) === true;

function accountIn(properties: Struct | undefined): string | undefined {
  const { account } = read(properties).values;
  return typeof account === "string" ? account : undefined;
}

/** Reads a job for `pulumi import`: the stack's state does not have the job yet. */
async function readNew(run: Run, urn: string, named: string): Promise<ReadResponse> {
  const { id, account } = parseImportId(named);
  const resource = resourceOf(run, urn, read(undefined));
  // What the import resolves, the run forgets.
  const own = await secretsSentBefore(run, urn);
  const { unconfirmed = [] } = (await run.memory.ownState()) ?? {};
  const state = await run.import(resource, { id, account });
  const isOfSource = (create: UnconfirmedCreate) => create.sent.mayHaveSourceOf({ ...state, kind: resource.kind });
  const others = unconfirmed.filter(isOfSource).flatMap(secretPaths);
  return asImported({ ...state, jobId: id }, [...own, ...others, ...(await secretsOfOwners(run, id))]);
}

const asImported = (
  state: JobState & Pick<SavedResource, "jobId">,
  secrets: readonly PropertyPath[] = [],
): ReadResponse =>
  new ReadResponse().setId(state.jobId).setProperties(outputsOf(state, secrets)).setInputs(inputsOf(state, secrets));

/** What a job that is read may have as a secret, though nothing in its record is marked. */
const secretsSentBefore = async ({ memory }: Run, urn: string): Promise<readonly PropertyPath[]> =>
  secretsSent(await memory.ownState(), urn).map((member) => [member]);

/** What the resources of the stack that have a job declare as secrets. */
const secretsOfOwners = async ({ memory }: Run, id: string): Promise<readonly PropertyPath[]> =>
  declarersOf(await memory.ownState(), id).flatMap(secretPaths);

const secretPaths = ({ sent }: Pick<UnconfirmedCreate, "sent">): readonly PropertyPath[] =>
  secretMembers(sent.described).map((member) => [member]);

/** Reads a job for `pulumi do`, which keeps what it reads until it has changed or deleted the job. */
async function readAlone(run: Run, request: Pick<ReadRequest, "getUrn" | "getId">): Promise<SavedResource> {
  const { id: jobId, account } = parseImportId(request.getId());
  const resource = resourceOf(run, request.getUrn(), read(undefined));
  const found = await run.lookUp(resource, { id: jobId, account }, false);
  if (found === undefined) throw new CallError(`${resource.label}: ${noSuchJob(jobId, "read")}`);
  return { ...resource, ...found, id: request.getId(), jobId };
}

function readToDelete(run: Run, request: Pick<ReadRequest, "getUrn" | "getId">): Promise<SavedResource> {
  if (isToDelete()) return readAlone(run, request);
  throw new CallError(notDeletedUnread(resourceNamed(run, request.getUrn()).label, request.getId()));
}

/**
 * Lets a job that cannot be deleted leave the state, and returns warnings.
 * @throws CallError for an unconfirmed create that leaves the state by mistake: the state is the create's only record.
 */
async function letGo(run: Run, saved: SavedResource): Promise<readonly string[]> {
  const after = await run.afterReplacement(saved);
  const isUnprotected = run.settings.protect() === false;
  if (saved.origin.outcome === "unconfirmed") {
    if (after !== "replaced" && !isUnprotected)
      throw new CallError(unconfirmedStays(saved, await run.inFlightUntil(saved)));
    await run.delete(saved);
    return [];
  }
  if (after === "replaced") return [forgottenReplaced(saved)];
  if (after === "adopted") return [adoptedAgain(saved)];
  if (isUnprotected) return [forgottenUnprotected(saved)];
  await run.delete(saved, [letGoOfAll(saved.words)]);
  return [];
}

/** The saved resource that a call is about. @throws CallError if the state is not from this package. */
function savedIn(
  run: Run,
  request: Pick<ReadRequest, "getUrn" | "getId">,
  properties: Struct | undefined,
): SavedResource {
  const urn = request.getUrn();
  const saved = savedOf(run, urn, request.getId(), read(properties));
  return saved ?? run.refuseState(resourceNamed(run, urn).label);
}

/** The result, if its kind is `done`. @throws CallError for a resource that is recorded although the run fails. */
function succeeded(result: Done | Recorded, secrets: readonly PropertyPath[]): Done {
  if (result.kind === "done") return result;
  throw initFailed(result, inputsOf(result.state, secrets), outputsOf(result.state, secrets));
}

/** Fails the run if its create ends as an unconfirmed success, because an `onError` hook kept repeating it. */
async function failIfUnconfirmed(
  request: CreateRequest | UpdateRequest,
  { label }: Resource,
  { state }: Done,
): Promise<void> {
  if (state.origin.outcome === "unconfirmed") await failAfterwards(request, unconfirmedByHook(label));
}

/** What the URN says about a resource. @throws CallError for a resource of another package. */
function resourceNamed({ settings }: Run, urn: string): Omit<Resource, "declared" | "isPlain"> {
  const [, , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  const kind = jobKinds.find((known) => pluginType(known) === type);
  if (kind === undefined) throw new CallError(`This plugin has no resource of type ${type}.`);
  return { kind, label: resourceLabel(kind.resource, nameIn(urn)), key: urn, urn, words: settings.words };
}

/** A resource with the declaration in its inputs. Leaves out null members, and members that the dynamic classes add. */
function resourceOf(run: Run, urn: string, inputs: Unmarshalled): Resource {
  const declared = Object.entries(inputs.values).filter(
    ([member, value]) => !member.startsWith("__") && value !== null,
  );
  return { ...resourceNamed(run, urn), declared: Object.fromEntries(declared), isPlain: plainIn(inputs) };
}

/** A resource with its saved state; undefined if its outputs are not from this package. */
function savedOf(run: Run, urn: string, id: string, outputs: Unmarshalled): SavedResource | undefined {
  const named = { ...resourceNamed(run, urn), isPlain: plainIn(outputs) };
  return savedResource(named, id, { ...outputs.values, jobId: undefined });
}

/** Whether a declared value is secret, but in clear text in the saved outputs. */
const isNewlySecret = ({ declared }: Resource, news: Unmarshalled, olds: Unmarshalled): boolean =>
  news.secrets
    .filter(([member]) => member !== undefined && declared[member] !== undefined)
    .some((path) => !olds.secrets.some((marked) => marked.every((part, index) => part === path[index])));

/** The outputs to save. `jobId` is separate: in some languages, one unknown member makes all of `job` unknown. */
const outputsOf = (state: JobState, inputSecrets: readonly PropertyPath[]): Struct =>
  write({ ...state.declared, ...jobOutputs(state), jobId: state.job.id }, outputSecrets(inputSecrets));

const inputsOf = ({ declared }: Pick<JobState, "declared">, secrets: readonly PropertyPath[]): Struct =>
  write(declaredMembers(declared), secrets);
