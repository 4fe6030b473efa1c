import { JOB, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { askService } from "./cliProcess.js";
import { caching, encrypted, exported, inClear, ofProvider, originAt, resource } from "./exportedState.js";

afterEach(stopAll);

const created = "2026-11-20T13:28:23.6280000Z";

describe("A provider that the program declares", () => {
  const eu = (service: TestServer) => ({
    ...{ baseUrl: service.baseUrl, jobOperations: "all", version: "0.1.0" },
    token: inClear(service.token),
  });
  const plugin = (name: string, baseUrl: string) => ({
    ...resource(name, { id: "job-1", origin: originAt(baseUrl) }),
    type: "data-connectivity:index:CachingJob",
  });
  const env = {};
  const showSecrets =
    'Provider "eu": not asked, because its token cannot be read without --show-secrets. Add it: pulumi stack export --show-secrets\n';

  test("is asked with its own address and credentials, and where all jobs have one, nothing else is", async () => {
    const service = await start({ token: "secret-of-eu" });
    service.addJob(JOB, { id: "job-1", created });
    service.addJob(caching("OTHER"), { id: "job-2", created });
    const stack = exported(ofProvider("eu", eu(service), plugin("orders", service.baseUrl)));
    const { exitCode, lines, stderr, stdout } = await askService(service, { stack, env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(lines.map((line) => line.split(" | ").slice(-2).join(" | "))).toEqual([
      ...["PROVIDER | RESOURCE", "eu | orders", "eu | -", "2 jobs, 1 of them not in the stack", ""],
    ]);
    expect(stdout).not.toContain("secret-of-eu");
    const file = await askService(service, { stack, env, args: ["--as-import"] });
    expect(JSON.parse(file.stdout)).toEqual({
      nameTable: { eu: "urn:pulumi:dev::proj::pulumi:providers:data-connectivity::eu" },
      resources: [expect.objectContaining({ logicalName: "other", id: "job-2", provider: "eu" })],
    });
    const program = await askService(service, { stack, env, args: ["--as-program"] });
    expect(program.stdout).toContain('// Left out: job job-2, of the provider "eu", which only the plugin has.');
  });

  test("is asked with the token of the variable that its option envVarMappings names", async () => {
    const service = await start({ token: "of-eu" });
    const __internal = { envVarMappings: { TOKEN_EU: "DATA_CONNECTIVITY_TOKEN" } };
    const inputs = { ...eu(service), token: undefined, __internal };
    const stack = exported(ofProvider("eu", inputs, plugin("orders", service.baseUrl)));
    const ofRun = { TOKEN_EU: "of-eu", DATA_CONNECTIVITY_TOKEN: "of-another" };
    const { exitCode, stderr } = await askService(service, { stack, env: ofRun });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test.each([
    ["a flag, where they are encrypted", { token: encrypted }, showSecrets],
    ["a flag, where they were cut off by hand", { token: { ...inClear("secret"), plaintext: '"secr' } }, showSecrets],
    [
      "a variable, where it has none",
      { token: undefined },
      /^Provider "eu": .*, or the environment variable DATA_CONNECTIVITY_TOKEN\.\n$/,
    ],
  ])("whose credentials are missing is named with what gives them: %s", async (_, inputs, says) => {
    const service = await start();
    const stack = exported(ofProvider("eu", { ...eu(service), ...inputs }, plugin("orders", service.baseUrl)));
    const { exitCode, stderr } = await askService(service, { stack, env });
    expect(exitCode).toBe(1);
    expect(stderr).toEqual(typeof says === "string" ? says : expect.stringMatching(says));
    expect(service.requests).toEqual([]);
  });
});
