import { isObject } from "../json.js";
import { callFailure, unusableAnswer, type CallFailure } from "./operation.js";
import { redactSaved } from "./redact.js";
import { objectIn } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type WholeList<Entry> = { readonly kind: "listed"; readonly entries: readonly Entry[] } | CallFailure;

/** Asks for a list, where `null` is an empty one. Only a list whose every entry can be read proves that something is not in it. */
export async function wholeList<Entry>(
  service: Service,
  path: string,
  member: string,
  read: (entry: unknown, token: string) => Entry | undefined,
): Promise<WholeList<Entry>> {
  const result = await send(service, { method: "GET", path, repeatable: true });
  if (result.kind !== "answered") return callFailure(result);
  const { reply, token, unexpected } = result;
  const body = objectIn(reply);
  const list = body !== undefined && member in body ? (body[member] ?? []) : undefined;
  if (!Array.isArray(list)) return unusableAnswer(result, unexpected(`The reply has no array "${member}".`));
  const entries = list.flatMap((entry: unknown) => read(entry, token) ?? []);
  if (entries.length === list.length) return { kind: "listed", entries };
  const what = `GET ${path} answered HTTP ${reply.status}, and ${list.length - entries.length} of its ${member} cannot be read.`;
  return unusableAnswer(result, what);
}

/** The string members of an entry, without the token; empty if it is not an object. */
export function stringsOf(raw: unknown, token: string): Readonly<Record<string, string | undefined>> {
  const entry = redactSaved(raw, token);
  const isText = (member: readonly [string, unknown]): member is [string, string] => typeof member[1] === "string";
  return isObject(entry) ? Object.fromEntries(Object.entries(entry).filter(isText)) : {};
}
