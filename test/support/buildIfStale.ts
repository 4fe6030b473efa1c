import { execSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const workspace = resolve(__dirname, "../..");
const sources = [
  ...["provider/src", "provider/tsconfig.json", "tsconfig.base.json"],
  // The build bundles zod.
  ...["scripts/bundle.cjs", "package-lock.json"],
];
const build = "npm run --silent build --workspace provider";

/** Builds provider/dist if it is missing or older than its source: some tests import the source, some run the build. */
export default function buildIfStale(): void {
  const reason = whyStale();
  if (reason === undefined) return;
  process.stdout.write(`provider/dist ${reason}: building it before the tests.\n`);
  try {
    execSync(build, { cwd: workspace, stdio: "inherit" });
  } catch {
    throw new Error(
      "provider/dist: the build failed, see the compiler's errors above. No test was run. Correct provider/src, then run the tests again.",
    );
  }
}

function whyStale(): string | undefined {
  const built = modified("provider/dist");
  if (built.length === 0) return "is missing";
  // A build deletes dist and writes it again, so the oldest time in dist is the time of the build.
  return Math.max(...sources.flatMap(modified)) > Math.min(...built) ? "is older than provider/src" : undefined;
}

/** The modification times of a file, or of a folder and everything in it; a folder's own time shows a deleted file. */
function modified(path: string): number[] {
  const full = join(workspace, path);
  if (!existsSync(full)) return [];
  const inside = statSync(full).isDirectory() ? readdirSync(full, { recursive: true, encoding: "utf8" }) : [];
  return [".", ...inside].map((name) => statSync(join(full, name)).mtimeMs);
}
