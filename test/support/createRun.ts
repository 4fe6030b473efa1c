import fc from "fast-check";
import { isObject } from "../../provider/src/json.js";
import type { FaultScope } from "../../provider/src/testing/emulator/faults.js";
import { cachingInputs } from "./all/declarations.js";
import type { Result, RunProvider } from "./all/runProvider.js";
import type { TestFault, TestServer } from "./emulator/index.js";
import { testRandomly, type Cases } from "./lanes.js";
import {
  brokenConnection,
  brokenReply,
  processed,
  randomService,
  reply,
  scattered,
  type RandomService,
  type ValueOf,
} from "./randomFaults.js";

const timeouts = [1, 2, 3] as const;

/** A service's accounts whose names begin with `name`, one per timeout. */
export const accountsFor = (name: string, { baseUrl, token }: Pick<TestServer, "baseUrl" | "token">) =>
  Object.fromEntries(
    timeouts.map((timeoutSeconds) => [accountOf(name, timeoutSeconds), { baseUrl, token, timeoutSeconds }]),
  );

const accountOf = (name: string, timeoutSeconds: number): string => `${name}-${timeoutSeconds}`;

/** Statuses that this package takes to mean "nothing was made". In these runs this meaning is always true. */
const refusals = [400, 401, 403, 404, 405, 409, 413, 422, 429];
const ambiguous = [200, 201, 204, 301, 302, 303, 304, 307, 308, 408, 499, 500, 502, 503, 504, 520];

const scope: fc.Arbitrary<FaultScope> = fc.record({
  // A fault of `sources` ends most runs before their first create, so runs with few such faults find more bugs.
  on: fc.constantFrom("create", "create", "create", "create", "sources", undefined),
  after: fc.nat({ max: 4 }),
  times: fc.constantFrom(1, 1, 2, 3, -1),
});

const headers = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { "Retry-After": "0" },
  { "Retry-After": "1" },
  { "Retry-After": "2" },
  { "Retry-After": "120" },
  { "Retry-After": "soon" },
  { Location: "https://else.example/" },
);
const texts = fc.constantFrom(
  "",
  "oops",
  "<html><title>Bad</title>",
  '{"jobs":null}',
  '{"jobs":[]}',
  '{"id":"x"}',
  "[[[",
);

const body = fc.option(texts, { nil: undefined });
const fault: fc.Arbitrary<TestFault> = fc.oneof(
  fc.record({ kind: reply, status: fc.constantFrom(...refusals), headers, body, processed: processed.never }),
  fc.record({ kind: reply, status: fc.constantFrom(...ambiguous), headers, body, processed: processed.perhaps }),
  { weight: 3, arbitrary: brokenReply },
  fc.record({ kind: fc.constant("echoToken"), status: fc.constantFrom(400, 401, 500, 200) }),
  fc.record({ kind: fc.constant("delay"), ms: fc.nat({ max: 100 }) }),
  fc.record({ kind: fc.constant("drip"), everyMs: fc.constantFrom(1, 200), bytes: fc.constant(40) }),
  fc.record({ kind: fc.constantFrom("bomb", "oversized"), mebibytes: fc.constantFrom(1, 12) }),
);

/** How many creates, how many at a time, and the faults of the service. */
const randomRun = fc.record({
  service: randomService,
  timeoutSeconds: fc.constantFrom(1, 1, 2, 3),
  faults: fc.array(fc.oneof({ weight: 6, arbitrary: scattered(fault, scope) }, brokenConnection), {
    minLength: 1,
    maxLength: 4,
  }),
  creates: fc.integer({ min: 1, max: 12 }),
  parallel: fc.constantFrom(1, 2, 12),
  /** Repeat the call of each unconfirmed create, as an `onError` hook makes the engine do. */
  hook: fc.boolean(),
});

