import { execFileSync } from "node:child_process";
import { workspace } from "../support/package/packed.js";
import { declaration } from "../support/declaration.js";

test("A preview of a new job loads no axios, which would take longer than the preview's own work", () => {
  const script = `
    require("pulumi-data-connectivity");
    require("pulumi-data-connectivity/dynamic/v1").cachingJob.check({}, ${JSON.stringify(declaration)}).then((checked) => {
      const axios = Object.keys(require.cache).filter((path) => /node_modules.axios\\b/.test(path));
      console.log(JSON.stringify({ failures: checked.failures, axios }));
    });`;
  const env = { ...process.env, DATA_CONNECTIVITY_BASE_URL: "https://jobs.example.com", DATA_CONNECTIVITY_TOKEN: "t" };
  const output = execFileSync(process.execPath, ["--eval", script], { cwd: workspace, env, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({ failures: [], axios: [] });
});
