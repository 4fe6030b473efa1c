import {
  CheckResponse,
  CreateResponse,
  ReadResponse,
  UpdateResponse,
  type ReadRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { jobKinds, type IsPlain } from "../../jobs/index.js";
import * as lifecycle from "../../lifecycle/index.js";
import { noSuchJob } from "../../lifecycle/messages.js";
import type { PropertyPath } from "../../propertyPath.js";
import { resourceLabel } from "../../sentences.js";
import { nameIn, parseImportId, pluginType } from "../engineNames.js";
import type { Unmarshalled } from "../protocolValues.js";
import { CallError, failureOf, initFailed, type ResourceCalls } from "./calls.js";
import {
  adoptedAgain,
  forgottenReplaced,
  forgottenUnprotected,
  letGoOfAll,
  perhapsRenamed,
  protectionEnds,
  succeedsUnconfirmed,
  unconfirmedStays,
} from "./messages.js";
import { detailedResponse, diffResponse, previewOfCreate, previewOfUpdate } from "./previews.js";
import type { PluginRun, Run } from "./run.js";
import { isEmpty, outputSecrets, read, write } from "./wire.js";

export const resourceCalls = (plugin: PluginRun): ResourceCalls => ({
  check: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const { calls, context, warnings, ownState } = run;
      ownState.stack = { urn: request.getUrn(), organization: undefined };
      const news = read(request.getNews());
      const resource = resourceOf(run, request.getUrn(), news);
      const { label, kind, declared } = resource;
      const unreadable = news.problems.map((text) => `${label}: ${text}`);
      const { problems, account } = await calls.check(resource, isEmpty(request.getOlds()), unreadable);
      if (problems.length === 0) plugin.warn(warnings.of(kind, { label, parent: request.getUrn() }, declared));
      const mayEnd = account?.mode.options.protect === true && context.settings.protect() !== false;
      const isOfClasses = request.getOlds()?.getFieldsMap().has("__provider") === true;
      if (mayEnd && isOfClasses) context.sayOnce(protectionEnds(resource.words));
      return new CheckResponse().setInputs(write(declared, news.secrets)).setFailuresList(problems.map(failureOf));
    }),

  diff: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const resource = resourceOf(run, request.getUrn(), read(request.getNews()));
      const saved = savedIn(run, request, request.getOlds());
      const { canRead, canChange } = lifecycle.rulesFor(run.context, saved);
      const difference = await run.calls.diff(saved, resource);
      if (difference === "refreshed")
        return canRead ? detailedResponse(saved.declared, resource.declared) : diffResponse(false);
      if (difference === "none") return diffResponse(false);
      // For a job that cannot be deleted, name no paths: `replaceOnChanges` could match one and replace the job.
      return canChange ? detailedResponse(saved.declared, resource.declared, true) : diffResponse(true);
    }),

  create: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const inputs = read(request.getProperties());
      const resource = resourceOf(run, request.getUrn(), inputs);
      if (request.getPreview()) {
        plugin.warn(run.warnings.ofToken(resource.declared["account"]));
        return new CreateResponse().setProperties(previewOfCreate(resource, inputs.secrets));
      }
      const done = succeeded(await run.calls.create(resource), inputs.secrets);
      // Even an unconfirmed create can be `done`, because the engine always keeps the record of a success. The engine
      // keeps the record of a failure only if it does not repeat the create.
      if (done.state.origin.outcome === "unconfirmed") plugin.say(succeedsUnconfirmed(resource.label), "ERROR");
      return new CreateResponse().setId(done.id).setProperties(outputsOf(done.state, inputs.secrets));
    }),

  update: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const inputs = read(request.getNews());
      const resource = resourceOf(run, request.getUrn(), inputs);
      const saved = savedIn(run, request, request.getOlds());
      if (request.getPreview()) {
        const { canChange } = lifecycle.rulesFor(run.context, saved);
        plugin.warn(run.warnings.ofToken(resource.declared["account"]));
        return new UpdateResponse().setProperties(previewOfUpdate(saved, resource, inputs.secrets, canChange));
      }
      const { state } = succeeded(await run.calls.update(saved, resource), inputs.secrets);
      return new UpdateResponse().setProperties(outputsOf(state, inputs.secrets));
    }),

  read: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const [id, properties, inputs] = [request.getId(), request.getProperties(), request.getInputs()];
      if (inputs === undefined) return readNew(run, request.getUrn(), id);
      if (isEmpty(inputs)) return readOnly(run, request);
      const outputs = read(properties);
      const saved = savedOf(run, request.getUrn(), id, outputs);
      // Leave a state that was edited by hand as it is: the edited state must not make a refresh fail.
      if (saved === undefined) return new ReadResponse().setId(id).setProperties(properties).setInputs(inputs);
      const found = await run.calls.read(saved);
      if (found === undefined) return new ReadResponse();
      return new ReadResponse()
        .setId(found.id)
        .setProperties(found.state === saved ? properties : outputsOf(found.state, outputs.secrets))
        .setInputs(found.hasDrifted ? inputsOf(found.state, read(inputs).secrets) : inputs);
    }),

  delete: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const saved = savedIn(run, request, request.getProperties());
      if (lifecycle.rulesFor(run.context, saved).canChange) await run.calls.delete(saved);
      else plugin.warn(await letGo(run, saved));
      return new Empty();
    }),
});

/**
 * Reads a job that the program only looks up by its id (`get`). A refresh reads the job again. The job's state has no
 * inputs and no origin, because the job does not belong to the stack.
 */
