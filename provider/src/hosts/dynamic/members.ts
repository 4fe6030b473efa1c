import { stackConfiguration } from "../../config/index.js";
import { declaredMembers, type JobKind } from "../../jobs/index.js";
import {
  jobOutputs,
  readState,
  savedJobId,
  type JobState,
  type Resource,
  type SavedResource,
} from "../../lifecycle/index.js";
import { identified, type Members } from "./identity.js";

/** A resource as its inputs declare it. `id`: as the state names it, where it has it. */
export const resourceOf = (kind: JobKind, inputs: Members, id?: string): Resource => ({
  kind,
  ...identified(kind, inputs, id),
  words: stackConfiguration,
  declared: declaredMembers(inputs),
});

/** A resource as the state has it; undefined where its outputs are not ours. */
export function savedOf(kind: JobKind, id: string, outputs: Members): SavedResource | undefined {
  const state = readState(outputs);
  return (
    state && {
      id,
      jobId: savedJobId(outputs) ?? id,
      kind,
      ...identified(kind, outputs, id),
      words: stackConfiguration,
      declared: state.declared,
      // It costs time for each resource of a preview and a refresh, which mostly do not need it.
      get job() {
        return state.job;
      },
      origin: state.origin,
    }
  );
}

/** The outputs to save. `members`: what the engine handed over, whose hidden members stay with the resource. */
export const outputsOf = (members: Members, state: JobState): Members => ({
  ...inputsOf(members, state),
  ...jobOutputs(state),
});

/** The inputs to save: what is declared, in the form in which the engine handed it over. */
export const inputsOf = (members: Members, { declared }: JobState): Members => ({
  ...Object.fromEntries(Object.entries(members).filter(([member, value]) => member.startsWith("__") || value === null)),
  ...declared,
});
