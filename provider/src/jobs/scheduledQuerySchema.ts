import * as z from "zod/mini";
import { jsonValue, scheduleMembers } from "./schedule.js";

/** Accepts any object as `params`: the interface document does not show the members of a scheduled query's `params`. */
export const scheduledQuerySchema = z.strictObject(
  {
    ...scheduleMembers,
    params: z.record(z.string(), jsonValue, { error: "an object; its content is passed on as it is" }),
  },
  { error: () => `${Object.keys(scheduleMembers).join(", ")}, params` },
);
