import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { start, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { startStack } from "../support/startStack.js";

afterEach(stopAll);

const planted = "PLANTED";
const secret = { "fn::secret": planted };
const encrypted = { ciphertext: expect.any(String) as string };

describeWith(yaml)("A planted secret of a plugin's program", () => {
  test.each(["create", "all"])("stands in no state, history, event log or output: %s", async (jobOperations) => {
    const service = await start();
    const stack = await startStack({ language: yaml, env: { PULUMI_DEBUG_COMMANDS: "true" } });
    const events = join(stack.folder, "events.json");
    const declare = (baseUrl: string, token: string, more = {}) => {
      stack.declare({
        p1: provider({ baseUrl, token, jobOperations, accounts: { eu: { token: planted } } }),
        orders: job(inputs(secret, more), { provider: "${p1}" }),
        query: {
          type: "data-connectivity:ScheduledQueryJob",
          properties: {
            ...{ intervalUnit: "Day", intervalValue: 1, logVerbosity: 2 },
            params: { name: "q", query: { "fn::secret": `SELECT ${planted}` }, nested: { deep: [secret] } },
          },
          options: { provider: "${p1}" },
        },
      });
    };

    declare(service.baseUrl, service.token);
    const said = [await succeeds(stack.preview(["--json"]))];
    said.push(await succeeds(stack.up(["--diff", "--event-log", events])));
    declare(service.baseUrl, service.token, { intervalValue: 6, definedNextRun: secret });
    said.push(await fails(stack.preview(["--diff"])));
    declare(service.baseUrl, `Bearer ${planted}`);
    said.push(await fails(stack.preview(["--diff"])));
    declare("http://127.0.0.1:1", service.token);
    said.push(await fails(stack.preview(["--diff"])));
    declare(service.baseUrl, service.token);
    said.push(await succeeds(stack.refresh(["--diff"])));

    const { resources } = stack.state;
    expect(resources.find(({ type }) => type.endsWith("ScheduledQueryJob"))).toMatchObject({
      inputs: { params: { name: "q", query: encrypted, nested: { deep: encrypted } } },
      outputs: { job: encrypted, jobId: expect.any(String) as string, params: { name: "q", query: encrypted } },
    });
    expect(resources.find(({ type }) => type.startsWith("pulumi:providers"))).toMatchObject({
      inputs: { token: encrypted, accounts: encrypted, jobOperations },
    });
    const files = filesBelow(join(stack.folder, "state")).concat(events);
    const texts = [...said, ...files.map((path) => readFileSync(path, "utf8"))];
    const isShown = (text: string) => text.includes(planted) || text.includes(service.token);
    expect(texts.filter(isShown)).toEqual([]);
    expect(files.filter((path) => path.includes("history"))).not.toEqual([]);
  });

  test.each(["create", "all"])("stands in no line of the plugin, whatever is logged: %s", async (jobOperations) => {
    const service = await start();
    const { baseUrl, token } = service;
    const stack = await startStack({
      language: yaml,
      env: { DATA_CONNECTIVITY_LOG: "debug", PULUMI_DEBUG_COMMANDS: "true" },
    });
    stack.declare({
      p1: provider({ baseUrl, token, jobOperations }),
      orders: job(inputs(secret), { provider: "${p1}" }),
    });
    const everything = ["-v=9", "--logtostderr", "--logflow", "--event-log", "events.json"];
    const { exitCode, stdout, stderr } = await stack.up(everything);
    expect([exitCode, stdout.includes("/api/job/create 200")]).toEqual([0, true]);

    const events = readFileSync(join(stack.folder, "events.json"), "utf8").split("\n");
    const requests = events.filter((event) => event.includes("/api/"));
    expect(requests.map((event) => [/"urn":"[^"]*::(\w+)"/.exec(event)?.[1], /(GET|POST) /.exec(event)?.[1]])).toEqual([
      ["orders", "GET"],
      ["orders", "POST"],
    ]);
    // The engine and the host of the program's language log the properties of each call, some hosts into the output.
    const isTheirs = (line: string) => /\\?"msg\\?":\\?"((Unm|M)arshaling property|Planner decided)/.test(line);
    const isShown = (line: string) => line.includes(planted) || line.includes(token);
    const lines = [stdout, stderr].flatMap((text) => text.split("\n")).concat(events);
    expect(lines.filter((line) => isShown(line) && !isTheirs(line))).toEqual([]);
  });
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
