import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { jobKinds } from "../../jobs/index.js";
import { parseJson } from "../../json.js";
import type { EmulatedJob } from "./types.js";

const text = z.string();
const orNull = <Value>(type: z.ZodMiniType<Value>) => z.nullable(type);
const jobs = z.array(
  z.object({
    id: text,
    jobType: z.enum(jobKinds.map(({ jobType }) => jobType)),
    name: text,
    enabled: z.boolean(),
    created: text,
    lastModified: text,
    nextRunTime: text,
    intervalUnit: text,
    intervalValue: z.number(),
    logVerbosity: z.number(),
    lastRun: z.object({
      dateTime: orNull(text),
      duration: orNull(z.number()),
      status: orNull(text),
      rowsAffected: orNull(z.number()),
      nextRunTime: orNull(text),
    }),
    params: z.record(text, z.unknown()),
    body: z.unknown(),
    account: z.optional(text),
  }),
);

/**
 * The jobs that an emulator left in a file; none if there is no file.
 *
 * @throws Error if the file has anything else.
 */
export function readJobs(file: string): readonly EmulatedJob[] {
  if (!existsSync(file)) return [];
  const read = jobs.safeParse(parseJson(readFileSync(file, "utf8")));
  if (read.success) return read.data;
  throw new Error("it does not have the jobs of an emulator. To begin without jobs, name a file that does not exist.");
}

/** Replaces the file in one step: an emulator that is killed leaves a whole file. */
export function writeJobs(file: string, kept: readonly EmulatedJob[]): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
