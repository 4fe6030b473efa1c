import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporaryFolder.js";

/** A credentials command whose token each test of the file sets, and whose runs it can count. */
export function credentialsCommand() {
  const folder = temporaryFolder();
  const token = () => join(folder(), "token");
  const log = () => join(folder(), "runs");
  const counted = () => `echo run >> '${log()}'`;
  return {
    /** The command as the setting takes it. */
    line: () => `${counted()}; cat '${token()}'`,
    /** Another command, which prints a new token each time: the prefix and the number of the run. */
    numbering: (prefix: string) => `${counted()}; echo ${prefix}$(grep -c run '${log()}')`,
    prints: (text: string) => writeFile(token(), `${text}\n`),
    fails: () => rm(token()),
    runs: async () => (await readFile(log(), "utf8")).split("\n").length - 1,
  };
}
