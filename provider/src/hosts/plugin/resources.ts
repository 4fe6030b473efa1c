import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { jobKinds, type IsPlain } from "../../jobs/index.js";
import {
  declaredMembers,
  jobOutputs,
  savedResource,
  type JobState,
  type Resource,
  type SavedResource,
  type Undeclared,
} from "../../lifecycle/index.js";
import type { PropertyPath } from "../../propertyPath.js";
import { resourceLabel } from "../../sentences.js";
import { nameIn, pluginType } from "../engineNames.js";
import { CallError } from "./calls.js";
import type { Run } from "./run.js";
import { outputSecrets, write, type Unmarshalled } from "./wire.js";

/** What the URN says about a resource. @throws CallError for a resource of another package. */
export function resourceNamed({ context }: Run, urn: string): Undeclared {
  const [, , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  const kind = jobKinds.find((known) => pluginType(known) === type);
  if (kind === undefined) throw new CallError(`This plugin has no resource of type ${type}.`);
  return { kind, label: resourceLabel(kind.resource, nameIn(urn)), key: urn, words: context.settings.words };
}

/** A resource with the declaration in its inputs. Leaves out null members, and members that the dynamic classes add. */
export function resourceOf(run: Run, urn: string, inputs: Unmarshalled): Resource {
  const declared = Object.entries(inputs.values).filter(
    ([member, value]) => !member.startsWith("__") && value !== null,
  );
  return { ...resourceNamed(run, urn), declared: Object.fromEntries(declared), isPlain: plainIn(inputs) };
}

/** A resource with its saved state; undefined if its outputs are not from this package. */
export function savedOf(run: Run, urn: string, id: string, outputs: Unmarshalled): SavedResource | undefined {
  const named = { ...resourceNamed(run, urn), isPlain: plainIn(outputs) };
  return savedResource(named, id, { ...outputs.values, jobId: undefined });
}

/** Whether a member is plain. `additionalParams` are sent in `params`, so a secret there makes `params` secret. */
const plainIn =
  ({ secrets }: Unmarshalled): IsPlain =>
  (member) =>
    !secrets.some(([marked]) => marked === member || (member === "params" && marked === "additionalParams"));

/** The outputs to save. `jobId` is separate: in some languages, one unknown member makes all of `job` unknown. */
export const outputsOf = (state: JobState, inputSecrets: readonly PropertyPath[]): Struct =>
  write({ ...state.declared, ...jobOutputs(state), jobId: state.job.id }, outputSecrets(inputSecrets));

/** The inputs to save. */
export const inputsOf = ({ declared }: Pick<JobState, "declared">, secrets: readonly PropertyPath[]): Struct =>
  write(declaredMembers(declared), secrets);
