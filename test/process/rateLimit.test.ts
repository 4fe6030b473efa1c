import {
  account,
  createAll,
  failing,
  startProvider,
  startService,
  tally,
  textOf,
} from "../support/configuredProvider.js";
import { posts, stopAll } from "../support/emulated.js";

afterEach(stopAll);

const count = 200;

describe("A rate limiter", () => {
  test("that refuses every third request, with or without Retry-After, lets all creates through once each", async () => {
    const service = await startService({
      faults: [
        { kind: "reply", status: 429, every: 6, times: -1, headers: { "Retry-After": "0" } },
        // Counts only requests the first fault lets through, five of every six, and refuses the third of every five.
        { kind: "reply", status: 429, every: 5, after: 3, times: -1 },
      ],
    });
    const provider = await startProvider({ accounts: { limited: account(service, 3600) } });
    const results = await createAll(provider, "limited", count);
    expect(tally(results)).toEqual({ created: count, notCreated: 0, unconfirmed: 0 });
    expect(service.jobs).toHaveLength(count);
    expect(new Set(service.jobs.map(({ params }) => params["sourceTable"])).size).toBe(count);
    expect(service.requests.filter(({ status }) => status === 429).length).toBeGreaterThan(0.45 * count);
  });

  test("that asks to wait longer than timeoutSeconds ends the creates of its account that were not sent as not created", async () => {
    const service = await startService({ faults: failing(429, { headers: { "Retry-After": "600" } }) });
    const other = await startService();
    const provider = await startProvider({ accounts: { limited: account(service), other: account(other) } });
    const results = await createAll(provider, "limited", 20);
    expect(tally(results)).toEqual({ created: 0, notCreated: 20, unconfirmed: 0 });
    expect(tally(await createAll(provider, "other", 5)).created).toBe(5);
    expect(posts(service.requests)).toBe(1);
    const texts = results.map(textOf);
    expect(texts.filter((text) => /asks for a pause of another \d{3} s/.test(text))).toHaveLength(1);
    expect(texts.filter((text) => text.includes("the create was not sent"))).toHaveLength(19);
  });

  test("pauses the whole account, and a pause beyond five seconds is shown once", async () => {
    const service = await startService({
      faults: [{ kind: "reply", status: 429, headers: { "Retry-After": "6" } }],
    });
    const provider = await startProvider({ accounts: { paused: account(service) } });
    expect(tally(await createAll(provider, "paused", 5)).created).toBe(5);
    const [first = 0, second = 0] = service.requests.map(({ at }) => Date.parse(at));
    expect(second - first).toBeGreaterThanOrEqual(5990);
    expect(provider.said().match(/asks for a pause of 6 s\. No request is sent before/g)).toHaveLength(1);
  });
});
