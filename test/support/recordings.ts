import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { unknownValue } from "../../provider/src/unknown.js";
import type { CommandResult } from "./command.js";
import { urnOf } from "./plugin/inputs.js";

const properties = z.record(z.string(), z.json());

const requestMembers = {
  /** The resource's name in the program. */
  name: z.string().optional(),
  /** The URN of a plugin's resource; a recording leaves it out for a caching job without a parent. */
  urn: z.string().optional(),
  id: z.string().optional(),
  /** Present for a create or an update of the plugin in a preview. */
  preview: z.literal(true).optional(),
  olds: properties.optional(),
  news: properties.optional(),
  properties: properties.optional(),
  /** Only a read has inputs. */
  inputs: properties.optional(),
};

/** Record with made-up secrets: secrets in the configuration are in clear text, as the provider receives them. */
export const recordedCall = z.strictObject({
  /** Counts the provider processes of the command from 1: a preview and an update have one each. */
  process: z.int(),
  method: z.enum(["configure", "check", "diff", "create", "read", "update", "delete"]),
  ...requestMembers,
  config: properties.optional(),
  /** The parts of the answer that tests compare. */
  response: z
    .object({ id: z.string(), inputs: properties, properties, changes: z.string(), detailedDiff: properties })
    .partial()
    .optional(),
  failed: z.literal(true).optional(),
  /** What the state held after the command for a job whose create or update failed: the log has only the message. */
  saved: z.strictObject({ id: z.string().optional(), properties }).optional(),
});

/** One call that the engine made to a provider. */
export type RecordedCall = z.infer<typeof recordedCall>;

/** The schema for reading recorded calls back from a file. */
export const recordedCalls = z.array(recordedCall);

/**
 * Runs a CLI command in the stack's folder, and records the engine's calls to the provider in the order in which they
 * began.
 */
export async function recordCalls(
  folder: string,
  run: (env: Readonly<Record<string, string>>) => Promise<CommandResult>,
  stable: StableText,
) {
  const log = join(folder, "calls.jsonl");
  rmSync(log, { force: true });
  const result = await run({ PULUMI_DEBUG_GRPC: log });
  const calls = callsIn(existsSync(log) ? readFileSync(log, "utf8") : "");
  const text = stable.of(JSON.stringify(calls).replaceAll(folder, "<folder>"));
  return { result, calls: recordedCalls.parse(JSON.parse(text)) };
}

const secretValue = z.object({ value: z.string() }).transform(({ value }) => value);

const logLine = z.object({
  method: z.string(),
  progress: z.string(),
  request: z.object({
    ...requestMembers,
    args: z.record(z.string(), z.union([secretValue, z.json()])).optional(),
  }),
  ...recordedCall.pick({ response: true }).shape,
  errors: z.array(z.string()).optional(),
});

const isOwn = (urn: string, name = ""): boolean => !urn.includes(":dynamic/") && urn !== urnOf(name);

function callsIn(log: string): RecordedCall[] {
  const calls: RecordedCall[] = [];
  const unanswered = new Map<string, RecordedCall[]>();
  let process = 0;
  for (const line of log.split("\n")) {
    if (!line.includes('"/pulumirpc.ResourceProvider/')) continue;
    const { method: path, progress, request, response, errors } = logLine.parse(JSON.parse(line));
    const begins = progress === "request_started";
    if (begins && path.endsWith("/Handshake")) process += 1;
    const method = recordedCall.shape.method.safeParse(path.split("/").pop()?.toLowerCase());
    if (!method.success) continue;
    // The log has no call numbers, so requests identify calls; equal requests get the same answer.
    const key = path + JSON.stringify(request);
    if (begins) {
      const { args: config, urn, ...rest } = request;
      // Leave out the other members of a configure: they identify the provider resource in this stack.
      const call = { process, method: method.data, ...(config ? { config } : rest) };
      if (config === undefined && urn !== undefined && isOwn(urn, rest.name)) Object.assign(call, { urn });
      calls.push(call);
      unanswered.set(key, [...(unanswered.get(key) ?? []), call]);
    } else {
      const call = unanswered.get(key)?.shift();
      if (call) Object.assign(call, { response, ...(errors && { failed: true }) });
    }
  }
  return calls;
}

/**
 * Removes what differs from run to run. Equal parts stay equal: each is numbered by its first appearance. A text that
 * is already stable does not change.
 */
export class StableText {
  readonly #started = Date.now();
  readonly #parts = [
    { pattern: /(?<=unconfirmed-)[0-9a-f-]{36}/g, format: uuid, seen: nothingSeen() },
    { pattern: /(?<=127\.0\.0\.1:)\d+/g, format: String, seen: nothingSeen() },
    { pattern: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, format: moment, seen: nothingSeen() },
  ];

  of(text: string): string {
    return this.#parts.reduce(
      (result, { pattern, format, seen }) =>
        result.replace(pattern, (found) => {
          // A date-time far from this run's time comes from the program, so it stays.
          if (format === moment && Math.abs(Date.parse(found) - this.#started) > 3_600_000) return found;
          const known = seen.get(found) ?? ([...seen.values()].includes(found) ? found : format(seen.size));
          if (known !== found) seen.set(found, known);
          return known;
        }),
      text,
    );
  }
}

const nothingSeen = () => new Map<string, string>([[unknownValue, unknownValue]]);

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function moment(n: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
}