/** The service for one random run of creates, and a provider with accounts at the service. */
export interface CreateSetup {
  readonly emulator: TestServer;
  readonly provider: Pick<RunProvider, "create">;
  /** The prefix of the provider's account names. The provider has one account for each timeout setting. */
  readonly account: string;
  /** Called at the end of the run. */
  readonly leave?: () => Promise<void>;
}

interface Made {
  readonly table: string;
  readonly result: Result;
  readonly again: Result | undefined;
}

/** A test that many random runs of creates break no rule, each at a service and a provider of its own. */
export function testCreates(
  title: string,
  cases: Cases,
  setUp: (service: RandomService) => Promise<CreateSetup>,
): void {
  const check = async (given: ValueOf<typeof randomRun>) => {
    const setup = await setUp(given.service);
    const made = await playCreates(setup, given);
    expect(violations(setup.emulator, made)).toEqual([]);
    await setup.leave?.();
    return made.map(({ result }) => result.kind);
  };
  testRandomly(title, cases, randomRun, check, (outcomes) => {
    expect([...outcomes].sort()).toEqual(["error", "initFailed", "ok"]);
  });
}

async function playCreates(
  { emulator, provider, account }: CreateSetup,
  given: ValueOf<typeof randomRun>,
): Promise<Made[]> {
  const { faults, creates, parallel, hook } = given;
  emulator.inject(...faults);
  const waiting = Array.from({ length: creates }, (_, n) => `TABLE_${n}`);
  const made: Made[] = [];
  const work = async (): Promise<void> => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      const inputs = cachingInputs(table, table, { account: accountOf(account, given.timeoutSeconds) });
      const result = await provider.create(inputs);
      const again = hook && result.kind === "initFailed" ? await provider.create(inputs) : undefined;
      made.push({ table, result, again });
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  await emulator.stop();
  return made;
}

const tableOf = (value: unknown): unknown =>
  isObject(value) && isObject(value["params"]) ? value["params"]["sourceTable"] : undefined;

/** Which rules are broken. All rules must hold, whatever the network did. */
function violations(emulator: TestServer, made: readonly Made[]): string[] {
  const undocumented = emulator.requests.filter(({ operation }) => operation !== "create" && operation !== "sources");
  return made.flatMap(({ table, result, again }) => {
    const sent = emulator.requests.filter(({ method, body }) => method === "POST" && tableOf(body) === table);
    // A retry is allowed only after the service has replied that nothing was done.
    const perhapsProcessed = sent.filter(({ status }) => status !== 429 && status !== 401);
    const jobs = emulator.jobs.filter(({ params }) => params["sourceTable"] === table);
    const text = result.kind === "ok" ? "" : result.message;
    const wrong: [boolean, string][] = [
      [undocumented.length > 0, `asked for ${undocumented.map(({ path }) => path).join()}`],
      [perhapsProcessed.length > 1, `${perhapsProcessed.length} creates that could have been processed`],
      [jobs.length > 1, `${jobs.length} jobs`],
      [result.kind === "error" && jobs.length > 0, "reported as not created, but there is a job"],
      [
        // A 409 may be about a job of this very create, which something on the way sent twice.
        result.kind === "error" && !text.includes("No job was created") && !text.includes("failed with HTTP 409"),
        'message without "No job was created"',
      ],
      [
        /(?:nothing|create) was (?:not )?sent/.test(text) && sent.length > 0,
        "message says that nothing was sent, but a create was",
      ],
      [result.kind === "ok" && result.id !== jobs[0]?.id, "reported with the id of a job that does not exist"],
      [
        result.kind === "initFailed" && again !== undefined && (again.kind === "error" || again.id !== result.id),
        "second call did not return the record",
      ],
      [JSON.stringify([result, again]).includes(emulator.token), "token in the result"],
    ];
    return wrong.filter(([isWrong]) => isWrong).map(([, what]) => `${table} (${result.kind}): ${what}; ${text}`);
  });
}
