import * as z from "zod/mini";
import { jsonValue, scheduleMembers } from "./schedule.js";

/** The interface document does not show what `params` of a scheduled query holds: any object, passed on as it is. */
export const scheduledQuerySchema = z.strictObject(
  {
    ...scheduleMembers,
    params: z.record(z.string(), jsonValue, { error: "an object; its content is passed on as it is" }),
  },
  { error: () => `${Object.keys(scheduleMembers).join(", ")}, params` },
);
