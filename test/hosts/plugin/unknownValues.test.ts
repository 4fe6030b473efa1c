import { DiffResponse } from "@pulumi/pulumi/proto/provider_pb";
import { unknownValue } from "../../../provider/src/unknown.js";
import { stopAll } from "../../support/emulated.js";
import { inputs, pluginAt, secret } from "../../support/plugin/configuredPlugin.js";
import { jsonOf, type Saved } from "../../support/plugin/pluginCalls.js";
import { unknowns } from "../../support/plugin/unknowns.js";

let started: Awaited<ReturnType<typeof pluginAt>>;
let orders: Saved;
beforeAll(async () => {
  started = await pluginAt({ jobOperations: "all" });
  orders = await started.plugin.create("orders", inputs());
});
afterAll(stopAll);

const withUnknown = (value: string) =>
  inputs(value, { intervalValue: value, additionalParams: { hidden: secret(value), list: [value, 1] } });

test.each(unknowns)("A value that is unknown, %s, is one in a preview, and is never sent", async (_type, sent) => {
  const { plugin, service } = started;
  const before = service.requests.length;
  const [news, shown] = [withUnknown(sent), withUnknown(unknownValue)];

  const checked = await plugin.check("orders", news);
  expect(checked.toObject().failuresList).toEqual([]);
  expect(jsonOf(checked.getInputs())).toEqual(shown);

  const differs = await plugin.diff("orders", orders, news);
  expect(differs.getChanges()).toBe(DiffResponse.DiffChanges.DIFF_SOME);
  const updated = jsonOf((await plugin.update("orders", orders, news, true)).outputs);
  expect(updated).toMatchObject({ ...shown, jobId: orders.id });
  const created = jsonOf((await plugin.create("items", news, true)).outputs);
  expect(created).toMatchObject({ ...shown, job: secret(unknownValue), jobId: unknownValue });

  await expect(plugin.create("items", news)).rejects.toThrow(
    "is still unknown. No job was created: the create was not sent.",
  );
  expect(service.requests).toHaveLength(before);
});
