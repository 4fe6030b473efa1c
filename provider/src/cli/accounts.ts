import { requestOf } from "../client/calls.js";
import { listDataSources } from "../client/requests.js";
import { says, type CallFailure, type Reason } from "../client/outcomes.js";
import { type AccountClient, AccountClients } from "../client/accountClient.js";
import {
  commandOptions,
  type ConfigWords,
  modePath,
  orSettingsError,
  providerInputs,
  Settings,
  SettingsError,
  stackConfigurationOf,
} from "../config/index.js";
import { settingsOf } from "../hosts/providerConfig.js";
import { membersOf } from "../json.js";
import { sentences } from "../sentences.js";
import { reasonOf } from "./command.js";
import type { Context } from "./context.js";
import { type ExplicitProvider, isHidden, type Providers, readPrintedExport, type StackExport } from "./stackExport.js";
import type { Source } from "./stackSettings.js";

/** An account of the stack's configuration, or of a provider that the program declares. */
export interface ConfiguredAccount {
  readonly source: Source;
  /** The name of the provider; undefined for the stack's configuration. */
  readonly provider: string | undefined;
  /** The account's name; undefined for the unnamed account. */
  readonly account: string | undefined;
  /** The clients of all accounts in the same settings; undefined if the settings of the provider are hidden. */
  readonly clients: AccountClients | undefined;
  /** The account's client, or why the account cannot be asked. */
  readonly client: AccountClient | SettingsError;
}

/** What a message names: an account, and its stack if several stacks are asked. */
interface Titled extends Partial<Pick<ConfiguredAccount, "provider" | "account">> {
  readonly stack?: string | undefined;
  /** The folder of the stack: stacks of several projects may have the same name. */
  readonly folder?: string | undefined;
}

/** Why an account gave no list. `declined`: its settings do not allow the request, which is not a failure. */
export interface NotListed extends Reason {
  readonly kind: "failed" | "declined";
}

/** What an account answers. */
export type AccountList<Entry> = { readonly kind: "done"; readonly value: readonly Entry[] } | NotListed;

/** The members of `notListed` in a JSON document: an account whose list is missing. */
export const notListedMembers = { account: "", provider: "", what: "", fix: "" } as const;

type Say = (line: string) => void;

/** Asks each account for its list. If an account gave no list, prints why. */
export async function askEach<Entry, One extends ConfiguredAccount & Titled = ConfiguredAccount>(
  { complain, host }: Context,
  accounts: readonly One[],
  ask: (client: AccountClient, asked: One) => Promise<AccountList<Entry>>,
) {
  const lists: { readonly of: One; readonly client: AccountClient; readonly entries: readonly Entry[] }[] = [];
  const notListed: (One & NotListed)[] = [];
  for (const one of accounts) {
    const { client, source } = one;
    host.enter(source.folder);
    if (client instanceof SettingsError) {
      notListed.push({ ...one, kind: client.kind, what: client.what, fix: client.fix });
      continue;
    }
    const answer = await ask(client, one);
    if (answer.kind === "done") lists.push({ of: one, client, entries: answer.value });
    else notListed.push({ ...one, ...answer });
  }
  for (const one of notListed) complain(`${titleOf(one)}: ${sentences(one.what, one.fix)}`);
  return { lists, notListed, exitCode: exitCodeOf(lists, notListed) };
}

/** 0 if there is a list, and none is missing except those that the settings do not allow. */
export const exitCodeOf = (lists: readonly unknown[], notListed: readonly NotListed[]): 0 | 1 =>
  lists.length > 0 && notListed.every(({ kind }) => kind === "declined") ? 0 : 1;

/** The stack's export, with its secrets; undefined if it cannot be read. */
export async function exportOf({ exportStack }: Source, say: Say): Promise<StackExport | undefined> {
  try {
    return exportStack && readPrintedExport({ text: await exportStack(), from: "The export of the stack" });
  } catch (error) {
    say(reasonOf(error));
    return undefined;
  }
}

