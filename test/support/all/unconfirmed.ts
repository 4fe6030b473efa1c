import type { Declaration } from "../../../provider/src/jobs/index.js";
import { membersOf } from "../../../provider/src/json.js";
import { start } from "../emulated.js";
import type { TestFault, TestServer } from "../emulator/index.js";
import type { FastClock } from "../fastClock.js";
import type { SimulatedStack } from "./simulatedStack.js";
import { configFor, inProcessStack } from "./inProcess.js";

/** Replaces members of the origin in a saved resource. */
export function withOrigin(outputs: Declaration, more: object): Declaration {
  const { origin } = outputs;
  return { ...outputs, origin: { ...membersOf(origin), ...more } };
}

/** The reply to the create is lost, and the list fails while the provider looks for the job. */
const lost = (processed: boolean, after = 0): TestFault[] => [
  { kind: "reset", on: "create", processed, after },
  { kind: "reply", status: 503, on: "list", after: 1, times: -1 },
];

/**
 * Puts an unconfirmed create of an earlier run into a stack's state and, if it was processed, its job into the service.
 * The create is sent to another service, whose list fails, so `service` sees no request.
 */
export async function recordUnconfirmed(
  stack: SimulatedStack,
  service: TestServer,
  inputs: Declaration,
  processed: boolean,
  { clock, token = service.token }: { readonly clock: FastClock; readonly token?: string },
): Promise<void> {
  const other = await start({ faults: lost(processed), acceptToken: () => true, now: clock.now });
  const made = inProcessStack(() => ({ config: configFor({ ...other, token }), clock }));
  expect(await made.up({ orders: inputs })).toMatchObject({ steps: { orders: "recorded" } });
  const saved = made.state.get("orders");
  if (saved === undefined) throw new Error("Nothing was recorded.");
  const { baseUrl } = service;
  stack.state.set("orders", { id: saved.id, outputs: withOrigin(saved.outputs, { baseUrl }) });
  for (const { body, id, created } of other.jobs) service.addJob(body, { id, created });
}
