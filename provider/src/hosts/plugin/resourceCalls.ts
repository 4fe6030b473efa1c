import {
  CheckFailure,
  CheckResponse,
  CreateResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import * as lifecycle from "../../lifecycle/index.js";
import { notOurState } from "../../lifecycle/messages.js";
import type { PropertyPath } from "../../propertyPath.js";
import { CallError, type Calls } from "./calls.js";
import { detailedResponse, diffResponse } from "./detailedDiff.js";
import { readOnly } from "./getCall.js";
import { readNew } from "./importCall.js";
import { initFailed } from "./initFailed.js";
import {
  adoptedAgain,
  forgottenReplaced,
  forgottenUnprotected,
  protectionEnds,
  succeedsUnconfirmed,
  unconfirmedStays,
} from "./messages.js";
import { previewOfCreate, previewOfUpdate } from "./previews.js";
import { inputsOf, outputsOf, type Resources } from "./resources.js";
import type { PluginRun, Run } from "./run.js";
import type { CallOfSaved } from "./savedKeys.js";
import { read, write } from "./structs.js";

/** The calls about resources. */
export const resourceCalls = (
  plugin: PluginRun,
): Pick<Calls, "check" | "diff" | "create" | "read" | "update" | "delete"> => ({
  check: (request) =>
    plugin.answer(request.getUrn(), ({ context, settings, warnings, resources }) => {
      const [olds, news] = [read(request.getOlds()).values, read(request.getNews())];
      const resource = resources.declared(request.getUrn(), news);
      const { label, kind, declared } = resource;
      const isNew = Object.keys(olds).length === 0;
      const { problems, account } =
        news.problems.length > 0
          ? { problems: news.problems.map((text) => `${label}: ${text}`), account: undefined }
          : lifecycle.check(context, resource, isNew);
      if (problems.length === 0)
        for (const text of warnings.of(kind, { label, parent: request.getUrn() }, declared)) plugin.warn(text);
      if ("__provider" in olds && account?.jobOperations.options.protect === true && settings.protect() !== false)
        context.sayOnce(protectionEnds(resource.dialect));
      // A named property would make the engine print its value, secrets in clear.
      const failures = problems.map((reason) => new CheckFailure().setReason(reason));
      return new CheckResponse().setInputs(write(declared, news.secrets)).setFailuresList(failures);
    }),

  diff: (request) =>
    plugin.answer(request.getUrn(), ({ context, currentJobs, refreshDiffs, resources }) => {
      const resource = resources.declared(request.getUrn(), read(request.getNews()));
      const saved = savedOr(resources, "diff", request.getUrn(), request.getId(), request.getOlds());
      const { canRead, canChange } = lifecycle.jobOperationsFor(context, saved);
      // Only to show what a refresh found.
      if (refreshDiffs.take(saved.id, resource.declared))
        return canRead ? detailedResponse(saved.declared, resource.declared) : diffResponse(false);
      if (!canChange) currentJobs.note(resource, saved.jobId, "state");
      const difference = lifecycle.diff(context, saved, resource);
      if (difference.kind === "refused") throw new CallError(difference.message);
      if (difference.kind === "none") return diffResponse(false);
      resources.keys.noteChange(request.getUrn(), { id: saved.id, at: saved.origin.at });
      // By paths the engine would find what `replaceOnChanges` names, and replace a job that cannot be deleted.
      return canChange ? detailedResponse(saved.declared, resource.declared, true) : diffResponse(true);
    }),

  create: (request) =>
    plugin.answer(request.getUrn(), async ({ context, currentJobs, resources, warnings }) => {
      const inputs = read(request.getProperties());
      const resource = resources.declared(request.getUrn(), inputs);
      if (request.getPreview()) {
        warnOfToken(plugin, warnings, resource);
        return new CreateResponse().setProperties(previewOfCreate(resource, inputs.secrets));
      }
      const done = succeeded(await lifecycle.create(context, resource), inputs.secrets);
      // Of all answers this one alone keeps the record: the engine drops what fails until its last try.
      if (done.state.origin.outcome === "unconfirmed") plugin.showError(succeedsUnconfirmed(resource.label));
      currentJobs.note(resource, done.state.job.id ?? done.id, "created");
      return new CreateResponse().setId(done.id).setProperties(outputsOf(done.state, inputs.secrets));
    }),

  update: (request) =>
    plugin.answer(request.getUrn(), async ({ context, resources, warnings }) => {
      const inputs = read(request.getNews());
      const resource = resources.declared(request.getUrn(), inputs);
      const saved = savedOr(resources, "update", request.getUrn(), request.getId(), request.getOlds());
      const { canChange } = lifecycle.jobOperationsFor(context, saved);
      if (request.getPreview()) {
        warnOfToken(plugin, warnings, resource);
        return new UpdateResponse().setProperties(previewOfUpdate(saved, resource, inputs.secrets, canChange));
      }
      resources.keys.noteUpdate({ id: saved.id, at: saved.origin.at });
      const { state } = succeeded(await lifecycle.update(context, saved, resource), inputs.secrets);
      return new UpdateResponse().setProperties(outputsOf(state, inputs.secrets));
    }),

  read: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const { context, refreshDiffs, resources } = run;
      if (!request.hasInputs()) return readNew(context, resources.named(request.getUrn()), request.getId());
      const [outputs, inputs] = [read(request.getProperties()), read(request.getInputs())];
      if (Object.keys(inputs.values).length === 0) return readOnly(run, request);
      const saved = resources.saved(request.getUrn(), request.getId(), outputs, "read");
      const response = new ReadResponse()
        .setId(request.getId())
        .setProperties(request.getProperties())
        .setInputs(request.getInputs());
      // A state that was edited by hand stays as it is: a refresh must not fail for it.
      if (saved === undefined) return response;
      const found = await lifecycle.read(context, saved);
      if (found.kind === "gone") return new ReadResponse();
      if (found.kind === "refused") throw new CallError(found.message);
      refreshDiffs.expect(found.id, saved.declared);
      for (const { id, origin } of [saved, { id: found.id, origin: found.state.origin }])
        resources.keys.noteRead(request.getUrn(), { id, at: origin.at });
      response.setId(found.id);
      if (found.state !== saved) response.setProperties(outputsOf(found.state, outputs.secrets));
      return found.hasDrifted ? response.setInputs(inputsOf(found.state, inputs.secrets)) : response;
    }),

  delete: (request) =>
    plugin.answer(request.getUrn(), async (run) => {
      const saved = savedOr(run.resources, "delete", request.getUrn(), request.getId(), request.getProperties());
      const forgotten = forgetting(run, request.getUrn(), saved);
      if (forgotten !== undefined) {
        plugin.warn(forgotten);
        return new Empty();
      }
      const result = await lifecycle.remove(run.context, saved);
      if (result.kind === "refused") throw new CallError(result.message);
      return new Empty();
    }),
});

