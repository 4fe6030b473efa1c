import { listConnections, type Connection } from "../client/lists.js";
import type { Services } from "../client/service.js";
import { Settings, SettingsError, type Account } from "../config/index.js";
import { sentences } from "../sentences.js";
import { parseArguments, type Command } from "./command.js";
import { placeOf, titleOf } from "./places.js";
import type { NotListed } from "./serviceJobs.js";
import { namesOf, readStackSettings, stackOptions } from "./stackSettings.js";
import { bold, columns, complain, print } from "./text.js";

export const connections: Command = {
  usage: `Usage: pulumi-data-connectivity connections [--json] [--stack NAME] [--cwd DIR]

Lists the connections of each account. A caching job takes the id of one as params.sourceConnection.
Exit code 0; 1 if a list is missing; 2 if the command was mistyped.

  --json        prints { "connections": [{ "id", "name", "dataSource", "lastModified", "service",
                "account" }], "notListed": [{ "account", "what", "fix" }] };
                null means unknown
  --stack NAME  read this stack's configuration too; default: the selected stack of the project
  --cwd DIR     the project's folder, or a folder inside it; default: the current one

Example: pulumi-data-connectivity connections --stack dev
`,

  async run(args) {
    const { values } = parseArguments({ args: [...args], options: { ...stackOptions, json: { type: "boolean" } } });
    const { settings, services } = placeOf(undefined, new Settings((await readStackSettings(values)).config));
    const lists = [];
    for (const name of namesOf(settings)) lists.push(await listOf(settings, services, name));
    const found = lists.flatMap((list) => ("rows" in list ? list.rows : []));
    const notListed = lists.filter((list) => "what" in list);
    for (const { account, what, fix } of notListed) complain(`${titleOf(undefined, account)}: ${sentences(what, fix)}`);
    if (values.json === true) print(asJson(found, notListed));
    else if (notListed.length < lists.length) print(...table(found));
    return notListed.length === 0 ? 0 : 1;
  },
};

type NotAsked = Omit<NotListed, "isDeclined" | "provider">;

interface Row {
  readonly connection: Connection;
  readonly account: Account;
}

async function listOf(
  settings: Settings,
  services: Services,
  name: string | undefined,
): Promise<NotAsked | { readonly rows: readonly Row[] }> {
  try {
    const account = settings.account(name);
    const list = await listConnections(services.of(account));
    if (list.kind === "failed") return { account: name, what: list.what, fix: list.fix };
    return { rows: list.entries.map((connection) => ({ connection, account })) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { account: name, what: error.what, fix: error.fix };
  }
}

function table(rows: readonly Row[]): string[] {
  if (rows.length === 0) return ["There are no connections."];
  const withAccounts = rows.some(({ account }) => account.name !== undefined);
  const [header = "", ...lines] = columns([
    ["ID", "NAME", "DATA SOURCE", "LAST MODIFIED", ...(withAccounts ? ["ACCOUNT"] : [])],
    ...rows.map(({ connection: { id, name, dataSource = "-", lastModified = "-" }, account }) => [
      ...[id, name, dataSource, lastModified],
      ...(withAccounts ? [account.name ?? "-"] : []),
    ]),
  ]);
  return [bold(header), ...lines];
}

const asJson = (rows: readonly Row[], notListed: readonly NotAsked[]): string =>
  JSON.stringify(
    {
      connections: rows.map(({ connection: { id, name, dataSource, lastModified }, account }) => ({
        ...{ id, name, dataSource: dataSource ?? null, lastModified: lastModified ?? null },
        ...{ service: account.baseUrl, account: account.name ?? null },
      })),
      notListed: notListed.map(({ account, what, fix }) => ({ account: account ?? null, what, fix: fix ?? null })),
    },
    undefined,
    2,
  );
