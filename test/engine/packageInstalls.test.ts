import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { declaration } from "../support/declaration.js";
import { installInto, packageName, PackedPackage } from "../support/package/packed.js";
import { commonJs, packageOnStacks, writeProgram } from "../support/package/program.js";

describeWithEngine("The package, installed in other ways", () => {
  const current = packageOnStacks();

  test("says what is missing where it is a dependency of a dependency under pnpm", async () => {
    const { packed, stack } = current();
    const files = { "index.js": commonJs.replace(packageName, "infra-kit") };
    writeProgram(stack.folder, { layout: "transitive", files }, packed);
    const preview = await stack.preview();
    expect(preview.exitCode).not.toBe(0);
    expect(preview.output).toContain(`Add ${packageName} to "dependencies" in the program's own package.json`);
    expect(preview.output).not.toContain("    at ");
  });

  test("works in two copies in one program", async () => {
    const { packed, stack, service } = current();
    const second = JSON.stringify(declaration).replace("ORDERS", "INVOICES");
    const program = `${commonJs}\nnew (require("infra-kit").CachingJob)("invoices", ${second});`;
    writeProgram(stack.folder, { layout: "npm", files: { "index.js": program } }, packed);
    const kit = join(stack.folder, "node_modules/infra-kit");
    packed.unpack(join(kit, "node_modules", packageName));
    writeFileSync(join(kit, "index.js"), `module.exports = require("${packageName}");`);
    expect(await stack.up(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(service.jobs).toHaveLength(2);
  });

  test("works with the state of an older version", async () => {
    const { packed, stack, service } = current();
    const older = new PackedPackage("0.0.1");
    try {
      writeProgram(stack.folder, { layout: "npm", files: { "index.js": commonJs } }, older);
    } finally {
      older.dispose();
    }
    expect(await stack.up(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(service.requests.at(-1)?.userAgent).toBe(`${packageName}/0.0.1`);

    installInto(stack.folder, "npm", packed);
    expect(await stack.preview(["--expect-no-changes"])).toMatchObject({ exitCode: 0 });
    expect(await stack.refresh(["--expect-no-changes", "--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(await stack.destroy(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(service.jobs).toHaveLength(1);
  });
});
