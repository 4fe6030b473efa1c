import { createJob } from "../../provider/src/client/createJob.js";
import { body, messageOf, serviceAt } from "../support/testService.js";

const variables = ["HTTP_PROXY", "HTTPS_PROXY"];
const before = variables.map((name) => [name, process.env[name]] as const);
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
});

describe.each(["http://service.invalid", "https://service.invalid"])("A create at %s", (baseUrl) => {
  test.each(["http://user:hunter2@[proxy", "http://user:hunter2@proxy:port", "user:hunter2@proxy:99999"])(
    "is known not to be sent, and is not tried again, where the address of the proxy is %s",
    async (address) => {
      for (const name of variables) process.env[name] = address;
      const outcome = await createJob(serviceAt(baseUrl).service, body());
      expect([outcome.outcome, messageOf(outcome)]).toEqual([
        "notCreated",
        "POST /api/job/create failed: the proxy address in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY is not a URL. No job was created. " +
          "Check the address (data-connectivity:baseUrl), the network and the proxy settings, then run pulumi up again.",
      ]);
    },
  );
});
