import type { AccountClient } from "../client/accountClient.js";
import { each, type FoundStack, stacksIn, type UnreadStack } from "./allStacks.js";
import { orSettingsError } from "../config/index.js";
import { accountsOf, accountsToAsk, type ConfiguredAccount } from "./accounts.js";
import { reasonOf } from "./command.js";
import type { Context } from "./context.js";
import { asOne, type KnownJob, readPrintedExport, type StackExport } from "./stackExport.js";
import { readStackSettings, settingsOfStack, type Source, type StackOptions } from "./stackSettings.js";

/** Settings, and the exports of the stacks whose accounts they name. */
export interface Part {
  /** The stack's name, if each stack has its own settings. */
  readonly stack?: string;
  readonly source: Source;
  readonly exported: StackExport | undefined;
  /** Whether the settings are certainly the stack's own. */
  readonly isOwn: boolean;
}

export interface Parts {
  readonly parts: readonly Part[];
  readonly unread: readonly UnreadStack[];
}

/** One stack's settings, and the exports that were given. */
export async function onePart(
  context: Context,
  exports: readonly StackExport[],
  options: StackOptions,
): Promise<Parts> {
  const exported = exports.length === 0 ? undefined : asOne(exports);
  return { parts: [{ source: await readStackSettings(context, options), exported, isOwn: true }], unread: [] };
}

/** The stacks of the projects in these folders, each with its own settings and state: each is read once. */
export async function allParts(context: Context, folders: readonly string[]): Promise<Parts> {
  const found = await stacksIn(context, folders);
  const { parts, unread } = separated(await each(found.stacks, (stack) => partOf(context, stack)));
  return { parts, unread: [...unread, ...found.unread] };
}

/** The same stacks, with their states as they are now. */
export async function readAgain(parts: readonly Part[]): Promise<Parts> {
  const read = await each(parts, async (part) => {
    const { stack = "", source } = part;
    return orUnread({ stack, folder: source.folder }, async () => ({
      ...part,
      exported: await exportOf(source, stack),
    }));
  });
  return separated(read);
}

const separated = (read: readonly (Part | UnreadStack)[]): Parts => ({
  parts: read.flatMap((one) => ("source" in one ? [one] : [])),
  unread: read.flatMap((one) => ("source" in one ? [] : [one])),
});

const partOf = (context: Context, { stack, folder, isOwnFolder: isOwn }: FoundStack): Promise<Part | UnreadStack> =>
  orUnread({ stack, folder }, async () => {
    const source = await settingsOfStack(context, { stack, cwd: folder }, true);
    return { stack, source, exported: await exportOf(source, stack), isOwn };
  });

async function exportOf({ exportStack }: Source, stack: string): Promise<StackExport> {
  return readPrintedExport({ text: (await exportStack?.()) ?? "", from: `The stack ${stack}`, stack });
}

async function orUnread(
  of: Pick<UnreadStack, "stack" | "folder">,
  read: () => Promise<Part>,
): Promise<Part | UnreadStack> {
  try {
    return await read();
  } catch (error) {
    return { ...of, what: `not asked: ${reasonOf(error)}` };
  }
}

/** An account of a part. */
export interface PartAccount extends ConfiguredAccount {
  readonly stack: string | undefined;
  readonly folder: string | undefined;
  readonly part: Part;
}

export const accountsIn = (context: Context, parts: readonly Part[]): PartAccount[] =>
  parts.flatMap((part) => {
    const { stack, source, exported } = part;
    const accounts = accountsOf(context, source, exported?.providers);
    return accountsToAsk(accounts, exported, stack !== undefined).map((one) => ({
      ...one,
      ...{ part, stack, folder: stack && source.folder },
    }));
  });

/** Whether a job of the stack belongs to this account, by its saved origin or, without one, by its declaration. */
export function isIn({ provider, clients }: PartAccount, client: AccountClient, job: KnownJob): boolean {
  if (job.provider !== provider) return false;
  const { account } = client;
  if (job.origin !== undefined) return job.origin.baseUrl === account.baseUrl && job.origin.account === account.name;
  return orSettingsError(() => clients?.declaredBy(job.declared)) === client;
}
