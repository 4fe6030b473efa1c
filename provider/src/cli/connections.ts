import { requestOf } from "../client/calls.js";
import { listConnections } from "../client/requests.js";
import {
  accountsOf,
  accountsToAsk,
  askEach,
  exportOf,
  notListedMembers,
  orLacking,
  sourcesIfLacking,
} from "./accounts.js";
import { command } from "./command.js";
import { table } from "./document.js";
import { readStackSettings, stackOptions } from "./stackSettings.js";

const connectionMembers = {
  id: "ID",
  name: "NAME",
  dataSource: "DATA SOURCE",
  lastModified: "LAST MODIFIED",
  service: "",
  provider: "PROVIDER",
  account: "ACCOUNT",
} as const;
const members = { connections: [connectionMembers], notListed: [notListedMembers] } as const;

export const connections = command({
  summary: "Lists the connections of each account, with their ids",
  about: [
    "Lists the connections of each account, also of the providers that the program declared in its last run. A caching job takes the id of one as params.sourceConnection.",
  ],
  options: stackOptions,
  forms: {
    "": {
      answers: "Which connections exist, and what are their ids?",
      requests: [requestOf("connections"), sourcesIfLacking],
      json: members,
    },
  },
  fails: "if a list is missing",
  example: ["pulumi-data-connectivity connections --stack dev"],

  async run(context, values) {
    const source = await readStackSettings(context, values);
    const exported = await exportOf(source, context.complain);
    const accounts = accountsToAsk(accountsOf(context, source, exported?.providers), exported);
    const { lists, notListed, exitCode } = await askEach(context, accounts, async (client, { provider }) => {
      const list = await listConnections(client);
      const { baseUrl, name: account } = client.account;
      return list.kind === "failed"
        ? orLacking(client, list, "Take the ids of connections from the service's own pages.")
        : { ...list, value: list.value.map((one) => ({ ...one, service: baseUrl, provider, account })) };
    });
    const found = lists.flatMap(({ entries }) => entries);
    if (values.json) context.printJson(members, { connections: exitCode === 0 ? found : undefined, notListed });
    else if (found.length > 0) context.print(...table(connectionMembers, found));
    // Of an account whose list is missing, nothing is known.
    else if (exitCode === 0) context.print("There are no connections.");
    return exitCode;
  },
});
