import { listConnections, type Connection } from "../client/lists.js";
import type { Account } from "../config/index.js";
import { parseArguments, type Command } from "./command.js";
import { askEach, declaredProviders, type NotListed, notListedAsJson, placesOf } from "./places.js";
import { readStackSettings, stackOptions } from "./stackSettings.js";
import { bold, columns, complain, print } from "./text.js";

export const connections: Command = {
  usage: `Usage: pulumi-data-connectivity connections [--json] [--stack NAME] [--cwd DIR]

Lists the connections of each account, also of the providers that the program declared in its last
run. A caching job takes the id of one as params.sourceConnection.
Exit code 0; 1 if a list is missing; 2 if the command was mistyped.

  --json        prints { "connections": [{ "id", "name", "dataSource", "lastModified", "service",
                "provider", "account" }], "notListed": [{ "provider", "account", "what", "fix" }] };
                null means unknown
  --stack NAME  read this stack's configuration too; default: the selected stack of the project
  --cwd DIR     the project's folder, or a folder inside it; default: the current one

Example: pulumi-data-connectivity connections --stack dev
`,

  async run(args) {
    const { values } = parseArguments({ args: [...args], options: { ...stackOptions, json: { type: "boolean" } } });
    const source = await readStackSettings(values);
    const providers = await declaredProviders(source, complain);
    const places = placesOf(source, providers, "pulumi stack export --show-secrets");
    const { answers, notListed } = await askEach<Row[]>(places, async (account, { provider, services }) => {
      const list = await listConnections(services.of(account));
      if (list.kind === "failed") return list;
      return list.entries.map((connection) => ({ connection, account, provider }));
    });
    const found = answers.flat();
    if (values.json === true) print(asJson(found, notListed));
    else if (answers.length > 0) print(...table(found));
    return notListed.length === 0 ? 0 : 1;
  },
};

interface Row {
  readonly connection: Connection;
  readonly account: Account;
  readonly provider: string | undefined;
}

function table(rows: readonly Row[]): string[] {
  if (rows.length === 0) return ["There are no connections."];
  const withProviders = rows.some(({ provider }) => provider !== undefined);
  const withAccounts = rows.some(({ account }) => account.name !== undefined);
  const [header = "", ...lines] = columns([
    [
      ...["ID", "NAME", "DATA SOURCE", "LAST MODIFIED"],
      ...(withProviders ? ["PROVIDER"] : []),
      ...(withAccounts ? ["ACCOUNT"] : []),
    ],
    ...rows.map(({ connection: { id, name, dataSource = "-", lastModified = "-" }, account, provider }) => [
      ...[id, name, dataSource, lastModified],
      ...(withProviders ? [provider ?? "-"] : []),
      ...(withAccounts ? [account.name ?? "-"] : []),
    ]),
  ]);
  return [bold(header), ...lines];
}

const asJson = (rows: readonly Row[], notListed: readonly NotListed[]): string =>
  JSON.stringify(
    {
      connections: rows.map(({ connection: { id, name, dataSource, lastModified }, account, provider }) => ({
        ...{ id, name, dataSource: dataSource ?? null, lastModified: lastModified ?? null },
        ...{ service: account.baseUrl, provider: provider ?? null, account: account.name ?? null },
      })),
      notListed: notListedAsJson(notListed),
    },
    undefined,
    2,
  );
