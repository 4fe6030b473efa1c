import { pluginType } from "../../../provider/src/hosts/engineNames.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { declaredMembers } from "../../../provider/src/lifecycle/resource.js";
import { isObject, type JsonObject } from "../../../provider/src/json.js";
import type { ChangeResult, ProviderCalls } from "../providerCalls.js";
import { refusalText, rejectionText } from "../refusals.js";
import { kindOf, type Config } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

/** How settings and resources pass between the simulated stack and one host's provider. */
export interface Encoding {
  readonly settings: (config: Config) => JsonObject;
  readonly sent: (members: Declaration) => JsonObject;
  /** What the stack saves of a reply. `members`: what the call was about. */
  readonly received: (values: JsonObject, members: Declaration) => Declaration;
  /** What the stack keeps of an unchanged resource. */
  readonly unchanged: RunProvider["unchanged"];
}

export const identityMember = "__resource";

/** The values, with the identity of the declaration's resource, if it has one. */
export const like = ({ [identityMember]: identity }: Declaration, values: Declaration): Declaration =>
  identity === undefined ? values : { ...values, [identityMember]: identity };

/** A provider of one run, behind the calls of the engine's protocol. */
export function providerOver(calls: ProviderCalls, { sent, received, unchanged }: Encoding): Omit<RunProvider, "end"> {
  const inputsIn = (outputs: Declaration) => sent(like(outputs, declaredMembers({ ...outputs, jobId: undefined })));
  const savedIn = (id: string, outputs: Declaration) => ({
    name: urnIn(outputs),
    id,
    inputs: inputsIn(outputs),
    props: sent(outputs),
  });
  const changeOf = (id: string, olds: Declaration, news: Declaration) => ({
    ...savedIn(id, olds),
    name: urnIn(news),
    olds: sent(olds),
    news: sent(news),
  });
  const resultOf = (members: Declaration, result: ChangeResult): Result => {
    if (result.kind === "error") return { kind: "error", message: refusalText(result.message) };
    const saved = { id: result.id, outputs: received(result.properties, members) };
    return result.kind === "ok"
      ? { kind: "ok", ...saved }
      : { kind: "initFailed", ...saved, message: result.reasons.join("\n") };
  };
  return {
    unchanged,
    check: async (olds, news) => {
      const isNew = Object.keys(olds).length === 0;
      const request = { name: urnIn(news), olds: isNew ? {} : inputsIn(olds), news: sent(news) };
      const { inputs, failures } = await calls.check(request);
      return { inputs: received(inputs, news), failures: failures.map(({ reason }) => reason) };
    },
    diff: async (id, olds, news) => {
      const answer = await calls.diff(changeOf(id, olds, news));
      return answer.error === undefined ? answer.changes !== false : { error: refusalText(answer.error) };
    },
    create: async (inputs) => resultOf(inputs, await calls.create(sent(inputs), { name: urnIn(inputs) })),
    update: async (id, olds, news) => resultOf(news, await calls.update(changeOf(id, olds, news))),
    read: async (id, outputs) => {
      const saved = savedIn(id, outputs);
      const found = await calls.read(saved).catch(refused);
      if ("kind" in found) return found;
      if (found.id === "") return undefined;
      // After a read the engine calls diff, only to display what changed.
      const shown = await calls.diff({ ...saved, id: found.id, olds: found.properties, news: saved.inputs });
      expect(shown.error).toBeUndefined();
      return { kind: "ok", id: found.id, outputs: received(found.properties, outputs) };
    },
    delete: (id, outputs) =>
      calls.delete(savedIn(id, outputs)).then((): Result => ({ kind: "ok", id: "", outputs: {} }), refused),
  };
}

const refused = (error: unknown): Result => ({ kind: "error", message: rejectionText(error) });

function urnIn(members: Declaration): string {
  const identity = members[identityMember];
  const { name = "unnamed", parent } = isObject(identity) ? identity : {};
  const types = [...(typeof parent === "string" ? [parent] : []), pluginType(kindOf(members))];
  return `urn:pulumi:test::acceptance::${types.join("$")}::${String(name)}`;
}
