import { type CallName, sends } from "../client/calls.js";
import { isMissing, type CallFailure } from "../client/outcomes.js";
import { isSameId } from "../client/jobMatch.js";
import type { AccountClient } from "../client/accountClient.js";
import { orSettingsError, SettingsError } from "../config/index.js";
import { canonicalJson } from "../json.js";
import { sentences } from "../sentences.js";
import { accountsOf, type ConfiguredAccount, exportOf, howToAllow, titleOf } from "./accounts.js";
import { InputError, readInput, standardInput, UsageError } from "./command.js";
import type { Context } from "./context.js";
import { type KnownJob, readExport } from "./stackExport.js";
import { readStackSettings, type StackOptions, stackOptions } from "./stackSettings.js";

/** The operand and the options of each command about one job. */
export const jobOperand = { name: "JOB_ID", help: "the job's id at the service" } as const;
export const jobOptions = {
  json: stackOptions.json,
  resource: {
    type: "string",
    value: "NAME",
    help: "in place of JOB_ID: the job of this resource, by its name or URN, in the stack's export on standard input",
  },
  account: {
    type: "string",
    value: "NAME",
    help: "the account that has the job; default: the resource's own, or the stack's",
  },
  stack: stackOptions.stack,
  cwd: stackOptions.cwd,
} as const;

interface JobValues extends StackOptions {
  readonly resource?: string | undefined;
  readonly account?: string | undefined;
}

/** The members of the document that name the job. */
export const jobMembers = { jobId: "JOB ID", service: "", account: "", provider: "", resource: "" } as const;

/** The job that the user named, and the service that has it. */
export interface NamedJob {
  readonly id: string;
  readonly client: AccountClient;
  /** Its {@link jobMembers}. */
  readonly named: Readonly<Record<keyof typeof jobMembers, string | undefined>>;
}

/** What a command does with the job. `notDone`: what a message says if it was not done. */
interface Use {
  readonly call: CallName;
  readonly notDone: string;
}

/**
 * The job that a command is about. Sends nothing.
 * @throws UsageError if not exactly one job is named.
 * @throws InputError if the job cannot be found out, or if the settings of its account do not allow the call.
 */
export async function namedJob(
  context: Context,
  values: JobValues,
  [operand]: readonly string[],
  use: Use,
): Promise<NamedJob> {
  if ((operand === undefined) === (values.resource === undefined))
    throw new UsageError("Name one job: by its id, or by --resource and the stack's export on standard input.");
  const piped = values.resource === undefined ? undefined : readExport(await readInput(context, standardInput));
  const source = await readStackSettings(context, values);
  let unread: string | undefined;
  const exported = piped ?? (await exportOf(source, (why) => (unread = why)));
  const jobs = exported?.jobs ?? [];
  const resource =
    values.resource === undefined ? resourceWith(operand, jobs, values.account) : resourceNamed(values.resource, jobs);
  const id = operand ?? resource?.jobId;
  if (id === undefined)
    throw new InputError(
      resource?.outcome === "unconfirmed"
        ? `${resource.label} has no job id, because its create is unconfirmed: run pulumi up first.`
        : `${resource?.label ?? ""} has no job id in this export, because its job is a secret: run pulumi refresh first, or pipe pulumi stack export --show-secrets.`,
    );
  const accounts = accountsOf(context, source, exported?.providers);
  if (unread !== undefined && values.account === undefined && accounts.length > 1)
    throw new InputError(
      `${unread} Nothing was sent: the stack's settings have several accounts, and only its state shows which of them has job ${id}. Name the account with --account.`,
    );
  const account = accountFor(accounts, id, resource, values.account);
  const client = clientOf(account, use);
  const { baseUrl, name } = client.account;
  if (resource?.service !== undefined && resource.service !== baseUrl)
    throw new InputError(
      `${resource.label} has its job at ${resource.service}, and the settings name ${baseUrl}. Nothing was sent.`,
    );
  const { provider } = account;
  return { id, client, named: { jobId: id, service: baseUrl, account: name, provider, resource: resource?.resource } };
}

/** The resource that has a job. Only the state has the job's account and the settings of a provider that is declared. */
function resourceWith(id: string | undefined, jobs: readonly KnownJob[], account?: string): KnownJob | undefined {
  const isAt = (one: KnownJob) => account === undefined || one.provider !== undefined || one.account === account;
  const found = jobs.filter((one) => isSameId(one.jobId, id) && isAt(one));
  const places = new Set(
    found.map((one) => canonicalJson([one.service ?? null, one.account ?? null, one.provider ?? null])),
  );
  if (places.size > 1)
    throw new InputError(
      `Resources of several accounts have a job ${id ?? ""}: ${found.map(({ label }) => label).join(", ")}. Nothing was sent. Name one of them with --resource or --account.`,
    );
  return found[0];
}

function resourceNamed(name: string, jobs: readonly KnownJob[]): KnownJob {
  const named = jobs.filter(({ resource, urn }) => resource === name || urn === name);
  const urns = [...new Set(named.map(({ urn }) => urn))];
  if (urns.length > 1)
    throw new InputError(
      `Several resources are called ${JSON.stringify(name)}. Give the URN of one: ${urns.join(", ")}`,
    );
  // The state may also have a job that it replaced, or a create of it that a run was killed in.
  const found = named.find(({ jobId, isReplaced }) => jobId !== undefined && !isReplaced) ?? named[0];
  if (found === undefined) throw new InputError(`The stack has no job of a resource ${JSON.stringify(name)}.`);
  return found;
}

/** The account to ask: the named one, the resource's, or the stack's own. */
function accountFor(
  accounts: readonly ConfiguredAccount[],
  id: string,
  resource: KnownJob | undefined,
  named: string | undefined,
): ConfiguredAccount {
  const own = accounts.find(({ provider }) => provider === resource?.provider);
  if (own === undefined)
    throw new InputError(
      `No resource of the stack has job ${id}, and the stack's configuration names no account, because all its jobs have providers that the program declares. Nothing was sent. Check the id, or name the stack that has the job with --stack.`,
    );
  const { clients } = own;
  if (clients === undefined) return own;
  const account = named ?? resource?.account;
  return { ...own, account, client: orSettingsError(() => clients.of(account)) };
}

function clientOf(account: ConfiguredAccount, { call, notDone }: Use): AccountClient {
  const { client } = account;
  if (client instanceof SettingsError)
    throw new InputError(`${titleOf(account)}: ${sentences(client.what, client.fix)}`);
  if (sends(client.account.mode, call)) return client;
  throw new InputError(
    sentences(
      `${titleOf(account)}: ${notDone}. The interface document does not show this call, so it is sent only if the setting jobOperations is all.`,
      howToAllow(account),
    ),
  );
}

/** The error after a call that found no job, or got no clear answer. */
export const failedCall = (failure: CallFailure, ifMissing: string): InputError =>
  new InputError(isMissing(failure) ? ifMissing : sentences(failure.what, failure.fix));
