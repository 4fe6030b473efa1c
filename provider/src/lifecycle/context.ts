import type { Explanation } from "../client/operation.js";
import type { Service, Services } from "../client/service.js";
import type { Account, ModeRules, Settings } from "../config/index.js";
import { normalize, normalizedText, requestBody, type Declaration } from "../jobs/index.js";
import type { JsonObject } from "../json.js";
import { unknownValue } from "../unknown.js";
import { unknownInCreate } from "./messages.js";
import { placeOf, type Place, type Resource } from "./resource.js";
import { Refusal, type Done, type Recorded } from "./result.js";

/** What the lifecycle needs of its process, and what it remembers of an engine that asks again. What it knows of an account is its inventory. */
export interface Context {
  readonly settings: Settings;
  readonly services: Services;
  /** Unconfirmed creates of earlier runs that were resent and are unconfirmed again, by id: they are not retried. */
  readonly resends: Map<string, Recorded>;
  /** How often the engine asked again for an unconfirmed create, by its id. */
  readonly repeats: Map<string, number>;
  /** The keys of the resources that the program declares. The engine calls check only for these, but diff for others too. */
  readonly declared: Set<string>;
  /** Why the update of a resource was refused in this process, by its id. */
  readonly refused: Map<string, string>;
  /** Why an unconfirmed create might not be recorded, so that no create may be sent; undefined if it is recorded. */
  readonly unrecordable: Explanation | undefined;
  /** How often the host may answer again that a create failed and is recorded. Asked too often, an engine loses the record. */
  readonly mayRepeat: number;
  /** Shows one line to the user. */
  say(line: string): void;
  /** The same, but only the first time in this process. */
  sayOnce(line: string): void;
}

/** What a host gives for a context. */
export type ContextOptions = Pick<Context, "settings" | "services" | "unrecordable" | "mayRepeat" | "say">;

export function newContext(options: ContextOptions): Context {
  const said = new Set<string>();
  return {
    ...options,
    resends: new Map(),
    repeats: new Map(),
    declared: new Set(),
    refused: new Map(),
    sayOnce(line) {
      if (!said.has(line)) options.say(line);
      said.add(line);
    },
  };
}

/** The answer where the engine asks again for what was recorded, as an `onError` hook makes it do. */
export function askedAgain(context: Context, recorded: Recorded): Done | Recorded {
  const { repeats } = context;
  const count = (repeats.get(recorded.id) ?? 0) + 1;
  repeats.set(recorded.id, count);
  if (count <= context.mayRepeat) return recorded;
  // The record must not be lost, so now it is done. The engine shows none of the messages of before.
  context.sayOnce(recorded.message);
  return { ...recorded, kind: "done" };
}

/**
 * The account of a declaration as it stands today; undefined if it is unknown in a preview. That of a saved job is
 * `settings.account(origin.account)`. @throws SettingsError if its settings cannot be used.
 */
export function accountOf({ settings }: Context, { account }: Declaration): Account | undefined {
  return account === unknownValue ? undefined : settings.account(typeof account === "string" ? account : undefined);
}

/** The service that a resource is declared at. @throws SettingsError as above. @throws Refusal if its account is still unknown. */
export function serviceOf(context: Context, resource: Resource): Service {
  const account = accountOf(context, resource.declared);
  if (account === undefined) throw new Refusal(resource, unknownInCreate);
  return context.services.of(account);
}

/** The settings of this run, as far as they decide what a difference means. */
export interface CurrentSettings {
  /** Undefined if the account is unknown in a preview. */
  readonly place: Place | undefined;
  /** The instant of DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE, in milliseconds. */
  readonly resendBefore: number | undefined;
  readonly mode: ModeRules;
}

export function currentSettings(context: Context, { declared }: Resource): CurrentSettings {
  const account = accountOf(context, declared);
  return {
    place: account && placeOf(account),
    resendBefore: context.settings.resendUnconfirmedBefore(),
    mode: account?.mode ?? context.settings.mode(),
  };
}

/** What one create requests, in each form that is needed on its way. */
export interface Wanted {
  readonly resource: Resource;
  readonly place: Place;
  /** One string for all ways to write the declaration. */
  readonly text: string;
  readonly body: JsonObject;
  /** When the engine asked for it, in milliseconds. */
  readonly began: number;
}

export function wantedBy(resource: Resource, { account, clock }: Service): Wanted {
  const { kind, declared } = resource;
  const normalized = normalize(kind, declared);
  const place = placeOf(account);
  const text = normalizedText(kind, declared, normalized);
  const body = requestBody(kind, declared, account.requestEncoding, normalized);
  return { resource, place, text, body, began: clock.now() };
}
