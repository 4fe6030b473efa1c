/** `npm run contract`: sends the requests of test/contract's table to a real address, and prints the differences. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as z from "zod";
import { reasonOf } from "../provider/src/cli/command.js";
import { counted, print } from "../provider/src/cli/text.js";
import { Service } from "../provider/src/client/service.js";
import { Settings } from "../provider/src/config/index.js";
import { Play } from "../test/contract/play.js";

const usage = `npm run contract -- --address https://… [--token-command COMMAND] [--change FILE]
  Sends the requests of the vendor's published interface and prints where the replies differ from it. It prints no value of a
  reply, so its output can be shown to others. The token is that of DATA_CONNECTIVITY_TOKEN, or what the command prints.

  --change FILE   Also makes one disabled job, changes it and deletes it. The file has its params, as JSON: sourceConnection,
                  sourceName, sourceSchema and sourceTable of a table for which there is no job.
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      address: { type: "string" },
      "token-command": { type: "string" },
      change: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (values.address === undefined) {
    process.stderr.write(`--address is missing.\n\n${usage}`);
    return 2;
  }
  const config: Readonly<Record<string, string | undefined>> = {
    "data-connectivity:baseUrl": values.address,
    "data-connectivity:credentialsCommand": values["token-command"],
  };
  const { DATA_CONNECTIVITY_TOKEN: token } = process.env;
  const settings = new Settings({ get: (key) => config[key] }, token ? { DATA_CONNECTIVITY_TOKEN: token } : {});
  const account = settings.account();
  const { tokens } = new Service(account, {
    isEngineAlive: () => Promise.resolve(true),
    say: () => undefined,
    log: undefined,
  });
  const params =
    values.change === undefined
      ? undefined
      : z.record(z.string(), z.json()).parse(JSON.parse(readFileSync(values.change, "utf8")));
  const play = new Play(account.baseUrl, () => tokens.get(), params);
  const count = { agree: 0, differ: 0, skipped: 0 };
  for await (const [{ name, method, path }, differences] of play.run()) {
    const kind = differences === "skipped" ? "skipped" : differences.length > 0 ? "differ" : "agree";
    count[kind] += 1;
    const title = `${method} ${path} (${name})`;
    if (differences === "skipped") print(`skipped  ${title}`);
    else if (differences.length === 0) print(`agrees   ${title}`);
    else print(...differences.map((difference) => `differs  ${title}: ${difference}`));
  }
  if (play.left !== undefined) print("", `${play.left} Delete it at the service.`);
  const rows = counted(count.agree, "row agrees", "rows agree");
  const others = `${counted(count.differ, "differs", "differ")}, ${counted(count.skipped, "was", "were")} not played.`;
  print("", `${rows}, ${others}`);
  return count.differ === 0 && play.left === undefined ? 0 : 1;
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exitCode = 2;
  },
);
