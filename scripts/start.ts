/**
 * `npm start`: runs the quickstart against an emulator on this machine. The quickstart runs on a real engine if a CLI
 * is installed or can be downloaded, otherwise under the package's own mocks. Each run starts with an empty state.
 */
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import { columns, print } from "../provider/src/cli/text.js";
import { setProviderMocks, startEmulator, type Emulator } from "pulumi-data-connectivity/testing";

const root = resolve(__dirname, "..");
const state = resolve(root, ".state");
const downloadSite = "get.pulumi.com";

async function main(): Promise<void> {
  const emulator = await startEmulator();
  try {
    const cli = await findCli();
    if (cli === undefined) await runUnderMocks(emulator);
    else await runOnEngine(emulator, cli);
    showJobs(emulator);
  } finally {
    await emulator.stop();
  }
}

async function findCli(): Promise<PulumiCommand | undefined> {
  for (const options of [undefined, { root: resolve(state, "cli") }]) {
    const found = await PulumiCommand.get(options).catch(() => undefined);
    if (found !== undefined) return found;
  }
  if (!(await isReachable(downloadSite))) return undefined;
  print(`No pulumi CLI is on the PATH. Downloading the version of the SDK from ${downloadSite} to .state/cli …`);
  return PulumiCommand.install({ root: resolve(state, "cli") }).catch(() => undefined);
}

/** Checked before a download, which would wait for its timeout if there is no internet. */
const isReachable = (host: string): Promise<boolean> =>
  fetch(`https://${host}`, { method: "HEAD", signal: AbortSignal.timeout(3000) }).then(
    () => true,
    () => false,
  );

async function runOnEngine(emulator: Emulator, pulumiCommand: PulumiCommand): Promise<void> {
  print(
    `Running the quickstart on a real engine (pulumi ${String(pulumiCommand.version)}): preview and up, against an emulator of`,
    "the service on this machine. Without a CLI, the same program would run under the package's mocks: checks and creates only.",
  );
  rmSync(resolve(state, "backend"), { recursive: true, force: true });
  mkdirSync(resolve(state, "backend"), { recursive: true });
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "quickstart", workDir: root },
    {
      pulumiCommand,
      envVars: {
        PULUMI_BACKEND_URL: `file://${resolve(state, "backend")}`,
        PULUMI_CONFIG_PASSPHRASE: "quickstart",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
        DATA_CONNECTIVITY_TOKEN: emulator.token,
      },
    },
  );
  const show = {
    onOutput: (text: string) => process.stdout.write(text),
    color: "never" as const,
    suppressProgress: true,
  };
  await stack.preview(show);
  await stack.up(show);
}

async function runUnderMocks(emulator: Emulator): Promise<void> {
  print(
    "No pulumi CLI is installed, and none can be downloaded. So the quickstart runs under the package's mocks (setProviderMocks):",
    "the real checks and creates, against an emulator of the service on this machine. A CLI on the PATH adds preview, state and changes.",
  );
  const mocks = await setProviderMocks({ ...emulator, project: "quickstart", stack: "quickstart" });
  try {
    const { default: program } = await import("../examples/quickstart/index.js");
    await new Promise((done) => pulumi.output(program()).apply(done));
  } finally {
    await mocks.stop();
  }
}

function showJobs({ jobs, requests }: Emulator): void {
  const rows = jobs.map(({ id, jobType, name, intervalValue, intervalUnit, nextRunTime }) => {
    return [id, jobType, name, `every ${intervalValue} ${intervalUnit}`, nextRunTime];
  });
  print(`\nThe service now has ${jobs.length} jobs, made with ${requests.length} requests:\n`);
  print(...columns([["JOB", "TYPE", "TABLE OR QUERY", "SCHEDULE", "NEXT RUN"], ...rows]));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
