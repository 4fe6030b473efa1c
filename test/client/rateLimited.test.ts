import { modes } from "../../provider/src/config/index.js";
import { createJob, getJob, updateJob, deleteJob } from "../../provider/src/client/jobCalls.js";
import { listJobs } from "../../provider/src/client/lists.js";
import type { Service } from "../../provider/src/client/service.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { serviceAt, TOKEN } from "../support/testService.js";

afterAll(stopAll);

const operations = {
  list: (service: Service) => listJobs(service),
  get: (service: Service, id: string) => getJob(service, id),
  create: (service: Service) => createJob(service, cachingBody("CUSTOMERS")),
  update: (service: Service, id: string) => updateJob(service, id, cachingBody("ORDERS", { intervalValue: 7 })),
  delete: (service: Service, id: string) => deleteJob(service, id),
};

const done = {
  list: { kind: "listed" },
  get: { kind: "found" },
  create: { outcome: "answered" },
  update: { kind: "updated" },
  delete: { kind: "deleted" },
};

const cases = (["list", "get", "create", "update", "delete"] as const).flatMap((on) =>
  // A create is never repeated after a 503: the service may have processed the create.
  (on === "create" ? [429] : [429, 503]).flatMap((status) =>
    [1, 2].flatMap((times) => [3, 4.0007, 1].map((timeoutSeconds) => ({ on, status, times, timeoutSeconds }))),
  ),
);

test.each(cases)(
  "With all operations, $on waits for the Retry-After of HTTP $status, $times in a row, and is done (timeout: $timeoutSeconds s)",
  async ({ on, status, times, timeoutSeconds }) => {
    const emulator = await start({
      token: TOKEN,
      faults: [{ kind: "reply", on, status, times, headers: { "Retry-After": "1" } }],
    });
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const clock = new FastClock();
    const { service } = serviceAt(emulator.baseUrl, { mode: modes.all, timeoutSeconds }, { clock });
    const begun = clock.now();
    expect(await operations[on](service, id)).toMatchObject(done[on]);
    expect(clock.now() - begun).toBeGreaterThanOrEqual(times * 1000);
    expect(emulator.requests.map((request) => request.status)).toEqual([...Array<number>(times).fill(status), 200]);
  },
);

test.each([
  [500, "5"],
  [503, "soon"],
])(
  "After HTTP %d with Retry-After: %s, which sets no pause, the ordinary wait precedes the next try",
  async (status, retryAfter) => {
    jest.spyOn(Math, "random").mockReturnValue(1);
    const emulator = await start({
      token: TOKEN,
      faults: [{ kind: "reply", on: "list", status, headers: { "Retry-After": retryAfter } }],
    });
    const clock = new FastClock();
    const { service } = serviceAt(emulator.baseUrl, { mode: modes.all, timeoutSeconds: 60 }, { clock });
    const begun = clock.now();
    expect(await listJobs(service)).toMatchObject({ kind: "listed" });
    expect(clock.now() - begun).toBeGreaterThanOrEqual(500);
  },
);

afterEach(() => jest.restoreAllMocks());