/** In a preview, of which only the calls for what will be sent know that they belong to one. */
function warnOfToken(plugin: PluginRun, warnings: Run["warnings"], { declared }: lifecycle.Resource): void {
  for (const text of warnings.ofToken(declared["account"])) plugin.warn(text);
}

/**
 * Why a job that cannot be deleted leaves the state all the same; undefined where the core decides.
 * @throws CallError for an unconfirmed create that leaves by mistake: nothing else knows of it.
 */
function forgetting(
  { context, settings, currentJobs }: Run,
  urn: string,
  saved: lifecycle.SavedResource,
): string | undefined {
  if (lifecycle.jobOperationsFor(context, saved).canChange) return undefined;
  const current = currentJobs.of(urn);
  const isReplaced = current !== undefined && current.id !== saved.jobId;
  const isUnprotected = settings.protect() === false;
  if (saved.origin.outcome !== "unconfirmed") {
    if (isReplaced) return forgottenReplaced(saved);
    if (current?.since === "created") return adoptedAgain(saved);
    return isUnprotected ? forgottenUnprotected(saved) : undefined;
  }
  if (isReplaced || isUnprotected) return undefined;
  throw new CallError(unconfirmedStays(saved));
}

/** @throws CallError for a state that is not ours. */
function savedOr(
  resources: Resources,
  call: CallOfSaved,
  urn: string,
  id: string,
  properties: Struct | undefined,
): lifecycle.SavedResource {
  const saved = resources.saved(urn, id, read(properties), call);
  if (saved !== undefined) return saved;
  throw new CallError(`${resources.named(urn).label}: ${notOurState}`);
}

/** @throws CallError for what did not succeed. */
function succeeded(result: lifecycle.Result, secrets: readonly PropertyPath[]): lifecycle.Done {
  if (result.kind === "refused") throw new CallError(result.message);
  if (result.kind === "recorded")
    throw initFailed(result, inputsOf(result.state, secrets), outputsOf(result.state, secrets));
  return result;
}
