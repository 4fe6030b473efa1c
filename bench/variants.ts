import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { JsonObject } from "../provider/src/json.js";

export type Declarations = Readonly<Record<string, JsonObject>>;

/** A way to declare the same jobs. One more, such as a YAML program with a plugin, is one more entry below. */
export interface Variant {
  readonly name: string;
  /** The files of its project, by name. A `Pulumi.yaml` takes the place of the one for Node programs; its `name` is `acceptance`. */
  readonly files: (jobs: Declarations) => Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** The checkout whose package and SDK it uses; by default this one. */
  readonly checkout?: string;
  /** Whether it differs from the variant before it in `up` alone. */
  readonly upOnly?: true;
}

const programs = join(__dirname, "programs");

const nodeProgram = (file: string) => (jobs: Declarations) => ({
  "index.js": readFileSync(join(programs, file), "utf8"),
  "jobs.json": JSON.stringify(jobs),
});

export const thisPackage: Variant = { name: "this package", files: nodeProgram("package.cjs") };

const floorEnvironment = { BENCH_FLOOR_PROVIDER: join(programs, "floorProvider.cjs") };

export const floors: readonly Variant[] = [
  { name: "a provider that does nothing", files: nodeProgram("floor.cjs"), env: floorEnvironment },
  {
    name: "one that sends the same",
    files: nodeProgram("floor.cjs"),
    env: { ...floorEnvironment, BENCH_SEND: "true" },
    upOnly: true,
  },
];

/** @throws Error where the folder holds no built checkout. */
export function packageOf(folder: string): Variant {
  const checkout = resolve(folder);
  if (!existsSync(join(checkout, "provider/dist/index.js")) || !existsSync(join(checkout, "node_modules")))
    throw new Error(`${folder} holds no built checkout. Run there: npm ci && npm run build`);
  return { ...thisPackage, name: basename(checkout), checkout };
}

export const declarations = (jobs: number): Declarations =>
  Object.fromEntries(
    Array.from({ length: jobs }, (_, n) => [
      `job-${n}`,
      {
        intervalUnit: "Hour",
        intervalValue: 4,
        logVerbosity: 2,
        enabled: true,
        params: {
          sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
          sourceName: "Snowflake1",
          sourceSchema: "PUBLIC",
          sourceTable: `ORDERS_${n}`,
          timeCheckColumn: "UPDATED_AT",
          autoTruncateStrings: true,
        },
      },
    ]),
  );
