import { resolve } from "node:path";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { allOperations, configuredProject } from "./cliProcess.js";
import { runHere } from "./here.js";

afterEach(stopAll);

const errorIn = (stdout: string): unknown => Object.entries(JSON.parse(stdout) as object);

test.each([
  ["a mistyped option", ["doctor", "--stak"], 2, /^Unknown option '--stak'/],
  ["a mistyped command", ["dokter"], 2, /^There is no command/],
  ["no input", ["jobs"], 2, /^No input: /],
  ["a folder that does not exist", ["connections", "--cwd", "/absent"], 1, /^The folder of --cwd does not exist/],
  ["a file that cannot be read", ["jobs", "/absent.json"], 1, /^The export could not be read: /],
])("--json prints one document and the exit code after %s", async (_, args, exitCode, says) => {
  const run = await runHere([...args, "--json"]);
  expect(run.exitCode).toBe(exitCode);
  expect(errorIn(run.stdout)).toEqual([["error", expect.stringMatching(says)]]);
  expect(run.stderr).toMatch(says);
});

/** A module that makes each list one that never comes and holds nothing open. */
const never = `const lists = require(${JSON.stringify(resolve(__dirname, "../../provider/dist/client/requests.js"))});
lists.listDataSources = lists.listJobs = lists.listConnections = () => new Promise(() => undefined);`;

test.each([
  [["doctor"], ["doctor", "--json"]],
  [["connections"], ["connections", "--json"]],
  [
    ["jobs", "--at-service"],
    ["jobs", "--at-service", "--json"],
  ],
])("a request that never settles ends %j with exit code 1, and one document", async (plain, json) => {
  const project = configuredProject(allOperations);
  const env = { ...settingsFor(await start()), NODE_OPTIONS: `--require ${project.write("never.cjs", never)}` };
  const said = await project.spawn(plain, env);
  expect(said).toMatchObject({ exitCode: 1, stderr: "The command ended before it was done.\n" });
  const { exitCode, stdout } = await project.spawn(json, env);
  expect(exitCode).toBe(1);
  expect(errorIn(stdout)).toEqual([["error", "The command ended before it was done."]]);
});
