import { chmodSync } from "node:fs";
import { JOB, settingsFor, start, stopAll } from "../support/emulated.js";
import { matching } from "../support/matchers.js";
import { allOperations, configuredProject } from "./cliProcess.js";
import { exported, originAt, resource } from "./exportedState.js";

afterEach(stopAll);

const unlisted = "its stacks could not be listed: what pulumi stack ls printed cannot be read: it";

test.each<[what: string, command: string, exitCode: number, stderr: RegExp]>([
  ["is skipped before the list, the state and the settings", "echo mise 1.0", 0, /^$/],
  ["alone is no list of stacks", "echo mise 1.0; exit", 1, RegExp(`: ${unlisted}s first line is "mise 1\\.0"\\.\\n$`)],
  [
    "of JSON is no list of stacks",
    "echo '{}'; exit",
    1,
    RegExp(`: ${unlisted} is JSON, but not a list of stacks\\.\\n$`),
  ],
])("A line that a version manager prints %s", async (_what, command, exitCode, says) => {
  const service = await start();
  const { id } = service.addJob(JOB);
  const orders = resource("orders", { id, origin: originAt(service.baseUrl) });
  const project = configuredProject(allOperations, exported([orders]));
  project.write("list.json", '[{ "name": "acme" }]');
  const script = `#!/bin/sh
cd "$(dirname "$0")/.."
${command}
case "$1 $2" in
  "stack ls") cat list.json ;;
  *) cat "$1.json" ;;
esac
`;
  chmodSync(project.write("bin/pulumi", script), 0o755);
  for (const args of [
    ["jobs", "--all"],
    ["jobs", "--all", "--at-service"],
  ])
    expect(await project.run(args, settingsFor(service))).toMatchObject({ exitCode, stderr: matching(says) });
});
