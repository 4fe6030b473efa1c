import type { StartedProvider } from "../support/all/hosts.js";
import type { Result } from "../support/all/runProvider.js";
import { declared, startProvider, startService, textOf } from "../support/configuredProvider.js";
import { posts, stopAll } from "../support/emulated.js";
import { deferred } from "../support/deferred.js";
import type { TestServer } from "../support/emulator/index.js";
import { TOKEN } from "../support/testService.js";

afterEach(stopAll);

const named = (name: string, table = "T") => declared(table, { __resource: { name } });
const idOf = (result: Result): string | undefined => (result.kind === "initFailed" ? result.id : undefined);

/** Repeats a create, as an `onError` hook makes the engine do. */
const retry = (provider: StartedProvider, name: string) => provider.create(named(name));

describe("Two identical jobs that are created at the same time", () => {
  test("cause one request where the first becomes unconfirmed: the second is refused, because nothing of it was sent", async () => {
    const service = await startService({
      faults: [{ kind: "reply", status: 503, on: "create", processed: true }],
    });
    const provider = await startProvider({ baseUrl: service.baseUrl, token: TOKEN });
    const [first, second] = await Promise.all([provider.create(named("one")), provider.create(named("two"))]);
    expect([posts(service.requests), service.jobs.length]).toEqual([1, 1]);
    expect(idOf(first)).toMatch(/^unconfirmed-/);
    expect(textOf(first)).toMatch(/^CachingJob "one": POST \/api\/job\/create failed with HTTP 503/);
    expect(second).toEqual({ kind: "error", message: textOf(second) });
    expect(textOf(second)).toBe(
      'CachingJob "two": The create of an identical job (CachingJob "one") is unconfirmed. No job was created: the create was not sent. ' +
        "Resolve that create first: the next pulumi up resolves it, or its error says how.",
    );

    expect(await retry(provider, "one")).toEqual(first);
    expect(await retry(provider, "two")).toEqual(second);
    expect(posts(service.requests)).toBe(1);
  });

  test("are both sent where creates go in parallel, and a retry of each gets its own record", async () => {
    const bothSent = deferred();
    const until = bothSent.promise;
    const service: TestServer = await startService({
      faults: [{ kind: "reply", status: 503, on: "create", after: 1, times: -1, processed: true, until }],
      onRequest: () => {
        if (posts(service.requests) === 3) bothSent.resolve();
      },
    });
    const provider = await startProvider({ baseUrl: service.baseUrl, token: TOKEN });
    expect((await provider.create(named("before", "OTHER"))).kind).toBe("ok");
    const made = await Promise.all([provider.create(named("one")), provider.create(named("two"))]);
    const ids = made.map(idOf);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(undefined);
    const again = await Promise.all([retry(provider, "one"), retry(provider, "two")]);
    expect(again).toEqual(made);
    expect([posts(service.requests), service.jobs.length]).toEqual([3, 3]);
  });
});
