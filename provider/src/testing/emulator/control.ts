import * as z from "zod/mini";
import { isObject } from "../../json.js";
import type { Fault } from "./faults.js";
import { parseFaults } from "./parseFaults.js";
import { refusal, reply, type EmulatedReply } from "./replies.js";
import type { EmulatedRun } from "./types.js";

/** The commands that a running emulator accepts. */
export interface Told {
  /** The faults from now on: those that were left are gone. */
  readonly faults?: readonly Fault[] | undefined;
  /** How the next runs end, by the job's name; those of other jobs end as before. */
  readonly runs?: Readonly<Record<string, EmulatedRun>> | undefined;
}

/** The path that takes these commands. The service has no such path. */
export const controlPath = "/emulator";

const typeOf: Readonly<Record<string, string>> = { status: "string", duration: "number", rowsAffected: "number" };
const isRun = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).every(([member, one]) => typeOf[member] === typeof one);
const runs = z.record(z.string(), z.custom<EmulatedRun>(isRun));

/** A page in a browser cannot send JSON to another address without being asked about it first, which gets no answer. */
export function replyToControl(
  { method, type = "", json }: { readonly method: string; readonly type?: string | undefined; readonly json: unknown },
  tell: (told: Told) => void,
): EmulatedReply {
  if (method !== "PUT") return refusal(405, "METHOD_NOT_ALLOWED", "This path accepts PUT only.", { Allow: "PUT" });
  if (!type.startsWith("application/json") || !isObject(json))
    return refusal(400, "INVALID_REQUEST", "Accepted: a JSON object with faults and runs, as application/json.");
  try {
    const unknown = Object.keys(json).find((member) => member !== "faults" && member !== "runs");
    if (unknown !== undefined) throw new Error(`${unknown} is unknown. Accepted: faults, runs.`);
    const told = runs.safeParse(json["runs"] ?? {});
    if (!told.success) throw new Error("runs: each has only status, duration and rowsAffected.");
    tell({ faults: json["faults"] === undefined ? undefined : parseFaults(json["faults"]), runs: told.data });
    return reply(200, {});
  } catch (error) {
    return refusal(400, "INVALID_REQUEST", error instanceof Error ? error.message : String(error));
  }
}