async function readOnly(run: Run, request: ReadRequest): Promise<ReadResponse> {
  const { calls, context } = run;
  const [named, properties] = [request.getId(), request.getProperties()];
  const isRefresh = !isEmpty(properties);
  const { id, account = accountIn(properties) } = parseImportId(named);
  // As everywhere in the state, the id is the job's own, without the account.
  const response = new ReadResponse().setId(id).setInputs(request.getInputs());
  if (isRefresh && !lifecycle.rulesFor(context, { origin: { account } }).canRead)
    return response.setProperties(properties);
  const resource = resourceNamed(run, request.getUrn());
  const found = await calls.reporting(resource, () => lifecycle.lookUp(context, resource, { id, account }, !isRefresh));
  if (found !== undefined)
    return response.setProperties(write({ ...found.declared, job: found.job, jobId: found.job.id }));
  if (isRefresh) return new ReadResponse();
  throw new CallError(`${resource.label}: ${noSuchJob(id, "read")}`);
}

function accountIn(properties: Struct | undefined): string | undefined {
  const { account } = read(properties).values;
  return typeof account === "string" ? account : undefined;
}

/** Reads a job for `pulumi import`: the stack's state does not have the job yet. */
async function readNew(run: Run, urn: string, named: string): Promise<ReadResponse> {
  const { calls, context } = run;
  const { id, account } = parseImportId(named);
  const resource = resourceNamed(run, urn);
  const state = await calls.reporting(resource, () => lifecycle.importJob(context, resource, { id, account }));
  return new ReadResponse().setId(id).setProperties(outputsOf(state, [])).setInputs(inputsOf(state, []));
}

/**
 * Lets a job that cannot be deleted leave the state, and returns warnings.
 * @throws CallError for an unconfirmed create that leaves the state by mistake: the state is the create's only record.
 */
async function letGo({ calls, context }: Run, saved: lifecycle.SavedResource): Promise<readonly string[]> {
  const after = calls.afterReplacement(saved);
  const isUnprotected = context.settings.protect() === false;
  if (saved.origin.outcome === "unconfirmed") {
    if (after !== "replaced" && !isUnprotected) throw new CallError(unconfirmedStays(saved));
    await calls.delete(saved);
    return [];
  }
  if (after === "replaced") return [forgottenReplaced(saved)];
  if (after === "adopted") return [adoptedAgain(saved)];
  if (isUnprotected) return [forgottenUnprotected(saved)];
  // Whether the resource was renamed is only a guess: the engine does not link the old name to the new one.
  await calls.delete(saved, [letGoOfAll(saved.words), ...(calls.hasCreated ? [perhapsRenamed] : [])]);
  return [];
}

/** The saved resource that a call is about. @throws CallError if the state is not from this package. */
function savedIn(
  run: Run,
  request: Pick<ReadRequest, "getUrn" | "getId">,
  properties: Struct | undefined,
): lifecycle.SavedResource {
  const urn = request.getUrn();
  const saved = savedOf(run, urn, request.getId(), read(properties));
  return saved ?? run.calls.refuseState(resourceNamed(run, urn).label);
}

/** The result, if its kind is `done`. @throws CallError for a resource that is recorded although the run fails. */
function succeeded(result: lifecycle.Done | lifecycle.Recorded, secrets: readonly PropertyPath[]): lifecycle.Done {
  if (result.kind === "done") return result;
  throw initFailed(result, inputsOf(result.state, secrets), outputsOf(result.state, secrets));
}

/** What the URN says about a resource. @throws CallError for a resource of another package. */
function resourceNamed({ context }: Run, urn: string): lifecycle.Undeclared {
  const [, , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  const kind = jobKinds.find((known) => pluginType(known) === type);
  if (kind === undefined) throw new CallError(`This plugin has no resource of type ${type}.`);
  return { kind, label: resourceLabel(kind.resource, nameIn(urn)), key: urn, urn, words: context.settings.words };
}

/** A resource with the declaration in its inputs. Leaves out null members, and members that the dynamic classes add. */
function resourceOf(run: Run, urn: string, inputs: Unmarshalled): lifecycle.Resource {
  const declared = Object.entries(inputs.values).filter(
    ([member, value]) => !member.startsWith("__") && value !== null,
  );
  return { ...resourceNamed(run, urn), declared: Object.fromEntries(declared), isPlain: plainIn(inputs) };
}

/** A resource with its saved state; undefined if its outputs are not from this package. */
function savedOf(run: Run, urn: string, id: string, outputs: Unmarshalled): lifecycle.SavedResource | undefined {
  const named = { ...resourceNamed(run, urn), isPlain: plainIn(outputs) };
  return lifecycle.savedResource(named, id, { ...outputs.values, jobId: undefined });
}

/** Whether a member is plain. `additionalParams` are sent in `params`, so a secret there makes `params` secret. */
const plainIn =
  ({ secrets }: Unmarshalled): IsPlain =>
  (member) =>
    !secrets.some(([marked]) => marked === member || (member === "params" && marked === "additionalParams"));

/** The outputs to save. `jobId` is separate: in some languages, one unknown member makes all of `job` unknown. */
const outputsOf = (state: lifecycle.JobState, inputSecrets: readonly PropertyPath[]): Struct =>
  write({ ...state.declared, ...lifecycle.jobOutputs(state), jobId: state.job.id }, outputSecrets(inputSecrets));

const inputsOf = ({ declared }: Pick<lifecycle.JobState, "declared">, secrets: readonly PropertyPath[]): Struct =>
  write(lifecycle.declaredMembers(declared), secrets);
