import { validateWorkflow } from "@action-validator/core";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
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
      strategy: z.object({ matrix: z.record(z.string(), z.array(z.union([z.string(), z.number()]))) }).optional(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});

const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
const [matrix = "", manifest = ""] = codeBlocks(pageAt("docs/scale.md"), "yaml");
const examples = ["pipeline", "python"].map(
  (name) => [name, pageAt(`examples/${name}/.github/workflows/data-connectivity.yml`).text] as const,
);
const all = texts.map(([name, text]) => ({ name, text, ...workflow.parse(parse(text)) }));
const steps = all.flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));

describe("The schema of GitHub workflows", () => {
  test.each([...texts, ...examples, ["docs/scale.md", matrix] as const])("accepts %s", (_name, text) => {
    expect(validateWorkflow(text)).toEqual({ actionType: "workflow", errors: [] });
  });

  test("refuses a misspelt keyword", () => {
    expect(validateWorkflow(matrix.replace("runs-on", "run-on")).errors).not.toEqual([]);
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
      /^(bash \.ci\/run|npm ci|npm run ([\w:]+)(?: -- --selectProjects \$\{\{ matrix\.host \}\})?|npm publish --workspace provider --provenance --access public)$/;
    const attaches =
      'gh release create "$GITHUB_REF_NAME" --verify-tag --generate-notes pulumi-resource-data-connectivity-"$GITHUB_REF_NAME"-*';
    const all = steps.flatMap(({ run }) => run ?? []);
    const runs = all.filter((run) => run !== attaches);
    expect(all).toHaveLength(runs.length + 1);
    expect(runs.filter((run) => !own.test(run))).toEqual([]);
    expect(runs.flatMap((run) => own.exec(run)?.[2] ?? []).filter((script) => !npmScripts.includes(script))).toEqual(
      [],
    );
    expect(runs.filter((run) => run.startsWith("npm publish"))).toHaveLength(1);
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

  test("run the gate on each system, for each Node that the package supports", () => {
    const gate = all.find(({ name }) => name === "gate.yml")?.jobs["gate"]?.strategy?.matrix;
    expect(gate).toEqual({ os: ["ubuntu-latest", "macos-latest"], node: [20, 22, 24] });
  });

  test("run the random sequences on each host of the tests", () => {
    const property = all.find(({ name }) => name === "property.yml")?.jobs["property"]?.strategy?.matrix;
    expect(property).toEqual({ host: ["dynamic", "plugin"] });
  });
});

const form = z.strictObject({
  name: z.string(),
  description: z.string(),
  body: z.array(
    z.strictObject({
      type: z.enum(["markdown", "textarea", "dropdown"]),
      id: z.string().optional(),
      attributes: z.record(z.string(), z.json()),
      validations: z.strictObject({ required: z.boolean() }).optional(),
    }),
  ),
});

const launch = z.object({ configurations: z.array(z.object({ program: z.string() })) });
const { devDependencies, engines } = z
  .object({ devDependencies: z.record(z.string(), z.string()), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(pageAt("package.json").text));

const updates = z.strictObject({
  version: z.literal(2),
  updates: z.array(
    z.looseObject({
      "package-ecosystem": z.enum(["npm", "maven", "github-actions"]),
      directory: z.string().optional(),
      directories: z.array(z.string()).default([]),
      ignore: z.array(z.looseObject({ "dependency-name": z.string() })).default([]),
    }),
  ),
});

describe("The files for contributors", () => {
  const read = (path: string): unknown => parse(pageAt(path).text);

  test.each(["bug", "idea"])("have a form that GitHub can show (%s)", (name) => {
    const { body } = form.parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`));
    const asked = body.filter(({ type }) => type !== "markdown").map(({ id }) => id);
    expect(asked).not.toContain(undefined);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("update what the project uses", () => {
    const all = updates.parse(read(".github/dependabot.yml")).updates;
    const folders = all.flatMap(({ directory, directories }) => [...directories, directory ?? "/"]);
    expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
    const ignored = all.flatMap(({ ignore }) => ignore);
    const names = ignored.map((one) => one["dependency-name"]);
    expect(names.filter((name) => !(name in devDependencies))).toEqual([]);
  });

  test("debug programs that exist", () => {
    const programs = launch
      .parse(read(".vscode/launch.json"))
      .configurations.map(({ program }) => program.replace("${workspaceFolder}", root));
    expect(programs.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("name the lowest Node that the package supports", () => {
    expect(engines.node).toBe(`>=${pageAt(".nvmrc").text.trim()}`);
  });
});

/**
 * The fields that the page uses, as in the operator's CRD stacks.pulumi.com (v2.9.0, version v1). The operator rejects
 * unknown fields.
 */
const stack = z.strictObject({
  apiVersion: z.literal("pulumi.com/v1"),
  kind: z.literal("Stack"),
  metadata: z.strictObject({ name: z.string().regex(/^[a-z0-9-]+$/) }),
  spec: z.strictObject({
    stack: z.string(),
    projectRepo: z.url(),
    branch: z.string(),
    config: z.record(z.string(), z.string()),
    envRefs: z.record(
      z.string(),
      z.strictObject({ type: z.literal("Secret"), secret: z.strictObject({ name: z.string(), key: z.string() }) }),
    ),
  }),
});

describe("docs/scale.md", () => {
  test("has all shards in its matrix", () => {
    const strategy = z.object({ matrix: z.object({ shard: z.array(z.int()) }) });
    const { jobs } = z.object({ jobs: z.object({ up: z.object({ strategy }) }) }).parse(parse(matrix));
    const shards = jobs.up.strategy.matrix.shard;
    expect(shards).toEqual(shards.map((_, index) => index + 1));
    const parts = [...matrix.matchAll(/--shard \S+ \S+ \}\}\/(\d+)/g)].map(([, of]) => Number(of));
    expect(parts).toEqual([shards.length, shards.length]);
  });

  test("has a manifest with fields of the operator's schema alone, and gets each variable that its command names", () => {
    const { spec } = stack.parse(parse(manifest));
    const named = [...JSON.stringify(spec.config).matchAll(/\$(\w+)/g)].map(([, name]) => name);
    expect(named).toEqual(["SIGNING_KEY"]);
    expect(Object.keys(spec.envRefs)).toEqual(expect.arrayContaining(named));
  });
});
