import { z } from "zod";
import { jobKinds, type JobKind } from "../../jobs/index.js";

/** The interface document declares numbers and a boolean, but its examples send strings, so both forms are accepted. */
const numeral = z.string().regex(/^-?\d{1,10}$/);
const int32 = z.union([z.int32(), numeral.transform(Number).pipe(z.int32())], { error: "must be a 32-bit integer" });
const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")], {
  error: "must be true or false",
});

const schedule = {
  intervalUnit: z.enum(["Hour", "Day", "Week", "Month"]),
  intervalValue: int32,
  logVerbosity: int32.refine((level) => level >= 1 && level <= 5, "must be from 1 to 5"),
  enabled: flag.default(true),
  definedNextRun: z.iso.datetime({ offset: true, local: true }).optional(),
};

/** What the service requires in the `params` of each type of job. */
const paramsOf: Readonly<Record<JobKind["jobType"], z.ZodType<Record<string, unknown>>>> = {
  Caching: z.looseObject({
    timeCheckColumn: z.string(),
    autoTruncateStrings: z.enum(["true", "false"]),
    sourceConnection: z.string(),
    sourceName: z.string(),
    sourceSchema: z.string(),
    sourceTable: z.string(),
  }),
  ScheduledQuery: z.looseObject({}),
};

const jobType = z.enum(jobKinds.map((kind) => kind.jobType));
const bodyWith = (params: (typeof paramsOf)[JobKind["jobType"]]) => z.object({ jobType, ...schedule, params });

/** What a create or an update declares. Numbers and booleans sent as strings are parsed. */
export type JobBody = z.output<ReturnType<typeof bodyWith>>;

/** Parses the body of a create or an update. `problem` names each wrong member by its path. */
export function parseJobBody(body: unknown): { declared: JobBody } | { problem: string } {
  if (body === undefined) return { problem: "the body: is not JSON" };
  const typed = z.object({ jobType }).safeParse(body);
  const parsed = typed.success ? bodyWith(paramsOf[typed.data.jobType]).safeParse(body) : typed;
  if (parsed.success) return { declared: parsed.data };
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  return { problem: lines.join("; ") };
}
