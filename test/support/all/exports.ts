import { objectsOf } from "../../../provider/src/hosts/ownState.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { membersOf, parseJson } from "../../../provider/src/json.js";
import { encrypted } from "./encrypted.js";
import type { SimulatedStack } from "./simulatedStack.js";

// What the engine's export shows that a simulated stack does not.

type Members = Readonly<Record<string, unknown>>;

const pendingIn = (exported: string): readonly Members[] =>
  objectsOf(membersOf(membersOf(parseJson(exported))["deployment"])["pending_operations"]);

const withDeployment = (exported: string, more: Members): string => {
  const members = membersOf(parseJson(exported));
  return JSON.stringify({ ...members, deployment: { ...membersOf(members["deployment"]), ...more } });
};

/** The state of a stack with one more pending operation. `more`: members of its resource. */
export function exportedWith(
  stack: SimulatedStack,
  type: "creating" | "updating",
  [name, inputs]: readonly [string, Declaration],
  more: Members = {},
): string {
  const exported = stack.export();
  const before = new Map(stack.pending);
  stack.pending.clear();
  stack.pending.set(name, inputs);
  const operations = pendingIn(stack.export());
  stack.pending.clear();
  for (const [one, of] of before) stack.pending.set(one, of);
  const added = operations.map((one) => ({ type, resource: { ...membersOf(one["resource"]), ...more } }));
  return withDeployment(exported, { pending_operations: [...pendingIn(exported), ...added] });
}

/** An export in which a resource has other inputs than outputs: after a failed update, the engine keeps the old inputs. */
export function withInputs(exported: string, name: string, inputs: Declaration): string {
  const resources = objectsOf(membersOf(membersOf(parseJson(exported))["deployment"])["resources"]);
  return withDeployment(exported, {
    resources: resources.map((one) => (String(one["urn"]).endsWith(`::${name}`) ? { ...one, inputs } : one)),
  });
}

export { encrypted };

/** An export in which the connection of these inputs is a secret. */
export function withSecretConnection(exported: string, { params }: Declaration): string {
  const hidden = JSON.stringify({ ...membersOf(params), sourceConnection: encrypted });
  return exported.split(JSON.stringify(params)).join(hidden);
}

/** The same with all params as one secret. */
export const withSecretParams = (exported: string, { params }: Declaration): string =>
  exported.split(JSON.stringify(params)).join(JSON.stringify(encrypted));
