/**
 * `npm start`: runs the quickstart against an emulator on this machine. The quickstart runs on a real engine if a CLI
 * is installed or can be downloaded, otherwise under the package's own mocks. Each run starts with an empty state.
 */
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import { reasonOf } from "../provider/src/cli/command.js";
import { processContext } from "../provider/src/cli/context.js";
import { columns } from "../provider/src/cli/text.js";
import { setProviderMocks, startEmulator, type Emulator } from "pulumi-data-connectivity/testing";

const { print } = processContext();

const root = resolve(__dirname, "..");
const state = resolve(root, ".state");

async function main(): Promise<void> {
  const emulator = await startEmulator();
  try {
    const cli = await findCli();
    if (cli === undefined) await runUnderMocks(emulator);
    else await runOnEngine(emulator, cli);
    const { jobs, requests } = emulator;
    print(`\nThe service now has ${jobs.length} jobs, made with ${requests.length} requests:\n`);
    const rows = jobs.map((job) => {
      const schedule = `every ${job.intervalValue} ${job.intervalUnit}`;
      return [job.id, job.jobType, job.name, schedule, job.nextRunTime];
    });
    print(...columns([["JOB", "TYPE", "TABLE OR QUERY", "SCHEDULE", "NEXT RUN"], ...rows]));
  } finally {
    await emulator.stop();
  }
}

async function findCli(): Promise<PulumiCommand | undefined> {
  const own = { root: resolve(state, "cli") };
  for (const options of [undefined, own]) {
    const found = await PulumiCommand.get(options).catch(() => undefined);
    if (found !== undefined) return found;
  }
  const site = "get.pulumi.com";
  // Checked first, because the download would wait for its timeout if there is no internet.
  const head = { method: "HEAD", signal: AbortSignal.timeout(3000) };
  const reply = await fetch(`https://${site}`, head).catch(() => undefined);
  if (reply === undefined) return undefined;
  print(`No pulumi CLI is on the PATH. Downloading the version of the SDK from ${site} to .state/cli …`);
  return PulumiCommand.install(own).catch(() => undefined);
}

async function runOnEngine(emulator: Emulator, pulumiCommand: PulumiCommand): Promise<void> {
  print(
    `Running the quickstart on a real engine (pulumi ${String(pulumiCommand.version)}): preview and up, against an emulator of`,
    "the service on this machine. Without a CLI, the same program would run under the package's mocks: checks and creates only.",
  );
  const backend = resolve(state, "backend");
  rmSync(backend, { recursive: true, force: true });
  mkdirSync(backend, { recursive: true });
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "quickstart", workDir: root },
    {
      pulumiCommand,
      envVars: {
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_CONFIG_PASSPHRASE: "quickstart",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
        DATA_CONNECTIVITY_TOKEN: emulator.token,
      },
    },
  );
  const onOutput = (text: string) => process.stdout.write(text);
  const show = { onOutput, color: "never", suppressProgress: true } as const;
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

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
});
