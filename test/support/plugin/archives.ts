import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../provider/src/version.js";
import { root } from "../pages.js";

/** The plugin's executable; the names of the archives begin with its name. */
export const executable = "pulumi-resource-data-connectivity";
export const archiveFor = (platform: string): string => `${executable}-v${version}-${platform}.tar.gz`;
export const platforms = ["linux", "darwin", "windows"].flatMap((system) => [`${system}-amd64`, `${system}-arm64`]);

/** The archives as `npm run pack` makes them, in a folder of their own. */
export class PackedPlugin {
  readonly folder = mkdtempSync(join(tmpdir(), "archives-"));

  /** `main`: another main file for the plugin. */
  constructor(...main: readonly string[]) {
    execFileSync(process.execPath, [join(root, "scripts/packPlugin.cjs"), this.folder, ...main]);
  }

  archive(platform: string): string {
    return join(this.folder, archiveFor(platform));
  }

  filesIn(platform: string): string[] {
    return execFileSync("tar", ["-tzf", this.archive(platform)], { encoding: "utf8" }).split("\n");
  }

  /** Unpacks the archive for this machine's system. */
  unpack(target: string): void {
    mkdirSync(target, { recursive: true });
    execFileSync("tar", [
      "-xzf",
      this.archive(process.platform === "darwin" ? "darwin-arm64" : "linux-amd64"),
      "-C",
      target,
    ]);
  }

  /** Unpacks the archive for this machine, and returns the file that Node runs. */
  main(): string {
    const target = join(this.folder, "unpacked");
    this.unpack(target);
    return join(target, "lib/plugin.js");
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