/** The accounts of the stack's configuration, and of each provider that the program declares. */
export function accountsOf(
  { host, complain }: Context,
  source: Source,
  providers: Providers | undefined,
  say: Say = complain,
): ConfiguredAccount[] {
  const accountsIn = (provider: string | undefined, settings: Settings): ConfiguredAccount[] => {
    const clients = new AccountClients(settings, {
      isEngineAlive: () => Promise.resolve(true),
      report: ({ severity, text }) => {
        if (severity === "debug") process.stderr.write(`[data-connectivity] ${text}\n`);
        else say(text);
      },
      clock: host.clock,
    });
    clients.secrets.add(providers?.secrets);
    const names = orSettingsError(() => settings.accountNames());
    if (names instanceof SettingsError) return [{ source, provider, account: undefined, clients, client: names }];
    return names.map((account) => ({
      ...{ source, provider, account, clients },
      client: orSettingsError(() => clients.of(account)),
    }));
  };
  const ofProvider = ({ name: provider, inputs }: ExplicitProvider): ConfiguredAccount[] => {
    const hidden = Object.keys(inputs).filter((key) => isHidden(inputs[key]));
    if (hidden.length === 0) return accountsIn(provider, settingsOf(inputs, false, environmentOf(inputs, host.env)));
    return [{ source, provider, account: undefined, clients: undefined, client: whyHidden(hidden.join(" and ")) }];
  };
  const settings = new Settings(source.config, host.env, wordsOf(source));
  const isUnread = providers === undefined && source.exportStack !== undefined;
  const own = isConfigurationUsed(settings, providers, isUnread) ? accountsIn(undefined, settings) : [];
  return [...own, ...(providers?.explicit ?? []).flatMap(ofProvider)];
}

/**
 * The accounts whose lists a command requests. At a provider's address, this leaves out an account that only an environment
 * variable configures and that none of the provider's jobs name: `pulumi up` does not send its token there. `isOneOfMany`:
 * whether the same goes for the stack's own address, because there are several stacks.
 */
export const accountsToAsk = (
  accounts: readonly ConfiguredAccount[],
  exported: StackExport | undefined,
  isOneOfMany = false,
): readonly ConfiguredAccount[] =>
  accounts.filter(({ provider, account, clients }) => {
    if (clients === undefined || (provider === undefined && !isOneOfMany)) return true;
    const isUsed = exported?.jobs.some((job) => job.provider === provider && job.account === account) === true;
    return isUsed || orSettingsError(() => clients.settings.isOwn(account)) !== false;
  });

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

/**
 * False if the configuration does not have enough for a request and nothing shows that a resource uses it: all have
 * their own providers, or the stack's state could not be read.
 */
function isConfigurationUsed(settings: Settings, providers: Providers | undefined, isUnread: boolean): boolean {
  if (providers === undefined ? !isUnread : providers.useConfiguration || providers.explicit.length === 0) return true;
  const isSet = (name: Parameters<Settings["find"]>[0]) => settings.find(name).text !== undefined;
  return isSet("accounts") || (isSet("baseUrl") && (isSet("token") || isSet("credentialsCommand")));
}

const whyHidden = (names: string): SettingsError =>
  new SettingsError(
    `not asked, because its ${names} cannot be read without --show-secrets.`,
    "Add it: pulumi stack export --show-secrets",
  );

/**
 * The failure of a call that the service may not have. If the service answers the list of data sources, the address is
 * right, so it is this call that the service lacks.
 */
export async function orLacking(client: AccountClient, failure: CallFailure, instead: string): Promise<CallFailure> {
  if (!mayLackCall(failure) || (await listDataSources(client)).kind === "failed") return failure;
  return { ...failure, fix: lacksCall(instead) };
}

/** The request that {@link orLacking} sends. */
export const sourcesIfLacking = `${requestOf("sources")} if that is answered with 404 or 405`;

export const mayLackCall = (failure: CallFailure): boolean => says(failure, "noCall");

/** `instead`: what to do without the call. */
export const lacksCall = (instead: string): string =>
  `The address is right: the service answers the list of data sources. It does not answer this call. ${instead}`;

export const modeCreate = (asked: ConfiguredAccount): string =>
  `Mode create is for such a service: ${howToSet("create", asked)}`;

/** How to allow a call that mode `create` does not have. */
export const howToAllow = (asked: ConfiguredAccount): string =>
  `To allow it (pulumi up may then change and delete jobs, too): ${howToSet("all", asked)}`;

function howToSet(mode: "all" | "create", { provider, account, source }: ConfiguredAccount): string {
  const path = modePath(account);
  if (provider !== undefined) return providerInputs.set(path, mode);
  if (source.exportStack === undefined)
    return "No stack's configuration was read: name one with --stack, and its project with --cwd.";
  return wordsOf(source).set(path, mode);
}

/** Commands that change the configuration of the stack that was asked, which may not be the selected one. */
export function wordsOf({ options: { cwd, stack } }: Source): ConfigWords {
  return stackConfigurationOf(commandOptions({ cwd, stack }));
}

export function titleOf({ provider, account, stack, folder }: Titled): string {
  const named = account === undefined ? undefined : `account ${account}`;
  const words = [
    stack === undefined ? undefined : `stack ${stack}${folder === undefined ? "" : ` in ${folder}`}`,
    provider === undefined ? (named ?? "the unnamed account") : `provider ${JSON.stringify(provider)}`,
    provider === undefined ? undefined : named,
  ].filter((word) => word !== undefined);
  return words.join(", ").replace(/^./, (letter) => letter.toUpperCase());
}
