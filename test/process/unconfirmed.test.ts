import { declaredMembers, readState } from "../../provider/src/lifecycle/resource.js";
import { spawnSync } from "node:child_process";
import type { Result } from "../support/all/runProvider.js";
import { TOKEN } from "../support/testService.js";
import { until } from "../support/clock.js";
import { declared, HIDDEN, outcomeOf, startProvider, startService, textOf } from "../support/configuredProvider.js";
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

test("The printed command resends an unconfirmed create once, and the variable again only with a later time", async () => {
  const service = await startService({ faults: [{ kind: "reply", status: 503, on: "create", times: 2 }] });
  const config = { baseUrl: service.baseUrl, token: TOKEN };
  const news = declared();
  const first = recorded(await (await startProvider(config)).create(news));
  const [, command = ""] = /If it does not exist, resend the create once: (.*) pulumi up\n/.exec(first.message) ?? [];
  const { stdout } = spawnSync(`${command} env`, { shell: true, encoding: "utf8" });
  const [, value = ""] = /^DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE=(.*)$/m.exec(stdout) ?? [];

  const second = await startProvider(config, resending(value));
  const again = recorded(await second.update(first.id, first.outputs, news));
  expect(again.id).toBe(first.id);
  expect(Date.parse(sentAt(again))).toBeGreaterThanOrEqual(Date.parse(value));
  expect(posts(service.requests)).toBe(2);

  // An onError hook repeats the update in the same process, with the old state; another run passes the saved state.
  expect(await second.update(first.id, first.outputs, news)).toEqual(again);
  const third = await startProvider(config, resending(value));
  expect(await third.diff(again.id, again.outputs, news)).toBe(true);
  const refused = await third.update(again.id, again.outputs, news);
  expect(outcomeOf(refused)).toBe("notCreated");
  expect(textOf(refused)).toContain(`is still unconfirmed (${first.id})`);
  expect(third.said()).toContain(
    `DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE is set to ${value}, which is not later than the create at ${sentAt(again)}`,
  );
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
