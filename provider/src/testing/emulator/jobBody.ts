import { z } from "zod";
import { membersOf } from "../../json.js";
import {
  byForm,
  jobKinds,
  limitsOf,
  scheduleMembers,
  type ByForm,
  type JobKind,
  type ParamForm,
  type ScheduleName,
} from "../../jobs/index.js";

/** The interface document declares numbers and a boolean, but its examples send strings, so both forms are accepted. */
const numeral = z.string().regex(/^-?\d{1,10}$/);
const int32 = z.union([z.int32(), numeral.transform(Number).pipe(z.int32())], { error: "must be a 32-bit integer" });
const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")], {
  error: "must be true or false",
});

const { intervalUnit, logVerbosity, enabled } = scheduleMembers;

const schedule = {
  intervalUnit: z.enum(intervalUnit.words),
  intervalValue: int32,
  logVerbosity: int32.refine(
    (level) => level >= logVerbosity.min && level <= logVerbosity.max,
    `must be from ${logVerbosity.min} to ${logVerbosity.max}`,
  ),
  enabled: flag.default(enabled.default),
  definedNextRun: z.iso.datetime({ offset: true, local: true }).optional(),
} satisfies Record<ScheduleName, z.ZodType>;

/** What the service requires of a member of `params`. It accepts an empty string even if this package refuses one. */
const params: ByForm<z.ZodType, ParamForm> = {
  uuid: () => z.string(),
  text: (form) => {
    const { maxLength = Infinity, pattern } = form;
    const isAccepted = (text: string) => text.length <= maxLength && (pattern === undefined || pattern.of.test(text));
    return z.string().refine((text) => text === "" || isAccepted(text), `accepted: ${limitsOf(form).join(", ")}`);
  },
  flag: () => z.enum(["true", "false"]),
  mergeKeys: () => z.array(z.looseObject({})),
};

function paramsOf(kind: JobKind) {
  const members = Object.entries(kind.isOpen ? {} : kind.params).map(([member, param]) => {
    const check = byForm<z.ZodType, ParamForm>(params, param);
    return [member, param.sent === "always" ? check : check.optional()] as const;
  });
  return z.looseObject(Object.fromEntries(members));
}

const jobType = z.enum(jobKinds.map((kind) => kind.jobType));
const bodyOf = (kind: JobKind) => z.object({ jobType, ...schedule, params: paramsOf(kind) });
const bodies = new Map<unknown, ReturnType<typeof bodyOf>>(jobKinds.map((kind) => [kind.jobType, bodyOf(kind)]));
/** Reports what is wrong with the type in any body. */
const ofNoType = z.object({ jobType }).transform(() => z.NEVER);

/** What a create or an update declares. Numbers and booleans sent as strings are parsed. */
export type JobBody = z.output<ReturnType<typeof bodyOf>>;

/** Parses the body of a create or an update. `problem` names each wrong member by its path. */
export function parseJobBody(body: unknown): { declared: JobBody } | { problem: string } {
  if (body === undefined) return { problem: "the body: is not JSON" };
  const parsed = (bodies.get(membersOf(body)["jobType"]) ?? ofNoType).safeParse(body);
  if (parsed.success) return { declared: parsed.data };
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  return { problem: lines.join("; ") };
}
