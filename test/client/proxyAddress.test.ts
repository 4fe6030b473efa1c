import { messageOf, sendCreate, serviceAt } from "../support/testService.js";

const { HTTPS_PROXY } = process.env;
afterEach(() => {
  if (HTTPS_PROXY === undefined) delete process.env["HTTPS_PROXY"];
  else process.env["HTTPS_PROXY"] = HTTPS_PROXY;
});

describe("A create", () => {
  test.each(["http://user:hunter2@[proxy", "http://user:hunter2@proxy:port", "user:hunter2@proxy:99999"])(
    "is known not to be sent, and is not tried again, where the address of the proxy is %s",
    async (address) => {
      process.env["HTTPS_PROXY"] = address;
      const outcome = await sendCreate(serviceAt("https://service.invalid").service);
      expect([outcome.outcome, messageOf(outcome)]).toEqual([
        "notCreated",
        "POST /api/job/create failed: the proxy address in HTTPS_PROXY or ALL_PROXY is not a URL. No job was created. " +
          "Check the address (data-connectivity:baseUrl), the network and the proxy settings, then run pulumi up again.",
      ]);
    },
  );
});
