import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { ConfigWords } from "../../config/index.js";
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
import { outputSecrets, write, type Unmarshalled } from "./wire.js";

type Members = Readonly<Record<string, unknown>>;

/** Converts the resources of one run from the engine's form. */
export class Resources {
  constructor(private readonly words: ConfigWords) {}

  /** What the URN says about a resource. @throws CallError for a resource of another package. */
  named(urn: string): Undeclared {
    const [, , types = ""] = urn.split("::");
    const type = types.slice(types.lastIndexOf("$") + 1);
    const kind = jobKinds.find((known) => pluginType(known) === type);
    if (kind === undefined) throw new CallError(`This plugin has no resource of type ${type}.`);
    return { kind, label: resourceLabel(kind.resource, nameIn(urn)), key: urn, words: this.words };
  }

  /** A resource with the declaration in its inputs. */
  declared(urn: string, inputs: Unmarshalled): Resource {
    return { ...this.named(urn), declared: declaredInputs(inputs.values), isPlain: plainIn(inputs) };
  }

  /** A resource with its saved state; undefined if its outputs are not from this package. */
  saved(urn: string, id: string, outputs: Unmarshalled): SavedResource | undefined {
    const named = { ...this.named(urn), isPlain: plainIn(outputs) };
    return savedResource(named, id, { ...outputs.values, jobId: undefined });
  }
}

/** The members to check: the declared members, without null members and members that the dynamic classes add. */
const declaredInputs = (values: Members): Members =>
  Object.fromEntries(Object.entries(values).filter(([member, value]) => !member.startsWith("__") && value !== null));

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
