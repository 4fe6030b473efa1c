import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Why the engine's provider process would not find this package; undefined where it would. That process runs in the
 * program's folder and loads the package from there, whoever imports it: under pnpm a dependency of a dependency is
 * not found. Only where the CLI runs the program is that folder known to be this one (not in tests and Automation API).
 */
export function whyUnreachable(script = process.argv[1] ?? "", folder = process.cwd()): string | undefined {
  if (!/[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run(?:[\\/]|$)/.test(script)) return undefined;
  try {
    createRequire(join(folder, "program.js")).resolve("pulumi-data-connectivity/dynamic/v1");
    return undefined;
  } catch {
    return (
      `The package pulumi-data-connectivity is not found from the program's folder (${folder}), and the engine loads it from there. ` +
      `Add pulumi-data-connectivity to "dependencies" in the program's own package.json: a dependency of a dependency is not enough.`
    );
  }
}
