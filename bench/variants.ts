import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { JsonObject } from "../provider/src/json.js";

export type Declarations = Readonly<Record<string, JsonObject>>;

/** One way to declare the jobs. */
export interface Variant {
  readonly name: string;
  /** The project's files, by name. A `Pulumi.yaml` (its `name` is `acceptance`) replaces the one for Node programs. */
  readonly files: (jobs: Declarations) => Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** The checkout whose package and SDK the variant uses; by default this checkout. */
  readonly checkout?: string;
  /** Whether the variant differs from the previous variant only in `up`. */
  readonly upOnly?: boolean;
}

/** A subject is a variant to measure; its times are divided by its floors' times. Each host has one comparison. */
export interface Comparison {
  readonly subject: Variant;
  readonly floors: readonly Variant[];
}

const programs = join(__dirname, "programs");

const nodeProgram = (file: string) => (jobs: Declarations) => ({
  "index.js": readFileSync(join(programs, file), "utf8"),
  "jobs.json": JSON.stringify(jobs),
});

const classes: Variant = { name: "the classes", files: nodeProgram("package.cjs") };

const floor = (name: string, sends: boolean): Variant => ({
  name,
  files: nodeProgram("floor.cjs"),
  env: { BENCH_FLOOR_PROVIDER: join(programs, "floorJob.cjs"), BENCH_SEND: String(sends) },
  upOnly: sends,
});

export const classesAndFloors: Comparison = {
  subject: classes,
  floors: [floor("a provider that does nothing", false), floor("a provider that sends the same", true)],
};

/** @throws Error if the folder holds no built checkout. */
export function classesAgainst(folder: string): Comparison {
  const checkout = resolve(folder);
  if (!existsSync(join(checkout, "provider/dist/index.js")) || !existsSync(join(checkout, "node_modules")))
    throw new Error(`${folder} holds no built checkout. Run there: npm ci && npm run build`);
  return { subject: classes, floors: [{ ...classes, name: basename(checkout), checkout }] };
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
