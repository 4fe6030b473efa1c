import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { nameStack, wordsOfRun } from "../../provider/src/hosts/dynamic/identity.js";
import { stackIn } from "../../provider/src/hosts/stackExport.js";
import { membersOf } from "../../provider/src/json.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const built = resolve(__dirname, "../../provider/dist/hosts/stackExport.js");
const temporary = temporaryFolder();
const onLinux = process.platform === "linux" ? test : test.skip;

/** A project whose program is in `program`, and a folder outside it. */
function folders() {
  const top = realpathSync(temporary());
  const [project, program, other] = [join(top, "project"), join(top, "project/program"), join(top, "other")];
  for (const folder of [program, other]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, "Pulumi.yaml"), "name: test\nruntime: nodejs\nmain: program\n");
  return { top, project, program, other };
}

/**
 * A CLI in a folder, whose file is not called `pulumi`: Node, which takes the file of the same name for the command `up`
 * and `stack`. It listens as an engine does, and between it and the provider in `program` stands a shell.
 */
function writeCli(folder: string, program: string): void {
  const provider = join(program, "provider.js");
  writeFileSync(provider, `Promise.resolve(eval(process.env.ASK)).then((found) => console.log(JSON.stringify(found)))`);
  const start = `cd "${program}" && "$1" provider.js 127.0.0.1:"$2"; exit $?`;
  writeFileSync(
    join(folder, "up.js"),
    `const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
      const args = ["-c", ${JSON.stringify(start)}, "sh", process.execPath, String(server.address().port)];
      const env = { ...process.env, PULUMI_HOME: "the provider's" };
      require("node:child_process").spawn("sh", args, { env, stdio: "inherit" }).on("close", () => server.close());
    });`,
  );
  const found = `{ args: process.argv.slice(2), folder: process.cwd(), env: process.env }`;
  writeFileSync(join(folder, "stack.js"), `console.log(JSON.stringify(${found}))`);
}

const ofBuild = (call: string, args = "") => `require(${JSON.stringify(built)}).${call}(${args})`;

/** What `ask` is in a provider of a CLI with these arguments and variables. */
function inProvider(ask: string, { args = [], env = {} }: { args?: string[]; env?: NodeJS.ProcessEnv } = {}): unknown {
  const { program, other } = folders();
  writeCli(other, program);
  const given = { cwd: other, env: { ...process.env, PWD: program, ASK: ask, ...env }, encoding: "utf8" } as const;
  return JSON.parse(execFileSync(process.execPath, ["up", ...args], given));
}

const exportHere = `${ofBuild("exportWithCli")}.then(JSON.parse)`;

onLinux("The program that started us is asked, in its folder and with its environment, whatever its name is", () => {
  const found = inProvider(exportHere, { args: ["--yes"], env: { PULUMI_HOME: "the CLI's" } });
  expect(found).toMatchObject({
    args: ["export", "--non-interactive", "--color", "never"],
    folder: expect.stringMatching(/\/other$/) as unknown,
    env: { PULUMI_HOME: "the CLI's" },
  });
  expect(inProvider(ofBuild("argumentsOfCli"), { args: ["--yes"] })).toEqual(["up", "--yes"]);
});

onLinux("A variable changes nothing of what the CLI prints or writes, and still chooses the stack", () => {
  const stack = { PULUMI_OPTION_STACK: "prod", PULUMI_STACK: "dev", PULUMI_CONFIG_PASSPHRASE: "secret" };
  const output = {
    PULUMI_OPTION_FILE: "state.json",
    PULUMI_OPTION_VERSION: "1",
    PULUMI_OPTION_CWD: "/",
    PULUMI_ENABLE_AUTOMATIC_LOGGING: "true",
    PULUMI_DEBUG_GRPC: "calls.json",
    PULUMI_LOG_OTLP_ENDPOINT: "127.0.0.1:1",
    OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:1",
    pulumi_option_show_secrets: "true",
  };
  const { args, env } = membersOf(inProvider(exportHere, { env: { ...output, ...stack } }));
  expect(args).toEqual(["export", "--stack", "prod", "--non-interactive", "--color", "never"]);
  expect(
    Object.keys(membersOf(env))
      .filter((name) => /pulumi|otel/i.test(name))
      .sort(),
  ).toEqual(
    ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_SKIP_UPDATE_CHECK", "PULUMI_STACK"], // prettier-ignore
  );
});

