import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimsOf } from "../../provider/src/client/token.js";
import { declaration } from "../support/declaration.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { exampleFolder } from "../support/example.js";
import { unheardAddress } from "../support/servers.js";
import { startStack } from "../support/startStack.js";

const names = ["acme", "globex", "hooli", "initech", "soylent", "stark", "umbrella", "wayne"];

describeWithEngine("examples/fleet", () => {
  afterEach(stopAll);

  test("makes the jobs of seven customers while the eighth is down, each with a token of its own", async () => {
    const service = await start({ accountOf: (token) => String(claimsOf(token)?.["sub"]) });
    const fleet = await startStack({ program: exampleFolder("fleet") });
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(join(fleet.folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const more = {
      initech: { tables: ["INVOICES"] },
      umbrella: { "data-connectivity:baseUrl": unheardAddress },
    };
    const config = {
      "data-connectivity:baseUrl": service.baseUrl,
      "data-connectivity:jobOperations": "all",
      sourceConnection: declaration.params.sourceConnection,
    };
    const customers = Object.fromEntries(
      names.map((name) => [
        name,
        { subject: `${name}-id`, config: Object.entries(more).find(([of]) => of === name)?.[1] },
      ]),
    );
    const file = join(fleet.folder, "customers.json");
    writeFileSync(file, JSON.stringify({ issuer: "parent", key: "key.pem", config, customers }));

    const preview = await fleet.shell("tsx fleet.ts --preview --only acme,umbrella");
    expect(preview).toMatchObject({ exitCode: 0 });
    expect(preview.stdout).toMatch(/^acme +ok .* create 3$/m);
    expect(posts(service.requests)).toBe(0);

    const up = await fleet.shell("tsx fleet.ts --parallel 4");
    expect(up.exitCode).toBe(1);
    expect(up.stdout.match(/^\w+ +ok .* create [23]$/gm)).toHaveLength(7);
    expect(up.stdout).toMatch(
      /^umbrella +FAILED .*no connection to 127\.0\.0\.1:1 could be made.* \(logs\/umbrella\.log\)$/m,
    );
    const jobsOf = (name: string) =>
      service.jobs.filter(({ account }) => account === `${name}-id`).map((job) => job.name);
    expect(names.map((name) => jobsOf(name).length)).toEqual([2, 2, 2, 1, 2, 2, 0, 2]);
    expect(jobsOf("initech")).toEqual(["INVOICES"]);

    const again = await fleet.shell("tsx fleet.ts --shard 1/4");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stdout).toMatch(/^acme +ok .* same 3\nsoylent +ok .* same 3\n$/m);

    const gone = await fleet.shell("tsx fleet.ts --destroy --only acme,initech");
    expect(gone).toMatchObject({ exitCode: 0 });
    expect([jobsOf("acme"), jobsOf("initech"), service.jobs.length]).toEqual([[], [], 10]);
    const { stdout } = await fleet.run(["stack", "ls", "--json"]);
    expect(stdout).not.toMatch(/acme|initech/);
  });
});
