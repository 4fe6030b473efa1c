import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { jobKinds } from "../../jobs/index.js";
import { parseJson } from "../../json.js";
import type { EmulatedJob } from "./types.js";

const text = z.string();
const saved: z.ZodType<EmulatedJob[]> = z.array(
  z.object({
    ...{
      id: text,
      jobType: z.enum(jobKinds.map(({ jobType }) => jobType)),
      name: text,
      enabled: z.boolean(),
      body: z.unknown(),
    },
    ...{ created: text, lastModified: text, nextRunTime: text, intervalUnit: text, account: text.optional() },
    ...{ intervalValue: z.number(), logVerbosity: z.number(), params: z.record(text, z.unknown()) },
    lastRun: z.object({
      ...{ dateTime: text.nullable(), status: text.nullable(), nextRunTime: text.nullable() },
      ...{ duration: z.number().nullable(), rowsAffected: z.number().nullable() },
    }),
  }),
);

/**
 * The jobs in a file; no jobs if the file does not exist.
 * @throws Error if the file cannot be read or contains anything else.
 */
export function readJobs(file: string): EmulatedJob[] {
  const { data, success } = saved.safeParse(existsSync(file) ? parseJson(readFileSync(file, "utf8")) : []);
  if (!success) throw new Error("it does not hold jobs that an emulator wrote.");
  return data;
}

/** Replaces the file in one step: if the emulator is killed, the file has either the old jobs or the new ones. */
export function writeJobs(file: string, jobs: readonly EmulatedJob[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(jobs, undefined, 2));
  renameSync(`${file}.new`, file);
}
