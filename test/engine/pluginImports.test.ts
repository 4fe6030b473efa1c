import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";
import { succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { startStack } from "../support/startStack.js";

afterEach(stopAll);

describeWith(yaml)("The jobs of a provider that the program declares", () => {
  test("are imported for that provider by the file that the command prints, and nothing is to change then", async () => {
    const service = await start({ token: "token-of-eu" });
    const stack = await startStack({
      language: yaml,
      env: { TOKEN_EU: service.token, DATA_CONNECTIVITY_TOKEN: "of another account" },
    });
    const eu = {
      ...provider({ baseUrl: service.baseUrl, jobOperations: "all" }),
      options: { envVarMappings: { TOKEN_EU: "DATA_CONNECTIVITY_TOKEN" } },
    };
    const ofEu = { provider: "${eu}" };
    const orders = job(inputs(), ofEu);
    stack.declare({ eu, orders });
    await succeeds(stack.up());
    expect(await succeeds(stack.shell("pulumi-data-connectivity doctor"))).toContain("All checks passed");
    service.addJob(cachingBody("ITEMS"));
    const jobs = "pulumi-data-connectivity jobs --at-service - --as-import";
    await succeeds(stack.shell(`pulumi stack export --show-secrets | ${jobs} > jobs.json`));
    await succeeds(stack.run(["import", "--file", "jobs.json", "--yes", "--skip-preview", "--protect=false"]));
    stack.declare({ eu, orders, items: job(inputs("ITEMS"), ofEu) });
    expect(await succeeds(stack.up(["--expect-no-changes"]))).toContain("4 unchanged");
    expect(service.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});
