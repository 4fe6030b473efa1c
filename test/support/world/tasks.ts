import * as z from "zod/mini";

/** What one process of the simulated world does. */
export const taskSchema = z.object({
  host: z.enum(["dynamic", "plugin"]),
  mode: z.enum(["create", "all"]),
  /** `play`: plays sequences until one breaks a rule. `traces`: plays all, and tells how each was played. */
  what: z.enum(["play", "traces"]),
  seed: z.int(),
  cases: z.int(),
  /** Where fast-check begins: the failure that a report has named. */
  path: z.optional(z.string()),
  /** Whether the last sequence is played first. */
  isReversed: z.optional(z.boolean()),
});

export type Task = z.infer<typeof taskSchema>;
