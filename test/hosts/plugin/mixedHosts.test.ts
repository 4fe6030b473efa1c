import { cachingBody } from "../../support/all/declarations.js";
import { pluginHere } from "../../support/driver/here.js";
import { start, stopAll } from "../../support/emulated.js";
import { rejectionText } from "../../support/refusals.js";
import { inputs, secret } from "../../support/plugin/inputs.js";

afterEach(stopAll);

test("A job that a resource of the classes has too is not changed, although both have default providers", async () => {
  const service = await start();
  service.addJob(cachingBody("ORDERS"), { id: "job-1" });
  const stack = "urn:pulumi:test::acceptance";
  const saved = (name: string, type: string, provider: string, at: string) => ({
    ...{
      urn: `${stack}::${type}::${name}`,
      type,
      id: "job-1",
      inputs: inputs(),
      provider: `${stack}::${provider}::id`,
    },
    outputs: { ...inputs(), job: { id: "job-1" }, origin: { outcome: "adopted", baseUrl: service.baseUrl, at } },
  });
  const type = "data-connectivity:index:CachingJob";
  const own = saved("own", type, "pulumi:providers:data-connectivity::default_0_1_0", "2026-01-01T00:00:00Z");
  const resources = [
    own,
    saved("again", type, "pulumi:providers:data-connectivity::default_0_1_0", "2026-01-02T00:00:00Z"),
  ];
  const ofClasses = saved(
    "orders",
    "pulumi-nodejs:dynamic/data-connectivity:CachingJob",
    "pulumi:providers:pulumi-nodejs::default",
    "2026-01-03T00:00:00Z",
  );
  const diffBeside = async (...others: object[]) => {
    const exportStack = () => Promise.resolve(JSON.stringify({ deployment: { resources: [...resources, ...others] } }));
    const plugin = pluginHere(() => undefined, {}, { exportStack });
    await plugin.configure({ baseUrl: service.baseUrl, token: secret(service.token), jobOperations: "all" });
    const news = inputs("ORDERS", { intervalValue: 9 });
    await plugin.check("own", news, own.inputs);
    return plugin.diff("own", own, news).then(({ changes }) => changes, rejectionText);
  };
  // The program no longer declares `again`: this process sees that.
  expect(await diffBeside()).toBe(true);
  expect(await diffBeside(ofClasses)).toContain('CachingJob "orders" of this stack already has job job-1');
});
