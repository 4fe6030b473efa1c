import { listDataSources } from "../client/lists.js";
import type { CallFailure, Explanation } from "../client/operation.js";
import { type Service, Services } from "../client/service.js";
import { orSettingsError, providerInputs, Settings, SettingsError, stackConfiguration } from "../config/index.js";
import { log } from "../hosts/engine.js";
import { settingsOf } from "../hosts/providerConfig.js";
import { membersOf } from "../json.js";
import { sentences } from "../sentences.js";
import { reasonOf } from "./command.js";
import type { Context } from "./context.js";
import { type ExplicitProvider, isHidden, type Providers, readExport } from "./stackExport.js";
import type { Source, StackOptions } from "./stackSettings.js";
import { shellWord } from "./text.js";

/** An account of the stack's configuration, or of a provider that the program declares. */
export interface Asked {
  /** The name of the provider; undefined for the stack's configuration. */
  readonly provider: string | undefined;
  /** The account's name; undefined for the unnamed account. */
  readonly account: string | undefined;
  /** The services of all accounts in the same settings; undefined if the settings of the provider are hidden. */
  readonly services: Services | undefined;
  /** The account's service, or why the account cannot be asked. */
  readonly service: Service | Explanation;
}

/** Why an account was not asked, or did not answer. */
export interface Unanswered extends Explanation {
  /** The account's settings do not allow the request, which is not a failure. */
  readonly isDeclined?: true;
}

/** The members of `notListed` in a JSON document: an account whose list is missing. */
export const notListedMembers = { account: "", provider: "", what: "", fix: "" };

type Say = (line: string) => void;

/** Asks each account for its list. If an account gave no list, prints why. */
export async function askEach<Account extends Asked, Entry>(
  { complain }: Context,
  accounts: readonly Account[],
  ask: (service: Service, asked: Account) => Promise<readonly Entry[] | Unanswered>,
) {
  const lists: (readonly Entry[])[] = [];
  const unanswered: (Asked & Unanswered)[] = [];
  for (const one of accounts) {
    const answer = "what" in one.service ? one.service : await ask(one.service, one);
    if ("what" in answer) unanswered.push({ ...one, ...answer });
    else lists.push(answer);
  }
  for (const one of unanswered) complain(`${titleOf(one)}: ${sentences(one.what, one.fix)}`);
  return {
    entries: lists.flat(),
    isAnyListed: lists.length > 0,
    notListed: unanswered.map(({ account, provider, what, fix }) => ({ account, provider, what, fix })),
    exitCode: lists.length > 0 && unanswered.every(({ isDeclined }) => isDeclined) ? 0 : 1,
  };
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

/** The accounts of the stack's configuration, and of each provider that the program declares. */
export function accountsOf(
  context: Context,
  { config }: Source,
  providers: Providers | undefined,
  say: Say = context.complain,
): Asked[] {
  const settings = new Settings(config, context.env);
  const accountsIn = (provider: string | undefined, of: Settings): Asked[] => accountsOfOne(context, provider, of, say);
  const own = isConfigurationUsed(settings, providers) ? accountsIn(undefined, settings) : [];
  const ofProvider = ({ name, inputs }: ExplicitProvider): Asked[] => {
    const hidden = Object.keys(inputs).filter((key) => isHidden(inputs[key]));
    if (hidden.length === 0) return accountsIn(name, settingsOf(inputs, false, environmentOf(inputs, context.env)));
    const service = whyHidden(hidden.join(" and "));
    return [{ provider: name, account: undefined, services: undefined, service }];
  };
  return [...own, ...(providers?.explicit ?? []).flatMap(ofProvider)];
}

/** The environment of a provider's process: the option `envVarMappings` sets variables to the values of others. */
function environmentOf(
  { __internal: ofEngine }: ExplicitProvider["inputs"],
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const mapped = Object.entries(membersOf(membersOf(ofEngine)["envVarMappings"])).flatMap(([from, to]) =>
    typeof to === "string" && env[from] !== undefined ? [[to, env[from]] as const] : [],
  );
  return { ...env, ...Object.fromEntries(mapped) };
}

/** False if all resources have their own providers, and the configuration is not enough for a request. */
function isConfigurationUsed(settings: Settings, providers: Providers | undefined): boolean {
  if (providers === undefined || providers.useConfiguration || providers.explicit.length === 0) return true;
  const isSet = (name: Parameters<Settings["find"]>[0]) => settings.find(name).text !== undefined;
  return isSet("accounts") || (isSet("baseUrl") && (isSet("token") || isSet("credentialsCommand")));
}

const whyHidden = (names: string): Explanation => ({
  what: `not asked, because its ${names} cannot be read without --show-secrets.`,
  fix: "Add it: pulumi stack export --show-secrets",
});

function accountsOfOne({ clock }: Context, provider: string | undefined, settings: Settings, say: Say): Asked[] {
  const services = new Services(settings, { isEngineAlive: () => Promise.resolve(true), say, log, clock });
  const names = orSettingsError(() => settings.accountNames());
  if (names instanceof SettingsError) return [{ provider, account: undefined, services, service: names }];
  return names.map((account) => ({
    ...{ provider, account, services },
    service: orSettingsError(() => services.of(account)),
  }));
}

/**
 * A failure of a call that the service may not have. If the service answers the list of data sources, the address is
 * right, and it is this call that the service lacks.
 */
export async function orLacking(service: Service, failure: CallFailure, instead: string): Promise<CallFailure> {
  if (!mayLackCall(failure) || (await listDataSources(service)).kind === "failed") return failure;
  return { ...failure, fix: lacksCall(instead) };
}

/** The request of {@link orLacking}. */
export const sourcesIfLacking = "GET /api/poweredby/sources/list if that is answered with 404 or 405";

export const mayLackCall = ({ status }: CallFailure): boolean => status === 404 || status === 405;

/** `instead`: what to do without the call. */
export const lacksCall = (instead: string): string =>
  `The address is right: the service answers the list of data sources. It does not answer this call. ${instead}`;

export const modeCreate = (command: string): string => `Mode create is for such a service: ${command}`;

export function titleOf({ provider, account }: Pick<Asked, "provider" | "account">): string {
  if (provider === undefined) return account === undefined ? "The unnamed account" : `Account ${account}`;
  return `Provider ${JSON.stringify(provider)}${account === undefined ? "" : `, account ${account}`}`;
}

/** The command that sets the mode of an account, with these words before it. */
export function howToSet(
  mode: "all" | "create",
  { provider, account }: Pick<Asked, "provider" | "account">,
  { exportStack }: Source,
  { stack, cwd }: StackOptions,
  before = "",
): string {
  if (provider === undefined && exportStack === undefined)
    return "No stack's configuration was read: name one with --stack, and its project with --cwd.";
  const options = Object.entries({ cwd, stack }).flatMap(([option, value]) =>
    value === undefined ? [] : ` --${option} ${shellWord(value)}`,
  );
  const path = account === undefined ? ["jobOperations"] : ["accounts", account, "jobOperations"];
  const set =
    provider === undefined
      ? stackConfiguration.set(path, mode).replace("config set", (command) => `${command}${options.join("")}`)
      : providerInputs.set(path, mode);
  return `${before}${set}`;
}

/** What precedes the command that sets the mode `all`. */
export const toAllow = "To allow it (pulumi up may then change and delete jobs, too): ";
