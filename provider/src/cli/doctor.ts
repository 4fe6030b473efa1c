import { debugLog } from "../hosts/debugLog.js";
import { Services } from "../client/service.js";
import { plainSecret, Settings, unknownKeys } from "../config/index.js";
import { checkAccount } from "./checkAccount.js";
import { parseArguments, type Command } from "./command.js";
import { Report } from "./report.js";
import { settingRows } from "./settingRows.js";
import type { Source } from "./stackConfig.js";
import { readStackSettings, stackOptions } from "./stackSettings.js";
import { accountTitle, bold, columns, counted, green, print, red } from "./text.js";

export const doctor: Command = {
  usage: `Usage: pulumi-data-connectivity doctor [--stack NAME] [--cwd DIR]

Checks each account: its settings and where each came from, the address, and the token and when it expires. Then sends one
request as a run does, the list of data sources, and where jobOperations is all a second one, the list of jobs.
Exit code 0 if all checks passed, 1 if one failed.

  --stack NAME  read this stack's configuration too; default: the selected stack of the project
  --cwd DIR     the project's folder, or one in it; default: this one
`,

  async run(args) {
    const { values } = parseArguments({ args: [...args], options: stackOptions });
    const source = await readStackSettings(values);
    const report = new Report();
    await check(report, source);
    print(
      "",
      report.failures === 0 ? green("All checks passed.") : red(`${counted(report.failures, "check")} failed.`),
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
  report.readSettings(() => settings.protect());
  report.readSettings(() => settings.resendUnconfirmedBefore());
  const plain = plainSecret(source.config, source.isSecret);
  const problems = [...(plain === undefined ? [] : [plain]), ...unknownKeys(source.keys)];
  for (const { what, fix } of problems) report.failed("settings", what, fix);

  const names = report.readSettings(() => settings.accountNames());
  const services = new Services({
    isEngineAlive: () => Promise.resolve(true),
    say: (line) => {
      report.note(line);
    },
    log: debugLog(settings),
  });
  for (const name of names ?? []) {
    print("", bold(accountTitle(name)));
    await checkAccount(report, settings, services, name);
  }
}
