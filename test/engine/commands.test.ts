import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { membersOf } from "../../provider/src/json.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { classes, yaml } from "../support/plugin/languages.js";
import { lostReply, orders, otherService, preview, service, up } from "../support/scenarios/scenario.js";

describeWithEngine.each([classes, yaml])("An up that refreshes first: $name", (language) => {
  const engine = engineForEachTest({ language });

  /** Each way to refresh first must end like this, and again in the next run. */
  async function failsEachTime(says: readonly string[]) {
    const setOptions = (options: object) => {
      const path = join(engine().stack.folder, "Pulumi.yaml");
      const project = membersOf(parse(readFileSync(path, "utf8")));
      writeFileSync(path, JSON.stringify({ ...project, options }));
    };
    const older = { PULUMI_ENABLE_LEGACY_REFRESH_DIFF: "true" };
    for (const env of [{}, older]) await engine().play({ run: [...up, "--refresh"], env, exitCode: 1, says });
    setOptions({ refresh: "always" });
    await engine().play({ exitCode: 1, says });
    setOptions({});
  }

  test("fails for an unconfirmed create, and for a job at another address", async () => {
    const faults = [{ ...lostReply, processed: true }];
    await engine().play({ program: orders(), faults, exitCode: 1, posts: 1 });
    await failsEachTime(["is still unconfirmed (unconfirmed-"]);
    await engine().play({ program: orders({ existingJobId: "job-1" }) });
    await engine().play({ config: { "data-connectivity:baseUrl": otherService }, run: preview, exitCode: 1 });
    await failsEachTime([`baseUrl: ${service} → ${otherService}`]);
  });
});
