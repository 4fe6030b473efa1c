import { mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../../provider/src/json.js";
import { settingsFor, start, stopAll, stopLater } from "../emulated.js";
import { classes, yaml, type Language } from "../plugin/languages.js";
import { RequestWatch } from "../requestWatch.js";
import { caching, ofTable } from "../scenarios/scenario.js";
import { startStack } from "../startStack.js";
import { moments, type Place } from "./moments.js";
import { victims } from "./processesOfRun.js";
import { jobIdsIn, recover } from "./recovery.js";

const languages: Readonly<Record<"classes" | "plugin", Language>> = { classes, plugin: yaml };
const tables = { orders: "ORDERS", items: "ITEMS" };

/** A process should end within 20 seconds, but a busy machine may need longer. */
const mostMsToEnd = 60_000;

async function startPlace(host: keyof typeof languages, mode: Place["mode"]) {
  const watch = new RequestWatch();
  let aheadMs = () => 0;
  const service = await start({ onRequest: watch.onRequest, now: () => Date.now() + aheadMs() });
  const config = { "data-connectivity:jobOperations": mode };
  const temporary = mkdtempSync(join(tmpdir(), "killed-runs-"));
  stopLater({ stop: () => rm(temporary, { recursive: true, force: true, maxRetries: 3 }) });
  const env = { ...settingsFor(service), TMPDIR: temporary };
  const stack = await startStack({ language: languages[host], config, env });
  aheadMs = () => stack.aheadMs;
  const replaceable = { protect: false, ...(mode === "all" && { deleteBeforeReplace: true }) };
  let options: JsonObject = {};
  const declareWith = (more: Readonly<Record<string, JsonObject>>) => {
    const jobs = Object.entries(tables).map(
      ([name, table]) =>
        [name, caching({ ...ofTable(table), ...more[name] }, name === "orders" ? options : {})] as const,
    );
    stack.declare(Object.fromEntries(jobs));
  };
  const declare = (isReplaceable = false) => {
    options = isReplaceable ? replaceable : {};
    declareWith({});
  };
  const place: Place = { mode, stack, service, watch, declare };
  return { place, stack, service, declareWith, temporary };
}

/**
 * Declares a test for each moment of a run and each of its processes to kill at that moment. Following what `pulumi up`
 * then says must lead to exactly one job for each declaration, which the state knows.
 */
export function killAtEachMoment(host: keyof typeof languages, mode: Place["mode"]): void {
  afterEach(stopAll);
  const cells = Object.keys(moments).flatMap((moment) => victims.map((victim) => [moment, victim] as const));

  test.each(cells)("%s, kill -9 of the %s", async (moment, victim) => {
    const { place, stack, service, declareWith, temporary } = await startPlace(host, mode);
    const reach = moments[moment];
    const { run, processes, go, line } = (await reach?.(place)) ?? fail(moment);
    const creates = () => service.requests.filter(({ operation }) => operation === "create").length;
    const sent = creates();
    try {
      processes.kill(victim);
      if (victim === "cli") await run.finished;
      go();
      await run.finished;
      expect(await processes.leftAfter(mostMsToEnd)).toEqual([]);
      // Without the program, the engine still ends what it has begun.
      if (victim !== "program") expect(creates()).toBe(sent);
    } finally {
      processes.endAll();
    }
    const said = await recover({ stack, service, tables, declareWith, line });
    const tableOf = (jobId: string) => service.jobs.find(({ id }) => id === jobId)?.params["sourceTable"];
    expect(jobIdsIn(stack).map(tableOf).sort()).toEqual(Object.values(tables).sort());
    const replaced = moment === "in a replacement" ? 1 : 0;
    const made = service.requests.filter(({ operation, job }) => operation === "create" && job !== undefined).length;
    expect({ made, said }).toEqual({ made: 2 + replaced, said });
    expect(service.jobs.length).toBe(2 + (mode === "create" ? replaced : 0));
    expect(stack.state.pending_operations).toEqual([]);
    expect(await stack.up(["--skip-preview", "--expect-no-changes"])).toMatchObject({ exitCode: 0 });
    const left = readdirSync(temporary, { recursive: true, encoding: "utf8" });
    // Each user's own folder stays, and a killed run's folder with what its processes told each other: nothing shows that
    // the run is over. No note of a create does.
    const ofRuns =
      /data-connectivity[^/]*\/[\w-]{22}(\/(first-reading\.json|\d+-asks|[\w-]{22}-(adopted|read|named|left)))?$/;
    expect(left.filter((path) => /data-connectivity[^/]*\//.test(path) && !ofRuns.test(path))).toEqual([]);
  });
}

function fail(moment: string): never {
  throw new Error(`There is no moment "${moment}".`);
}
