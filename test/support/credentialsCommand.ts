import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporaryFolder.js";

/** A credentials command. Each test sets the command's token, and can count the command's runs. */
export function credentialsCommand() {
  const folder = temporaryFolder();
  const token = () => join(folder(), "token");
  const log = () => join(folder(), "runs");
  const counted = () => `echo run >> '${log()}'`;
  return {
    /** The command, for the setting. */
    line: () => `${counted()}; cat '${token()}'`,
    /** Another command, which prints a new token each time: the prefix and the number of the run. */
    numbering: (prefix: string) => `${counted()}; echo ${prefix}$(grep -c run '${log()}')`,
    prints: (text: string) => writeFile(token(), `${text}\n`),
    fails: () => rm(token()),
    runs: async () => (await readFile(log(), "utf8")).split("\n").length - 1,
  };
}

/** A command that prints a token and leaves a process running. `output`: where that process's output goes. */
export function leaveRunning(folder: string, output: string, token = "t0ken") {
  const [asked, answered] = [join(folder, "asked"), join(folder, "answered")];
  execFileSync("mkfifo", [asked, answered]);
  return {
    command: `{ read line < '${asked}'; echo alive > '${answered}'; } ${output} & echo ${token}`,
    /** What the process answers. Waits for ever if it has ended. */
    answer: async (): Promise<string> => {
      const [text] = await Promise.all([readFile(answered, "utf8"), writeFile(asked, "\n")]);
      return text.trim();
    },
  };
}