onLinux("The state is that of the stack that the CLI was told to use", () => {
  const of = (args: string[], env?: NodeJS.ProcessEnv) =>
    ["stackOfCli", "stackOptionsOfCli"].map((call) => inProvider(ofBuild(call), { args, ...(env && { env }) }));
  const prod = { PULUMI_OPTION_STACK: "prod" };
  expect(of(["--stack", "acme/test/dev", "--yes"], prod)).toEqual([
    { name: "acme/test/dev" },
    " --stack acme/test/dev",
  ]);
  expect(of(["--yes"])).toEqual([{}, ""]);
  expect(of(["--yes"], prod)).toEqual([{ name: "prod" }, " --stack prod"]);
  // PULUMI_STACK may be set for this one command, and the option of a printed one stands before it.
  expect(of(["--yes"], { PULUMI_STACK: "dev" })).toEqual([{ name: "dev" }, " --stack dev"]);
  expect(of(["--yes"], { ...prod, PULUMI_STACK: "dev" })).toEqual([{ name: "prod" }, " --stack prod"]);
});

test.each<readonly [readonly string[], ReturnType<typeof stackIn>]>([
  [["up"], { name: undefined }],
  [["up", "--yes", "--skip-preview", "-C", "."], { name: undefined }],
  [["up", "--stack", "dev", "--yes"], { name: "dev" }],
  [["up", "--stack=acme/test/dev"], { name: "acme/test/dev" }],
  [["-s", "dev", "destroy"], { name: "dev" }],
  [["up", "-s=dev"], { name: "dev" }],
  [["up", "-sdev"], { name: "dev" }],
  // The last one counts, such as after an alias that has one of its own.
  [["up", "--stack", "dev", "-s", "prod"], { name: "prod" }],
  [["up", "--stack", "dev", "-ys", "prod"], undefined],
  // Not known: another option may end in `s`, or have a value.
  [["up", "-ys", "dev"], undefined],
  [["up", "-Cfolders"], undefined],
  [["up", "--stack"], undefined],
  [["do", "data-connectivity:getJobs", "--", "--stack", "dev"], { name: undefined }],
])("pulumi %j uses the stack %j", (args, stack) => {
  expect(stackIn(args)).toEqual(stack);
});

test("Elsewhere it is the shell's folder, if that is in the same project", () => {
  const { project, program, other } = folders();
  const found = (PWD: string, env?: NodeJS.ProcessEnv) => {
    const ask = `console.log(${ofBuild("folderOfCli")})`;
    const given = { cwd: program, env: { ...process.env, PWD, ...env }, encoding: "utf8" } as const;
    return execFileSync(process.execPath, ["-e", ask], given).trim();
  };
  expect(found(project)).toBe(project);
  expect(found(other)).toBe(program);
  expect(found(other, { PULUMI_OPTION_CWD: "../project" })).toBe(project);
});

test.each([
  [["-ys", "dev"], " --stack of-engine"],
  [["-yfs=dev"], " --stack of-engine"],
  [["--stack", "dev"], " --stack dev"],
  [["--yes"], ""],
])(
  "A printed command names the engine's stack where the arguments of the CLI are not understood: %j",
  (args, options) => {
    // Outside Linux, no arguments of another process are shown.
    const expected = process.platform === "linux" ? options : " --stack of-engine";
    expect(inProvider(ofBuild("stackOptionsOfCli", JSON.stringify("of-engine")), { args })).toBe(expected);
  },
);

test("Each run of one process names its own stack", () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform");
  // There, no CLI is seen.
  Object.defineProperty(process, "platform", { value: "darwin" });
  try {
    for (const stack of ["one", "two"]) {
      nameStack(`urn:pulumi:${stack}::test`);
      expect(wordsOfRun().stackOptions).toBe(` --stack ${stack}`);
    }
  } finally {
    if (platform !== undefined) Object.defineProperty(process, "platform", platform);
  }
});
