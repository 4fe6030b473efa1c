/** `npm run contract`: sends the requests of test/contract's table to a real address, and prints the differences. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as z from "zod";
import { reasonOf } from "../provider/src/cli/command.js";
import { processContext } from "../provider/src/cli/context.js";
import { counted } from "../provider/src/cli/text.js";
import { AccountClient } from "../provider/src/client/accountClient.js";
import { Settings } from "../provider/src/config/index.js";
import { Play } from "../test/contract/play.js";

const { print } = processContext();

const usage = `npm run contract -- --address https://… [--token-command COMMAND] [--change FILE]
  Sends the requests of the vendor's published interface and prints where the replies differ from it. It prints no value of a
  reply, so its output can be shown to others. The token is that of DATA_CONNECTIVITY_TOKEN, or what the command prints.

  --change FILE   Also makes one disabled job, changes it and deletes it. The file has its params, as JSON: sourceConnection,
                  sourceName, sourceSchema and sourceTable of a table for which there is no job.`;

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const options = { address: text, "token-command": text, change: text, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ options });
  if (values.help === true) {
    print(usage);
    return;
  }
  if (values.address === undefined) throw new Error(`--address is missing.\n\n${usage}`);
  const config: Readonly<Record<string, string | undefined>> = {
    "data-connectivity:baseUrl": values.address,
    "data-connectivity:credentialsCommand": values["token-command"],
  };
  const { DATA_CONNECTIVITY_TOKEN } = process.env;
  const account = new Settings({ get: (key) => config[key] }, { DATA_CONNECTIVITY_TOKEN }).account();
  const host = { isEngineAlive: () => Promise.resolve(true), report: () => undefined };
  const { tokens } = new AccountClient(account, host);
  const file = values.change === undefined ? undefined : readFileSync(values.change, "utf8");
  const params = file === undefined ? undefined : z.record(z.string(), z.json()).parse(JSON.parse(file));
  const play = new Play(account.baseUrl, () => tokens.get(), params);
  const count = { agrees: 0, differs: 0, skipped: 0 };
  for await (const [{ name, method, path }, found] of play.run()) {
    const differences = found === "skipped" ? [] : found;
    const kind = found === "skipped" ? found : differences.length > 0 ? "differs" : "agrees";
    count[kind] += 1;
    const title = `${kind}  ${method} ${path} (${name})`;
    print(...(kind === "differs" ? differences.map((difference) => `${title}: ${difference}`) : [title]));
  }
  if (play.left !== undefined) print("", `${play.left} Delete it at the service.`);
  const agree = counted(count.agrees, "row agrees", "rows agree");
  const differ = counted(count.differs, "differs", "differ");
  print("", `${agree}, ${differ}, ${counted(count.skipped, "was", "were")} not played.`);
  process.exitCode = count.differs === 0 && play.left === undefined ? 0 : 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 2;
});
