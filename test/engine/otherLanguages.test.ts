import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startCommand } from "../support/command.js";
import { JOB, PARAMS, start, stopAll } from "../support/emulated.js";
import { commandsOf, pageAt, root } from "../support/pages.js";
import { PackedPlugin } from "../support/plugin/archives.js";
import { describeWith, yaml } from "../support/plugin/languages.js";

const page = pageAt("docs/other-languages.md");

describeWith(yaml)("The page for other languages, from an empty folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const packed = new PackedPlugin();
  afterAll(async () => {
    await stopAll();
    packed.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test("leads a YAML program to its first job, drift, its repair and an import, by its own commands", async () => {
    const service = await start();
    const [install = "", path = "", ...rest] = commandsOf(page);
    // The settings for the reader's own service are left out.
    const commands = rest.filter((line) => !line.includes("credentialsCommand"));
    const script = [`cd ${packed.folder}`, install, path, `mkdir ${folder}/clone`, `cd ${folder}/clone`, ...commands];
    const { exitCode, output } = await startCommand("sh", ["-c", ["set -e", ...script.map(asTyped)].join("\n")], {
      cwd: folder,
      env: {
        ...environment(),
        CLONE: root,
        SERVICE: service.baseUrl,
        TOKEN: service.token,
        PULUMI_HOME: join(folder, "home"),
        PULUMI_BACKEND_URL: `file://${folder}`,
        PULUMI_SKIP_CONFIRMATIONS: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
      },
    }).finished;
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).toMatch(/\+ 2 created[\s\S]*~ intervalValue: 4 => 9[\s\S]*~ 1 updated[\s\S]*= 1 imported/);
    expect(service.jobs.map(({ name, intervalValue }) => [name, intervalValue])).toEqual([
      ["ORDERS", 4],
      ["CUSTOMERS", 24],
    ]);
  });
});

/** A request of someone else. */
const byOther = (method: string, path: string, body: object): string =>
  `curl --silent --fail --header "Authorization: Bearer $TOKEN" --header "Content-Type: application/json" --data '${JSON.stringify(body)}' --request ${method} "$SERVICE/api/job/${path}"\n`;

const drift = byOther("PUT", "$(pulumi stack output ordersJobId)/update", { ...JOB, intervalValue: 9 });
const another = byOther("POST", "create", {
  ...JOB,
  intervalValue: 24,
  params: { ...PARAMS, sourceTable: "CUSTOMERS" },
});

/** The line with the test's service instead of the emulator that a reader would start. */
const asTyped = (line: string): string =>
  line
    .replace(/^(?=pulumi refresh)/, () => drift)
    .replace(/^(?=pulumi stack export)/, () => another)
    .replace("http://127.0.0.1:8080", '"$SERVICE"')
    .replace("TOKEN=test", 'TOKEN="$TOKEN"')
    .replace("<id>", '"$(pulumi-data-connectivity jobs --at-service | grep CUSTOMERS | cut -d " " -f 1)"');

/** The environment without the user's settings for Pulumi and the service. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: [dirname(process.execPath), process.env["PATH"]].join(":"),
  HOME: process.env["HOME"],
});
