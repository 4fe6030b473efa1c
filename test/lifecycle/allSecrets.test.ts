import type { Operation } from "../../provider/src/testing/emulator/faults.js";
import { cachingInputs } from "../support/all/declarations.js";
import { configFor, inProcessStack } from "../support/all/inProcess.js";
import { start, stopAll } from "../support/emulated.js";
import { saying } from "../support/matchers.js";

afterAll(stopAll);

const orders = cachingInputs("orders", "OLD_SECRET");
const changed = cachingInputs("orders", "NEW_SECRET");

/** An error that echoes the job's old and new values. */
const echo = (on: Operation) => {
  const body = on === "update" ? "no OLD_SECRET and no NEW_SECRET" : "no OLD_SECRET";
  return { kind: "reply", on, status: 400, times: -1, body } as const;
};

test.each<[string, Operation, "refresh" | "change" | "destroy"]>([
  ["a change", "update", "change"],
  ["a delete", "delete", "destroy"],
  ["a refresh of a job that the list does not have", "get", "refresh"],
])("An error that echoes the params of a job shows none of them: %s", async (_what, operation, command) => {
  const service = await start();
  const stack = inProcessStack(() => configFor(service));
  await stack.up({ orders });
  service.inject(echo(operation));
  if (command === "refresh") service.removeJob(service.jobs[0]?.id ?? "");
  const result = await {
    refresh: () => stack.refresh(),
    change: () => stack.up({ orders: changed }),
    destroy: () => stack.destroy(),
  }[command]();
  expect(result).toMatchObject({ steps: { orders: "failed" }, text: saying("no <params.sourceTable>") });
  expect(JSON.stringify(result)).not.toMatch(/(OLD|NEW)_SECRET/);
});
