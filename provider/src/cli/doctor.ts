import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Services } from "../client/service.js";
import { plainSecret, Settings } from "../config/index.js";
import { checkAccount } from "./checks.js";
import { InputError, parseArguments, type Command } from "./command.js";
import { Report } from "./report.js";
import { settingRows } from "./shownSettings.js";
import { programFolder, readSource, type Source } from "./stackConfig.js";
import { bold, columns, counted, green, print, red } from "./text.js";

export const doctor: Command = {
  usage: `Usage: pulumi-data-connectivity doctor [--stack NAME] [--cwd DIR]

Checks, for each account, what a failing pipeline raises: the settings and where each came from, the address, whether it
can be reached, TLS, the token and when it expires, and the list call, which is the only request that is sent.
Exit code 0 when everything is well, 1 when something failed.

  --stack NAME  read this stack's configuration too; default: the selected stack, where the folder holds a Pulumi.yaml
  --cwd DIR     the project's folder; default: this one
`,

  async run(args) {
    const { values } = parseArguments({
      args: [...args],
      options: { stack: { type: "string" }, cwd: { type: "string", default: "." } },
    });
    const folder = resolve(values.cwd);
    if (!existsSync(folder)) throw new InputError(`The folder of --cwd does not exist: ${folder}`);
    const source = await readSource(values.stack, folder);
    // A credentialsCommand runs where the program does.
    process.chdir(programFolder(folder));
    const report = new Report();
    await check(report, source);
    print(
      "",
      report.failures === 0 ? green("Everything is well.") : red(`${counted(report.failures, "check")} failed.`),
    );
    return report.failures === 0 ? 0 : 1;
  },
};

async function check(report: Report, source: Source): Promise<void> {
  const settings = new Settings(source.config);
  print(
    bold(`Settings from ${source.from}`),
    ...columns(settingRows(settings, source, process.env)).map((row) => `  ${row}`),
  );
  report.settings(() => settings.protect());
  report.settings(() => settings.resendUnconfirmedBefore());
  const plain = plainSecret(source.config, source.isSecret);
  if (plain !== undefined) report.failed("settings", plain.what, plain.fix);

  const names = report.settings(() => settings.accountNames());
  const services = new Services({
    isEngineAlive: () => Promise.resolve(true),
    say: (line) => {
      report.skip("note", line);
    },
    debug: settings.debug(),
  });
  for (const name of names ?? []) {
    print("", bold(name === undefined ? "The unnamed account" : `Account ${name}`));
    await checkAccount(report, settings, services, name);
  }
}
