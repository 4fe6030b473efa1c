import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The version of the `pulumi` CLI on PATH, such as "v3.248.0"; undefined if PATH has no `pulumi`. */
export function engineVersion(): string | undefined {
  try {
    return execFileSync("pulumi", ["version"], { encoding: "utf8", env: engineEnvironment(tmpdir()) }).trim();
  } catch {
    return undefined;
  }
}

export const stackName = "test";

/** An environment without the user's own Pulumi and service settings. */
export function engineEnvironment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(PULUMI|DATA_CONNECTIVITY)_/.test(name));
  return {
    ...Object.fromEntries(own),
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "passphrase",
    PULUMI_STACK: stackName,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
