import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../provider/src/json.js";
import { JOBS, posts, stopAll } from "../support/emulated.js";
import { startFleet } from "../support/fleetStack.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { unheardAddress } from "../support/servers.js";

const names = ["acme", "globex", "hooli", "initech", "soylent", "stark", "umbrella", "wayne"];

describeWith(yaml)("examples/fleet", () => {
  afterEach(stopAll);

  test("makes the jobs of seven customers while the eighth is down, each with a token of its own", async () => {
    const { service, stack } = await startFleet({
      ...Object.fromEntries(names.map((name) => [name, {}])),
      initech: { tables: ["INVOICES"] },
      umbrella: { config: { "data-connectivity:baseUrl": unheardAddress } },
    });

    const absent = await stack.shell("tsx fleet.ts --preview --only acme");
    expect(absent).toMatchObject({ exitCode: 1 });
    expect(absent.stdout).toMatch(
      /^acme +FAILED +[\d.]+ +no stack acme in this backend .* If it is new: --init --only acme$/m,
    );
    const preview = await stack.shell("tsx fleet.ts --preview --init --only acme,initech");
    expect(preview).toMatchObject({ exitCode: 0 });
    expect(preview.stdout).toMatch(/^acme +ok .* \+ 3 to create$/m);
    expect(posts(service.requests)).toBe(0);

    // What the shell has for another service must not reach the customers.
    const strange = { DATA_CONNECTIVITY_TOKEN: "of the shell", DATA_CONNECTIVITY_BASE_URL: unheardAddress };
    const up = await stack.shell("tsx fleet.ts --parallel 4 --init", strange);
    expect(up.exitCode).toBe(1);
    expect(up.stdout.match(/^\w+ +ok .* \+ [23] created$/gm)).toHaveLength(7);
    expect(up.stdout).toMatch(
      /^umbrella +FAILED +[\d.]+ +CachingJob "\w+": The check .*no connection to 127\.0\.0\.1:1 could be made.* then run the command again\. \(logs\/umbrella\.log\)$/m,
    );
    const jobsOf = (name: string) =>
      service.jobs.filter(({ account }) => account === `${name}-id`).map((job) => job.name);
    expect(names.map((name) => jobsOf(name).length)).toEqual([2, 2, 2, 1, 2, 2, 0, 2]);
    expect(jobsOf("initech")).toEqual(["INVOICES"]);

    const before = service.requests.length;
    const picture = await stack.shell("tsx fleet.ts --jobs -- --json", strange);
    expect(picture.exitCode).toBe(1);
    expect(JSON.parse(picture.stdout)).toMatchObject({
      jobs: null,
      incompleteJobs: Array.from({ length: 13 }, () => ({ existsIn: "both" })),
      notListed: [{ stack: "umbrella" }],
    });
    expect(service.requests.slice(before).map(({ path }) => path)).toEqual(Array.from({ length: 7 }, () => JOBS));

    const again = await stack.shell("tsx fleet.ts --shard 1/4");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stdout).toMatch(/^acme +ok .* 3 unchanged\nsoylent +ok .* 3 unchanged\n$/m);

    const gone = await stack.shell("tsx fleet.ts --destroy --only acme,initech");
    expect(gone).toMatchObject({ exitCode: 0 });
    expect([jobsOf("acme"), jobsOf("initech"), service.jobs.length]).toEqual([[], [], 10]);
    const { stdout } = await stack.run(["stack", "ls", "--json"]);
    expect(stdout).not.toMatch(/acme|initech/);

    const file = join(stack.folder, "state/.pulumi/stacks/fleet/soylent.json");
    const saved = checkpoint.parse(JSON.parse(readFileSync(file, "utf8")));
    const { resources } = saved.checkpoint.latest;
    const orders = resources.map((one) => JSON.stringify(one)).find((text) => text.includes('::ORDERS"')) ?? "";
    const late = orders.replaceAll("ORDERS", "LATE");
    Object.assign(saved.checkpoint.latest, { pending_operations: [{ type: "creating", resource: parseJson(late) }] });
    writeFileSync(file, JSON.stringify(saved));
    const left = await stack.shell("tsx fleet.ts --destroy --only soylent");
    expect(left.exitCode).toBe(1);
    expect(left.stdout).toMatch(/^soylent +FAILED +[\d.]+ +destroyed with warnings, so the stack stays/m);
    expect(jobsOf("soylent")).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain("LATE");
  });
});

const checkpoint = z.looseObject({
  checkpoint: z.looseObject({ latest: z.looseObject({ resources: z.array(z.json()) }) }),
});
