import { jobKinds } from "../../../provider/src/jobs/index.js";
import { SentJob } from "../../../provider/src/lifecycle/sentJob.js";
import { droppedParams } from "../../../provider/src/lifecycle/unconfirmed/trace.js";
import { unknownValue } from "../../../provider/src/unknown.js";
import { orders } from "../../support/all/declarations.js";

const [kind] = jobKinds;
const reported = { params: { sourceTable: "ORDERS", mergeKeys: "ID", pin: "1", empty: "" } };

test.each([
  ["all that was sent is declared", orders, []],
  ["a member of params is declared no more", { ...orders, params: { mergeKeys: "ID" } }, ["mergeKeys"]],
  ["one of additionalParams is", { ...orders, additionalParams: { pin: "1", empty: "1" } }, ["pin"]],
  ["additionalParams are hidden", { ...orders, additionalParams: unknownValue }, ["mergeKeys", "pin"]],
  // What the service adds by itself was not sent.
  ["params are hidden", { ...orders, params: unknownValue }, ["mergeKeys"]],
])("Of a job that is adopted for a create, what it still has is known: %s", (_what, declared, expected) => {
  const dropped = droppedParams(reported, new SentJob(kind, declared, () => true), { kind, declared: orders });
  expect(dropped.map(({ path }) => path)).toEqual(expected.map((member) => `params.${member}`));
});
