import type { AxiosStatic } from "axios";
import nock from "nock";
import type * as http from "../../provider/src/client/http.js";
import { listDataSources } from "../../provider/src/client/requests.js";
import type { Made, Outcome } from "../../provider/src/client/outcomes.js";
import { endOf, body, create, messageOf, clientAt } from "../support/testService.js";

const createPath = "/api/job/create";
const listPath = "/api/poweredby/sources/list";
const list = { dataSources: [{ dataSource: "Snowflake" }] };
const job = { jobs: [{ ...body(), id: "7" }] };

/** What no message may claim: with an interceptor, there is no proof that nothing was sent. */
const claims = /No job was created|nothing was sent|was not sent|no connection/;

function expectUnconfirmed(outcome: Outcome<Made>, says: RegExp): void {
  expect(endOf(outcome)).toBe("unconfirmed");
  expect(messageOf(outcome)).toMatch(says);
  expect(messageOf(outcome)).not.toMatch(claims);
}

describe.each(["http://127.0.0.1:9", "https://jobs.example.com"])("Under an HTTP interceptor, at %s", (baseUrl) => {
  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(nock.cleanAll);
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });

  const answering = () => nock(baseUrl).get(listPath).reply(200, list).post(createPath);
  const createdBy = () => create(clientAt(baseUrl));

  test("a processed create is created", async () => {
    answering().reply(200, job);
    expect(await createdBy()).toMatchObject({ kind: "done", value: { record: { job: { id: "7" } } } });
  });

  test.each<[string, Error | { code: string }]>([
    ["with a code", { code: "ECONNRESET" }],
    ["without a code", new Error("broken")],
    ["with the code of a connection that was never made", { code: "ECONNREFUSED" }],
    ["with the code of an address that is not known", { code: "ENOTFOUND" }],
  ])("a create that fails %s after it was intercepted is unconfirmed", async (_how, error) => {
    let sent = 0;
    nock(baseUrl)
      .get(listPath)
      .reply(200, list)
      .post(createPath, () => (sent += 1) > 0)
      .replyWithError(error instanceof Error ? error : Object.assign(new Error(error.code), error));
    expectUnconfirmed(await createdBy(), /failed: the connection broke before a reply came/);
    expect(sent).toBeGreaterThan(0);
  });

  test("a create that is answered too late is unconfirmed", async () => {
    answering().delay(2000).reply(200, job);
    expectUnconfirmed(await createdBy(), /no reply came in time|took too long/);
    nock.abortPendingRequests();
  });

  test.each([403, 407, 503])("a list that fails with %i is not told as a refusal by a proxy", async (status) => {
    nock(baseUrl).get(listPath).times(9).reply(status, "oops");
    const failed = await listDataSources(clientAt(baseUrl));
    expect(failed).toMatchObject({ kind: "failed", cause: status === 503 ? "ambiguous" : "refused", status });
    expect("what" in failed && failed.what).toMatch(new RegExp(`failed with HTTP ${status}: oops`));
  });
});

type Sending = typeof http;

/** `sendOnce` with `adapter` as the axios adapter, which bypasses our transport. */
function sendOnceBy(adapter: () => Promise<unknown>): Sending["sendOnce"] {
  let loaded: Sending | undefined;
  jest.isolateModules(() => {
    jest.doMock("axios", () => {
      const { AxiosHeaders } = jest.requireActual<Pick<AxiosStatic, "AxiosHeaders">>("axios");
      return Object.assign(() => undefined, { getAdapter: () => adapter, AxiosHeaders });
    });
    loaded = jest.requireActual<Sending>("../../provider/src/client/http.js");
  });
  if (loaded === undefined) throw new Error("The module was not loaded.");
  return loaded.sendOnce;
}

describe("With a client that ignores the transport", () => {
  afterEach(() => {
    jest.dontMock("axios");
    jest.resetModules();
  });

  const request = () => ({
    method: "POST" as const,
    repeatable: false,
    url: `http://127.0.0.1:9${createPath}`,
    token: "t",
    body: "{}",
    signal: AbortSignal.timeout(5000),
  });

  test.each(["ECONNREFUSED", "CERT_HAS_EXPIRED"])(
    "the error %s leaves it open whether the request was sent",
    async (code) => {
      const sendOnce = sendOnceBy(() => Promise.reject(Object.assign(new Error("broken"), { code })));
      const result = await sendOnce(request());
      expect(result).toMatchObject({ kind: "noReply", sent: true, final: false });
      expect("reason" in result && result.reason).toMatch(/^the connection broke before a reply came/);
    },
  );
});
