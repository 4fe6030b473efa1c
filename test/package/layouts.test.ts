import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { whyUnreachable } from "../../provider/src/hosts/dynamic/run.js";
import { startProcess } from "../support/driver/process.js";
import { declaration } from "../support/declaration.js";
import { start, stopAll } from "../support/emulated.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { installInto, packageName, packedOnce, type Layout } from "../support/package/packed.js";

const handler = `exports.handler=()=>require("${packageName}/dynamic/v1").cachingJob`;
/** The program that the engine starts, and which runs the user's program. */
const cli = "/project/node_modules/@pulumi/pulumi/cmd/run/index.js";
const layouts: readonly Layout[] = ["npm", "pnpm", "link"];

describe("The installed package", () => {
  afterEach(stopAll);
  const packed = packedOnce("7.8.9");
  const project = temporaryFolder();
  beforeEach(() => {
    writeFileSync(join(project(), "package.json"), JSON.stringify({ name: "program", private: true }));
  });

  const run = (script: string, type: "commonjs" | "module" = "commonjs"): unknown =>
    JSON.parse(
      execFileSync(process.execPath, [`--input-type=${type}`, "--eval", script], { cwd: project(), encoding: "utf8" }),
    );

  test.each(layouts)("gives the same names to require and to import (%s)", (layout) => {
    installInto(project(), layout, packed());
    const paths = [packageName, `${packageName}/testing`, `${packageName}/dynamic/v1`];
    const required = run(
      `console.log(JSON.stringify(${JSON.stringify(paths)}.map((path) => Object.keys(require(path)).sort())));`,
    );
    // Named imports from a CommonJS module work only for names that Node finds in its source text.
    const imported = run(
      `const all = await Promise.all(${JSON.stringify(paths)}.map((path) => import(path)));
       const ours = (name) => !["default", "module.exports", "__esModule"].includes(name);
       console.log(JSON.stringify(all.map((names) => Object.keys(names).filter(ours).sort())));`,
      "module",
    );
    expect(imported).toEqual(required);
    expect(required).toEqual([
      [
        ...["CachingJob", "IntervalUnit", "LookupError", "ScheduledQueryJob"],
        ...["getAccounts", "getAccountsOutput"],
        ...["getConnection", "getConnectionOutput", "getConnections", "getConnectionsOutput"],
        ...["getDataSources", "getDataSourcesOutput", "getJob", "getJobOutput", "getJobs", "getJobsOutput", "runJob"],
      ],
      ["setProviderMocks", "startEmulator"],
      ["cachingJob", "scheduledQueryJob"],
    ]);
  });

  test("lets nothing be loaded but what it exports", () => {
    installInto(project(), "npm", packed());
    const codes = run(`
      const codes = ["/dist/index.js", "/dist/client/http.js", "/dynamic/v2", "/package.json"].map((path) => {
        try { require("${packageName}" + path); return "loaded"; } catch (error) { return error.code; }
      });
      console.log(JSON.stringify(codes));`);
    expect(codes).toEqual([...Array<string>(3).fill("ERR_PACKAGE_PATH_NOT_EXPORTED"), "loaded"]);
  });

  test.each([...layouts.map((layout) => [layout, "."] as const), ["npm", "infra/stack"] as const])(
    "is found by the program, and loaded by the provider process for a saved resource (%s, program in %s)",
    async (layout, folder) => {
      installInto(project(), layout, packed());
      const folders = [".", "below", folder].map((name) => join(project(), name));
      for (const each of folders) mkdirSync(each, { recursive: true });
      expect(folders.map((each) => whyUnreachable(cli, each))).toEqual(folders.map(() => undefined));
      const service = await start();
      const provider = await startProcess("dynamic", {
        cwd: join(project(), folder),
        env: { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token },
      });
      await provider.configure({});
      const inputs = { ...declaration, __provider: handler };
      expect(await provider.check("orders", inputs)).toEqual({ inputs, failures: [] });
      const { id } = await provider.create("orders", inputs);
      expect(id).toBe(service.jobs[0]?.id);
      const version = layout === "link" ? /\/0\.\d+\.\d+$/ : /\/7\.8\.9$/;
      expect(service.requests.at(-1)?.userAgent).toMatch(version);
    },
  );

  test("loads no axios to check a job, which would take longer than the check", () => {
    installInto(project(), "npm", packed());
    const checked = run(
      `Object.assign(process.env, { DATA_CONNECTIVITY_BASE_URL: "https://jobs.example.com", DATA_CONNECTIVITY_TOKEN: "t" });
       require("${packageName}");
       require("${packageName}/dynamic/v1").cachingJob.check({}, ${JSON.stringify(declaration)}).then(({ failures }) => {
         const axios = Object.keys(require.cache).filter((path) => /node_modules.axios\\b/.test(path));
         console.log(JSON.stringify({ failures, axios }));
       });`,
    );
    expect(checked).toEqual({ failures: [], axios: [] });
  });

  test("works in two copies in one tree, each with its own classes", () => {
    installInto(project(), "npm", packed());
    packed().unpack(join(project(), "node_modules/infra-kit/node_modules", packageName));
    const urns = run(`
      const pulumi = require("@pulumi/pulumi");
      pulumi.runtime.setMocks({
        newResource: ({ inputs, name }) => ({ id: name, state: { ...inputs, job: { id: name } } }),
        call: () => ({}),
      });
      const copies = ["${packageName}", "./node_modules/infra-kit/node_modules/${packageName}"].map((path) => require(path));
      if (copies[0].CachingJob === copies[1].CachingJob) throw new Error("One copy only.");
      const declared = ${JSON.stringify(declaration)};
      const jobs = copies.map(({ CachingJob }, n) => new CachingJob("job-" + n, declared));
      pulumi.all(jobs.map(({ job }) => job.id)).apply((ids) => console.log(JSON.stringify(ids)));`);
    expect(urns).toEqual(["job-0", "job-1"]);
  });

  describe("as the program's engine would look for it", () => {
    test("is missed as a dependency of a dependency under pnpm, and says what to do", () => {
      installInto(project(), "transitive", packed());
      expect(run(`console.log(JSON.stringify(typeof require("infra-kit").CachingJob));`)).toBe("function");
      expect(whyUnreachable(cli, project())).toContain(
        `Add ${packageName} to "dependencies" in the program's own package.json`,
      );
    });

    test("is missed by a component package, which is told to use the plugin's SDK", () => {
      expect(whyUnreachable(cli.replace("run", "run-plugin"), project())).toContain(
        "do not work in a component package",
      );
    });

    test.each(["/project/node_modules/jest/bin/jest.js", "/project/deploy.js", ""])(
      "is not looked for where another program than the CLI runs the code: %j",
      (script) => {
        expect(whyUnreachable(script, project())).toBeUndefined();
      },
    );
  });
});
