import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";

export const workspace = resolve(__dirname, "../../..");
export const packageName = "pulumi-data-connectivity";

/** What the package needs besides the SDK. */
export const dependencies = ["axios", "jose", "yaml", "zod"] as const;

/** What `npm pack --json` prints. */
const printed = z.tuple([z.object({ filename: z.string() })]);

/** The package as `npm pack` makes it, from a copy of the workspace: several test files may pack at the same time. */
export class PackedPackage {
  readonly #folder = mkdtempSync(join(tmpdir(), "packed-"));
  readonly tarball: string;

  /** `version` distinguishes two packages: the service sees the version in each request. */
  constructor(version?: string) {
    for (const path of [".gitignore", "package.json", "README.md", "LICENSE", "scripts", "provider"]) {
      const filter = (source: string) => !source.includes("node_modules", workspace.length);
      cpSync(join(workspace, path), join(this.#folder, path), { recursive: true, filter });
    }
    if (version !== undefined) {
      const manifest = join(this.#folder, "provider/package.json");
      writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "[^"]*"/, `"version": "${version}"`));
    }
    const npm = ["pack", "--workspace", "provider", "--json", "--loglevel", "error"];
    const [{ filename }] = printed.parse(JSON.parse(execFileSync("npm", npm, { cwd: this.#folder, encoding: "utf8" })));
    this.tarball = join(this.#folder, filename);
  }

  /** The files in the tarball, without the folder that npm puts around them. */
  files(): string[] {
    const listing = execFileSync("tar", ["-tzf", this.tarball], { encoding: "utf8" });
    return listing
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""))
      .sort();
  }

  /** The text of one of these files. */
  read(name: string): string {
    return execFileSync("tar", ["-xOzf", this.tarball, `package/${name}`], { encoding: "utf8" });
  }

  /** Unpacks the tarball into this folder. */
  unpack(target: string): void {
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["-xzf", this.tarball, "--strip-components=1", "-C", target]);
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** One package for the tests of a `describe`, packed before the first of them. */
export function packedOnce(version?: string): () => PackedPackage {
  let packed: PackedPackage;
  beforeAll(() => {
    packed = new PackedPackage(version);
  });
  afterAll(() => {
    packed.dispose();
  });
  return () => packed;
}

/**
 * How an installer lays out our package. `npm`: flat. `pnpm`: each package has its own dependencies next to it, and only
 * direct dependencies are visible. `transitive`: like pnpm, but the project depends only on infra-kit, which depends on
 * our package. `link`: our package is a link to the workspace.
 */
export type Layout = "npm" | "pnpm" | "transitive" | "link";

/** Fills a project's node_modules as an installer would. What the workspace has installed is linked, not copied. */
export function installInto(project: string, layout: Layout, packed: PackedPackage): void {
  rmSync(join(project, "node_modules"), { recursive: true, force: true });
  const here = (name: string) => join(project, "node_modules", name);
  const store = join(project, "node_modules/.pnpm", `${packageName}@0/node_modules`);
  for (const name of ["@pulumi/pulumi", "typescript", "@types/node", "tsx"]) link(installed(name), here(name));
  switch (layout) {
    case "npm":
      packed.unpack(here(packageName));
      for (const name of dependencies) link(installed(name), here(name));
      return;
    case "link":
      link(join(workspace, "provider"), here(packageName));
      return;
    case "pnpm":
    case "transitive":
      packed.unpack(join(store, packageName));
      for (const name of [...dependencies, "@pulumi/pulumi"]) link(installed(name), join(store, name));
      if (layout === "pnpm") link(join(store, packageName), here(packageName));
      else installInfraKit(project, join(store, packageName));
  }
}

/** Installs infra-kit, a package of the user's company that re-exports ours. */
function installInfraKit(project: string, ours: string): void {
  const store = join(project, "node_modules/.pnpm/infra-kit@0/node_modules");
  mkdirSync(join(store, "infra-kit"), { recursive: true });
  writeFileSync(join(store, "infra-kit/package.json"), JSON.stringify({ name: "infra-kit", version: "1.0.0" }));
  writeFileSync(join(store, "infra-kit/index.js"), `module.exports = require("${packageName}");`);
  link(ours, join(store, packageName));
  link(join(store, "infra-kit"), join(project, "node_modules/infra-kit"));
}

export const installed = (name: string): string => join(workspace, "node_modules", name);

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(target)) throw new Error(`${target} is not installed.`);
  symlinkSync(target, path, "dir");
}
