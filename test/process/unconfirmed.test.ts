import { declaredMembers, readState } from "../../provider/src/lifecycle/resource.js";
import { spawnSync } from "node:child_process";
import type { Result } from "../support/all/runProvider.js";
import { TOKEN } from "../support/testService.js";
import { until } from "../support/clock.js";
import { deferred } from "../support/deferred.js";
import type { TestFault, TestServer } from "../support/emulator/index.js";
import {
  declared,
  HIDDEN,
  outcomeOf,
  startProvider,
  startService,
  tables,
  tally,
  textOf,
} from "../support/configuredProvider.js";
import { posts, stopAll } from "../support/emulated.js";

afterEach(stopAll);

type Recorded = Extract<Result, { kind: "initFailed" }>;

/** What the engine saves for an unconfirmed create or update. */
function recorded(result: Result): Recorded {
  if (result.kind !== "initFailed") throw new Error(`Not recorded: ${JSON.stringify(result)}`);
  return result;
}

const sentAt = ({ outputs }: Pick<Recorded, "outputs">): string => readState(outputs)?.origin.at ?? "";

const resending = (before: string): NodeJS.ProcessEnv => ({ DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: before });

/** Waits until after `time` and returns the current time: the variable of `resending` accepts no time in the future. */
async function instantAfter(time: string): Promise<string> {
  await until(Date.parse(time) + 1);
  return new Date().toISOString();
}

test("An unconfirmed job is recorded with what to look for, and without what may be secret", async () => {
  const service = await startService({ faults: [{ kind: "reset", on: "create", processed: true }] });
  const provider = await startProvider({ baseUrl: service.baseUrl, token: TOKEN });
  const result = recorded(await provider.create(declared()));
  const { id, outputs, message: text } = result;
  const at = sentAt(result);
  expect(id).toMatch(/^unconfirmed-[0-9a-f-]{36}$/);
  expect(declaredMembers(outputs)).toEqual(declaredMembers(declared()));
  expect(outputs["job"]).toEqual({});
  expect(outputs["origin"]).toEqual({ outcome: "unconfirmed", baseUrl: service.baseUrl, at });
  const [list, post] = service.requests;
  expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(list?.at ?? ""));
  expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse(post?.at ?? ""));
  for (const part of [service.baseUrl, "Caching", "intervalValue 4", at, "existingJobId"]) expect(text).toContain(part);
  expect(text).not.toContain(HIDDEN);
});

test("The variable resends an unconfirmed create once; if it is unconfirmed again, the same value does not resend it", async () => {
  const service = await startService({ faults: [{ kind: "reply", status: 503, on: "create", times: 2 }] });
  const config = { baseUrl: service.baseUrl, token: TOKEN };
  const news = declared();
  const first = recorded(await (await startProvider(config)).create(news));

  const env = resending(await instantAfter(sentAt(first)));
  const second = await startProvider(config, env);
  const again = recorded(await second.update(first.id, first.outputs, news));
  expect(again.id).toBe(first.id);
  expect(Date.parse(sentAt(again))).toBeGreaterThanOrEqual(
    Date.parse(env["DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE"] ?? ""),
  );
  expect(posts(service.requests)).toBe(2);

  // An onError hook repeats the update in the same process, with the old state; another run passes the saved state.
  expect(await second.update(first.id, first.outputs, news)).toMatchObject({
    kind: "ok",
    outputs: { origin: again.outputs["origin"] },
  });
  const third = await (await startProvider(config, env)).update(again.id, again.outputs, news);
  expect(outcomeOf(third)).toBe("notCreated");
  expect(textOf(third)).toContain(`is still unconfirmed (${first.id})`);
  expect([posts(service.requests), service.jobs.length]).toEqual([2, 0]);

  const later = await startProvider(config, resending(await instantAfter(sentAt(again))));
  expect(await later.update(again.id, again.outputs, news)).toMatchObject({
    kind: "ok",
    outputs: { origin: { outcome: "created" } },
  });
  expect([posts(service.requests), service.jobs.length]).toEqual([3, 1]);
  expect(later.said()).toContain(
    `the unconfirmed create of ${sentAt(again)} was resent, and made job ${service.jobs[0]?.id}.`,
  );
});

test("The printed command resends at once, and says why not where it is pasted again", async () => {
  const service = await startService({ faults: [{ kind: "reply", status: 503, on: "create", times: 2 }] });
  const config = { baseUrl: service.baseUrl, token: TOKEN };
  const news = declared();
  const made = await (await startProvider(config)).create(news);
  const [, command = ""] = /If it does not exist, resend the create once: (.*) pulumi up\n/.exec(textOf(made)) ?? [];
  const { stdout } = spawnSync(`${command} env`, { shell: true, encoding: "utf8" });
  const [, value = ""] = /^DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE=(.*)$/m.exec(stdout) ?? [];

  const first = recorded(made);
  const pasted = await startProvider(config, resending(value));
  const second = recorded(await pasted.update(first.id, first.outputs, news));
  expect(posts(service.requests)).toBe(2);

  const again = await startProvider(config, resending(value));
  expect(await again.diff(second.id, second.outputs, news)).toBe(true);
  expect(outcomeOf(await again.update(second.id, second.outputs, news))).toBe("notCreated");
  expect(again.said()).toContain(
    `DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE is set to ${value}, which is not later than the create at ${sentAt(second)}`,
  );
  expect(posts(service.requests)).toBe(2);
});

test("One run resolves sixty unconfirmed creates: those that exist by their id, the others by the variable", async () => {
  // The service breaks after the first job, and processes half of the creates that are in flight when it breaks.
  const allSent = deferred();
  const broken: TestFault = { kind: "reset", on: "create", after: 1, until: allSent.promise };
  const service: TestServer = await startService({
    faults: [
      { ...broken, every: 2, times: 30, processed: true },
      { ...broken, times: 30 },
    ],
    onRequest: () => {
      if (posts(service.requests) === 61) allSent.resolve();
    },
  });
  const config = { baseUrl: service.baseUrl, token: TOKEN };
  const provider = await startProvider(config);
  const made = await Promise.all(
    tables(61).map(async (table) => ({ table, result: await provider.create(declared(table)) })),
  );
  expect(tally(made.map(({ result }) => result))).toEqual({ created: 1, notCreated: 0, unconfirmed: 60 });
  expect([posts(service.requests), service.jobs.length]).toEqual([61, 31]);

  const unconfirmed = made
    .filter(({ result }) => outcomeOf(result) === "unconfirmed")
    .map(({ table, result }) => ({ table, ...recorded(result) }));
  const ids = new Map(service.jobs.map(({ id, params }) => [params["sourceTable"], id]));
  const latest = unconfirmed.map(sentAt).sort().at(-1) ?? "";
  const next = await startProvider(config, resending(await instantAfter(latest)));
  const resolved = await Promise.all(
    unconfirmed.map(async ({ table, id, outputs }) => {
      // A refresh before the update changes nothing.
      expect(await next.read(id, outputs)).toEqual({ kind: "ok", id, outputs });
      const existingJobId = ids.get(table);
      const news = declared(table, existingJobId === undefined ? {} : { existingJobId });
      return await next.update(id, outputs, news);
    }),
  );

  const outcomes = resolved.map((result) => result.kind === "ok" && readState(result.outputs)?.origin.outcome);
  expect(outcomes.sort()).toEqual([...Array<string>(30).fill("adopted"), ...Array<string>(30).fill("created")]);
  expect([posts(service.requests), service.jobs.length]).toEqual([91, 61]);
  expect(new Set(service.jobs.map(({ params }) => params["sourceTable"])).size).toBe(61);
});
