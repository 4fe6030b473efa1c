import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { pageAt, readmeProgram } from "../support/pages.js";
import { startStack } from "../support/startStack.js";

describeWithEngine("The move of docs/scale.md to another backend", () => {
  afterEach(stopAll);

  test("leaves each job in the new stack alone, with the settings of the old one", async () => {
    const [text = ""] = /\*\*To another backend:\*\*.*?\n\n/s.exec(pageAt("docs/scale.md").text) ?? [];
    const commands = [...text.matchAll(/`(pulumi [^`]+)`/g)].map(([, one = ""]) => one);
    const service = await start();
    const stack = await startStack({ program: readmeProgram(), env: settingsFor(service) });
    await stack.up(["--skip-preview"]);
    const elsewhere = join(stack.folder, "elsewhere");
    mkdirSync(elsewhere);
    const answered = commands.map((one) =>
      one
        .replace(/^pulumi login$/, `unset PULUMI_BACKEND_URL && pulumi login file://${elsewhere}`)
        .replace(/^pulumi stack init$/, "pulumi stack init test")
        .replace(/^pulumi stack rm/, "pulumi stack rm --yes"),
    );
    const settings = readFileSync(join(stack.folder, "Pulumi.test.yaml"), "utf8");
    expect(await stack.shell(answered.join(" && "))).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(stack.folder, "Pulumi.test.yaml"), "utf8")).toBe(settings);
    const up = await stack.shell(`export PULUMI_BACKEND_URL=file://${elsewhere} && pulumi up --yes --skip-preview`);
    expect(up.stdout).toMatch(/2 unchanged/);
    expect(service.jobs).toHaveLength(1);
    expect((await stack.run(["stack", "ls", "--json"])).stdout.trim()).toBe("[]");
  });
});
