import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { JsonObject } from "../provider/src/json.js";
import { declaration } from "../test/support/declaration.js";

type Declarations = Readonly<Record<string, JsonObject>>;

/** One way to declare the jobs. */
export interface Variant {
  readonly name: string;
  /** The project's files, by name. A `Pulumi.yaml` (its `name` is `acceptance`) replaces the one for Node programs. */
  readonly files: (jobs: Declarations) => Readonly<Record<string, string>>;
  /** For a floor: the variant whose times are divided by the floor's times. */
  readonly floorOf?: Variant;
  readonly env?: NodeJS.ProcessEnv;
  /** The checkout whose package and SDK the variant uses; by default this checkout. */
  readonly checkout?: string;
  /** Whether the variant differs from the previous variant only in `up`. */
  readonly upOnly?: boolean;
}

const programs = join(__dirname, "programs");

const nodeProgram = (file: string) => (jobs: Declarations) => ({
  "index.js": readFileSync(join(programs, file), "utf8"),
  "jobs.json": JSON.stringify(jobs),
});

const classes: Variant = { name: "the classes", files: nodeProgram("package.cjs") };

export const classesAndFloors: readonly Variant[] = [
  classes,
  ...floorsOf(classes, "provider", {
    files: nodeProgram("floor.cjs"),
    env: { BENCH_FLOOR_PROVIDER: join(programs, "floorJob.cjs") },
  }),
];

/** @throws Error if the folder holds no built checkout. */
export function classesAgainst(folder: string): readonly Variant[] {
  const checkout = resolve(folder);
  if (!existsSync(join(checkout, "provider/dist/index.js")) || !existsSync(join(checkout, "node_modules")))
    throw new Error(`${folder} holds no built checkout. Run there: npm ci && npm run build`);
  return [classes, { ...classes, name: basename(checkout), floorOf: classes, checkout }];
}

/** The plugin and its floors. `plugin` and `floor` are the folders where the two are unpacked. */
export function pluginAndFloors(plugin: string, floor: string): readonly Variant[] {
  const subject = { name: "the plugin in YAML", files: yamlProgram(plugin) };
  return [subject, ...floorsOf(subject, "plugin", { files: yamlProgram(floor) })];
}

const yamlProgram = (path: string) => (jobs: Declarations) => {
  const providers = [{ name: "data-connectivity", path }];
  const resources = Object.fromEntries(
    Object.entries(jobs).map(([job, properties]) => [job, { type: "data-connectivity:CachingJob", properties }]),
  );
  // JSON is valid YAML.
  return { "Pulumi.yaml": JSON.stringify({ name: "acceptance", runtime: "yaml", plugins: { providers }, resources }) };
};

/** A floor that does nothing; with BENCH_SEND, it sends the package's requests. */
function floorsOf(floorOf: Variant, kind: string, floor: Pick<Variant, "files" | "env">): Variant[] {
  const env = { ...floor.env, BENCH_SEND: "true" };
  return [
    { ...floor, name: `a ${kind} that does nothing`, floorOf },
    { ...floor, name: `a ${kind} that sends the same`, floorOf, env, upOnly: true },
  ];
}

export const declarations = (jobs: number): Declarations =>
  Object.fromEntries(
    Array.from({ length: jobs }, (_, n) => {
      const own = { sourceTable: `ORDERS_${n}`, timeCheckColumn: "UPDATED_AT", autoTruncateStrings: true };
      return [`job-${n}`, { ...declaration, enabled: true, params: { ...declaration.params, ...own } }];
    }),
  );
