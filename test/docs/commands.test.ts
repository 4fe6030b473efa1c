import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isObject, parseJson } from "../../provider/src/json.js";
import { startEmulator } from "../../provider/src/testing/emulator/index.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { createStack } from "../support/engine.js";
import { codeBlocks, readme, root } from "../support/readme.js";

/** The lines of the README that a reader pastes into a shell. */
const commands = codeBlocks("sh").flatMap((block) =>
  block
    .split("\n")
    .map((line) => line.replace(/\s+# .*/, "").trim())
    .filter((line) => line !== ""),
);

const manifest = parseJson(readFileSync(resolve(root, "package.json"), "utf8"));
const scripts = isObject(manifest) && isObject(manifest["scripts"]) ? Object.keys(manifest["scripts"]) : [];

describe("The commands of the README", () => {
  it("name npm scripts that exist", () => {
    const named = [...readme.matchAll(/npm (?:run )?(start|test:compat|test|bench|docs|format|build|lint)\b/g)];
    expect(named.length).toBeGreaterThan(8);
    for (const [, script] of named) expect(scripts).toContain(script);
  });

  it("are of the kinds that are run here or by the gate", () => {
    expect(commands.filter((line) => !/pulumi |pulumi-data-connectivity|^npm /.test(line))).toEqual([]);
  });
});

const program = `
const pulumi = require("@pulumi/pulumi");
const { CachingJob } = require("pulumi-data-connectivity");
const sourceConnection = new pulumi.Config().get("sourceConnection") ?? "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f";
new CachingJob("orders", {
  intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, enabled: false,
  params: { sourceConnection, sourceName: "Snowflake1", sourceSchema: "PUBLIC", sourceTable: "ORDERS" },
});
`;

describeWithEngine("The commands of the README, pasted one after another", () => {
  it("all work", async () => {
    const emulator = await startEmulator();
    const stack = await createStack({
      program,
      env: { DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl, DATA_CONNECTIVITY_TOKEN: emulator.token },
    });
    const failed: string[] = [];
    for (const line of commands.filter((command) => !command.startsWith("npm "))) {
      // The token is typed at a prompt.
      const { exitCode, output } = await stack.shell(line.includes("--secret") ? `echo typed | ${line}` : line);
      if (exitCode !== 0) failed.push(`${line}\n${output}`);
    }
    await stack.dispose();
    await emulator.stop();
    expect(failed).toEqual([]);
    // The job, and the one that was made anew after the throw-away stack was destroyed.
    expect(emulator.jobs).toHaveLength(2);
  }, 180_000);
});
