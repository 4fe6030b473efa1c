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
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
