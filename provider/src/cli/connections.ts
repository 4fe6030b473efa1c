import { listConnections } from "../client/lists.js";
import { accountsOf, askEach, declaredProviders, notListedMembers, orLacking, sourcesIfLacking } from "./accounts.js";
import { command } from "./command.js";
import { readStackSettings, stackOptions } from "./stackSettings.js";
import { table } from "./text.js";

export const connections = command({
  summary: "Lists the connections of each account, with their ids",
  about: [
    "Lists the connections of each account, also of the providers that the program declared in its last run. A caching job takes the id of one as params.sourceConnection.",
  ],
  options: stackOptions,
  forms: {
    "": {
      answers: "Which connections exist, and what are their ids?",
      requests: ["GET /api/poweredby/connection/list", sourcesIfLacking],
      json: {
        connections: [{ id: "", name: "", dataSource: "", lastModified: "", service: "", provider: "", account: "" }],
        notListed: [notListedMembers],
      },
    },
  },
  fails: "if a list is missing",
  example: ["pulumi-data-connectivity connections --stack dev"],

  async run(context, values) {
    const source = await readStackSettings(context, values);
    const accounts = accountsOf(context, source, await declaredProviders(source, context.complain));
    const lists = await askEach(context, accounts, async (service, { provider }) => {
      const list = await listConnections(service);
      const { baseUrl, name: account } = service.account;
      return list.kind === "failed"
        ? orLacking(service, list, "Take the ids of connections from the service's own pages.")
        : list.entries.map((one) => ({ ...one, service: baseUrl, provider, account }));
    });
    const { entries, isAnyListed, notListed, exitCode } = lists;
    if (values.json) context.printJson({ connections: exitCode === 0 ? entries : undefined, notListed });
    else if (isAnyListed && entries.length === 0) context.print("There are no connections.");
    else if (isAnyListed)
      context.print(
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
});
