import { validateWorkflow } from "@action-validator/core";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { version } from "../../provider/src/version.js";
import { codeBlocks, npmScripts, pageAt, root } from "../support/pages.js";

const folder = join(root, ".github/workflows");
const permissions = z.record(z.string(), z.string());
const workflow = z.object({
  permissions,
  jobs: z.record(
    z.string(),
    z.object({
      permissions: permissions.optional(),
      "timeout-minutes": z.int(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});

const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
const [matrix = ""] = codeBlocks(pageAt("examples/fleet/README.md"), "yaml");
const examples = ["pipeline", "python"].map(
  (name) => [name, pageAt(`examples/${name}/.github/workflows/data-connectivity.yml`).text] as const,
);
const all = texts.map(([name, text]) => ({ name, text, ...workflow.parse(parse(text)) }));
const steps = all.flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));

const checksTag = `test "$GITHUB_REF_NAME" = "v$(node -p "require('./provider/package.json').version")"`;
const runsOf = (job: z.infer<typeof workflow>["jobs"][string]) => job.steps.flatMap(({ run }) => run ?? []);
const isPublish = (run: string) => run.startsWith("npm publish");

describe("The schema of GitHub workflows", () => {
  test.each([...texts, ...examples, ["examples/fleet/README.md", matrix] as const])("accepts %s", (_name, text) => {
    expect(validateWorkflow(text)).toEqual({ actionType: "workflow", errors: [] });
  });
});

describe("The workflows", () => {
  test("take each action at a commit, beside which its version stands", () => {
    const lines = texts.flatMap(([, text]) => text.match(/uses: .*/g) ?? []);
    expect(lines.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    // Each action is used in one version.
    const actions = [...new Set(steps.flatMap(({ uses }) => uses ?? []))].map((action) => action.split("@")[0]);
    expect(new Set(actions).size).toBe(actions.length);
  });

  test("run the project's own commands and nothing else", () => {
    const own =
      /^(bash \.ci\/run|npm ci|npm run ([\w:]+)(?: -- (?:--selectProjects )?\$\{\{ matrix\.host \}\}(?: \$\{\{ matrix\.mode \}\})?)?|npm publish --workspace provider --provenance --access public)$/;
    const attaches =
      'gh release create "$GITHUB_REF_NAME" --verify-tag --generate-notes pulumi-resource-data-connectivity-"$GITHUB_REF_NAME"-*';
    const all = steps.flatMap(({ run }) => run ?? []);
    const runs = all.filter((run) => ![attaches, checksTag].includes(run));
    expect(all).toHaveLength(runs.length + 2);
    expect(runs.filter((run) => !own.test(run))).toEqual([]);
    expect(runs.flatMap((run) => own.exec(run)?.[2] ?? []).filter((script) => !npmScripts.includes(script))).toEqual(
      [],
    );
    expect(runs.filter(isPublish)).toHaveLength(1);
  });

  test("publish nothing for a tag that is not the version of the package", () => {
    const publishing = all.flatMap(({ jobs }) => Object.values(jobs)).filter((job) => runsOf(job).some(isPublish));
    expect(publishing.map((job) => runsOf(job)[0])).toEqual([checksTag]);
    const check = (tag: string) =>
      spawnSync("sh", ["-c", checksTag], { cwd: root, env: { ...process.env, GITHUB_REF_NAME: tag } });
    expect([`v${version}`, version, `v${version}.1`].map((tag) => check(tag).status)).toEqual([0, 1, 1]);
  });

  test("may read the repository, and the release may prove who it is, and attach the archives", () => {
    for (const { permissions } of all) expect(permissions).toEqual({ contents: "read" });
    const more = all.flatMap(({ name, jobs }) =>
      Object.values(jobs).flatMap((job) => (job.permissions === undefined ? [] : [[name, job.permissions]])),
    );
    expect(more).toEqual([
      ["release.yml", { contents: "read", "id-token": "write" }],
      // The archives of the plugin are attached to the release.
      ["release.yml", { contents: "write" }],
    ]);
    expect(texts.filter(([, text]) => text.includes("secrets."))).toEqual([]);
  });
});

const launch = z.object({ configurations: z.array(z.object({ program: z.string() })) });
const { engines } = z
  .object({ engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(pageAt("package.json").text));

describe("The files for contributors", () => {
  test("debug programs that exist", () => {
    const programs = launch
      .parse(parse(pageAt(".vscode/launch.json").text))
      .configurations.map(({ program }) => program.replace("${workspaceFolder}", root));
    expect(programs.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("name the lowest Node that the package supports", () => {
    expect(engines.node).toBe(`>=${pageAt(".nvmrc").text.trim()}`);
  });
});

describe("examples/fleet/README.md", () => {
  test("has all shards in its matrix", () => {
    const strategy = z.object({ matrix: z.object({ shard: z.array(z.int()) }) });
    const { jobs } = z.object({ jobs: z.object({ up: z.object({ strategy }) }) }).parse(parse(matrix));
    const shards = jobs.up.strategy.matrix.shard;
    expect(shards).toEqual(shards.map((_, index) => index + 1));
    const parts = [...matrix.matchAll(/--shard \S+ \S+ \}\}\/(\d+)/g)].map(([, of]) => Number(of));
    expect(parts).toEqual([shards.length, shards.length]);
  });
});
