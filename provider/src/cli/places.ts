import type { Explanation } from "../client/operation.js";
import { Services } from "../client/service.js";
import { type Account, Settings, SettingsError } from "../config/index.js";
import { log } from "../hosts/engine.js";
import { settingsOf } from "../hosts/plugin/providerConfig.js";
import { isObject, parseJson } from "../json.js";
import { sentences } from "../sentences.js";
import { readOr, reasonOf } from "./command.js";
import { type ExplicitProvider, holdsSecret, isHidden, type Providers, readExport } from "./stackExport.js";
import type { Source } from "./stackSettings.js";
import { complain } from "./text.js";

/** A provider or the stack's configuration: its settings, and the services that can be called with them. */
export interface Place {
  /** The name of a provider that the program declares; undefined for the stack's configuration. */
  readonly provider: string | undefined;
  readonly settings: Settings;
  readonly services: Services;
}

/** Why an account was not asked, or did not answer. */
export interface Unanswered extends Explanation {
  /** The account's settings do not allow the request, which is not a failure. */
  readonly isDeclined?: true;
}

/** An account that gave no list, or a provider whose settings cannot be read, and why. */
export interface NotListed extends Unanswered {
  readonly provider: string | undefined;
  readonly account: string | undefined;
}

export const notListedAsJson = ({ account, provider, what, fix }: NotListed) => ({ account, provider, what, fix });

/**
 * Asks each account of each place for its list. If an account gave no list, prints why.
 * @throws InputError if it cannot be read which accounts a place has.
 */
export async function askEach<Entry>(
  places: readonly (Place | NotListed)[],
  ask: (account: Account, place: Place) => Promise<readonly Entry[] | Unanswered>,
) {
  const lists: (readonly Entry[])[] = [];
  const notListed: NotListed[] = [];
  for (const place of places) {
    if ("what" in place) {
      notListed.push(place);
      continue;
    }
    const { provider, settings } = place;
    for (const account of readOr("", () => settings.accountNames())) {
      try {
        const answer = await ask(settings.account(account), place);
        if ("what" in answer) notListed.push({ ...answer, provider, account });
        else lists.push(answer);
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        notListed.push({ what: error.what, fix: error.fix, provider, account });
      }
    }
  }
  for (const { provider, account, what, fix } of notListed)
    complain(`${titleOf(provider, account)}: ${sentences(what, fix)}`);
  return { entries: lists.flat(), isAnyListed: lists.length > 0, notListed };
}

/** The providers that the program declared in its last run; undefined if they cannot be known. */
export async function declaredProviders({ exportStack }: Source, say: Say): Promise<Providers | undefined> {
  try {
    return exportStack && readExport({ text: await exportStack(), from: "The export of the stack" }).providers;
  } catch (error) {
    say(`pulumi stack export failed: ${reasonOf(error).split("\n")[0] ?? ""}`);
    return undefined;
  }
}

type Say = (line: string) => void;

/** The stack's configuration, and each provider that the program declares. */
export function placesOf(
  { config }: Source,
  providers: Providers | undefined,
  say: Say = complain,
): (Place | NotListed)[] {
  const settings = new Settings(config);
  const own = isConfigurationUsed(settings, providers) ? [placeOf(undefined, settings, say)] : [];
  return [...own, ...(providers?.explicit ?? []).map((provider) => placeOfProvider(provider, say))];
}

/** False if all resources have their own providers, and the configuration is not enough for a request. */
function isConfigurationUsed(settings: Settings, providers: Providers | undefined): boolean {
  if (providers === undefined || providers.useConfiguration || providers.explicit.length === 0) return true;
  const isSet = (name: Parameters<Settings["find"]>[0]) => settings.find(name).text !== undefined;
  return isSet("accounts") || (isSet("baseUrl") && (isSet("token") || isSet("credentialsCommand")));
}

function placeOfProvider({ name, inputs }: ExplicitProvider, say: Say): Place | NotListed {
  const hidden = Object.keys(inputs).filter((key) => isHidden(inputs[key]));
  if (hidden.length === 0) {
    const plain = parseJson(JSON.stringify(inputs));
    return placeOf(name, settingsOf(isObject(plain) ? plain : {}, false, process.env), say);
  }
  const names = hidden.join(" and ");
  const why = holdsSecret(inputs)
    ? {
        what: `not asked, because its ${names} cannot be read without --show-secrets.`,
        fix: "Add it: pulumi stack export --show-secrets",
      }
    : {
        what: `not asked, because its ${names} is secret, and no preview shows a secret.`,
        fix: "Give the provider credentialsCommand in place of token.",
      };
  return { ...why, provider: name, account: undefined };
}

function placeOf(provider: string | undefined, settings: Settings, say: Say): Place {
  const services = new Services(settings, { isEngineAlive: () => Promise.resolve(true), say, log });
  return { provider, settings, services };
}

/** The name of an account of a place, for messages. */
export function titleOf(provider: string | undefined, account: string | undefined): string {
  const named = account === undefined ? "The unnamed account" : `Account ${account}`;
  if (provider === undefined) return named;
  return `Provider ${JSON.stringify(provider)}${account === undefined ? "" : `, account ${account}`}`;
}
