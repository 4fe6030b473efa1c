import { listConnections } from "../client/lists.js";
import { parseArguments, type Command } from "./command.js";
import { accountsOf, askEach, declaredProviders } from "./accounts.js";
import { readStackSettings, stackOptions } from "./stackSettings.js";
import { complain, print, printJson, table } from "./text.js";

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
    const { values } = parseArguments({ args, options: stackOptions });
    const source = await readStackSettings(values);
    const accounts = accountsOf(source, await declaredProviders(source, complain));
    const { entries, isAnyListed, notListed, exitCode } = await askEach(accounts, async (service, { provider }) => {
      const list = await listConnections(service);
      const { baseUrl, name: account } = service.account;
      return list.kind === "failed"
        ? list
        : list.entries.map((one) => ({ ...one, service: baseUrl, provider, account }));
    });
    if (values.json) printJson({ connections: entries, notListed });
    else if (isAnyListed && entries.length === 0) print("There are no connections.");
    else if (isAnyListed)
      print(
        ...table(
          entries.map((one) => ({
            ID: one.id,
            NAME: one.name,
            "DATA SOURCE": one.dataSource,
            "LAST MODIFIED": one.lastModified,
            PROVIDER: one.provider,
            ACCOUNT: one.account,
          })),
          ["PROVIDER", "ACCOUNT"],
        ),
      );
    return exitCode;
  },
};
