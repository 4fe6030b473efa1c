import { LIST, settingsFor, start, stopAll } from "../support/emulated.js";
import { selfSigned } from "../support/selfSigned.js";
import { unheardAddress } from "../support/servers.js";
import { allOperations, configuredProject, examineInProcess } from "./cliProcess.js";

const project = configuredProject(allOperations);
/** A project with a short timeout, for requests that fail anyway. */
const hasty = configuredProject({ ...allOperations, "data-connectivity:timeoutSeconds": "1" });
const doctor = (env: NodeJS.ProcessEnv, of = project) => examineInProcess(of, env);
afterEach(stopAll);

test("a service that cannot be reached fails the list call, after the token and before the jobs", async () => {
  const baseUrl = unheardAddress;
  // The doctor does not report these proxies as a possible cause: plain http bypasses every proxy.
  const env = { HTTP_PROXY: "http://127.0.0.1:1", ALL_PROXY: "http://127.0.0.1:1" };
  const { exitCode, lines } = await doctor({ ...env, ...settingsFor({ baseUrl, token: "t" }) });
  expect(exitCode).toBe(1);
  const { host } = new URL(baseUrl);
  expect(lines.slice(lines.indexOf(`ok address ${baseUrl} is well formed`) + 1)).toEqual([
    "ok token an opaque token, whose expiry cannot be read, from DATA_CONNECTIVITY_TOKEN",
    expect.stringMatching(
      `^FAILED list GET ${LIST} failed: no connection to ${host} could be made \\(ECONNREFUSED\\) \\(\\d tries\\)\\.$`,
    ),
    "Check the address (DATA_CONNECTIVITY_BASE_URL), the network and the proxy settings, then run the command again.",
    "- jobs not checked: needs what failed above",
    "",
    "1 check failed.",
    "",
  ]);
});

test("an address's path, which may be a secret, is shown nowhere, and a refused token is explained", async () => {
  const service = await start();
  const { baseUrl } = service;
  const { stdout, lines } = await doctor({ ...settingsFor({ baseUrl: `${baseUrl}/S3CRET`, token: "t" }) });
  expect(stdout).not.toContain("S3CRET");
  expect(lines).toContain(`ok address ${baseUrl} and more (not shown) is well formed`);
  expect((await doctor(settingsFor({ baseUrl, token: "t" }))).lines).toContain(
    "The service did not accept the token from DATA_CONNECTIVITY_TOKEN. It may have been revoked, the service may not know the key that signed it, or DATA_CONNECTIVITY_BASE_URL may be the address of another service. Set a working token: export DATA_CONNECTIVITY_TOKEN=<token>",
  );
});

test.each([
  ["cannot be reached", (host: string) => `http://user:hunter2@${host}`],
  ["is no address", () => "http://user:hunter2@[proxy"],
])("where a proxy %s, the variables that set it are named without their values", async (_, addressFor) => {
  const service = await start({ tls: selfSigned() });
  const proxies = {
    HTTPS_PROXY: addressFor(new URL(unheardAddress).host),
    NO_PROXY: "example.com",
    ALL_PROXY: "",
  };
  const { exitCode, lines, stdout } = await doctor({ ...settingsFor(service), ...proxies }, hasty);
  expect(exitCode).toBe(1);
  expect(lines).toContainEqual(expect.stringContaining("FAILED list"));
  expect(lines).toContain(
    "- note proxy settings of the environment: HTTPS_PROXY, NO_PROXY; the error may be that of a proxy",
  );
  expect(stdout).not.toContain("hunter2");
  expect(service.requests).toEqual([]);
});

test.each([
  [-5_400_000, "1 h (30|29) min ahead of"],
  [5_400_000, "1 h (30|29) min behind"],
])("a clock that differs from the service's by %d ms is noted", async (aheadMs, says) => {
  const service = await start({ now: () => Date.now() + aheadMs });
  const { exitCode, lines } = await doctor(settingsFor(service));
  expect(lines).toContainEqual(
    expect.stringMatching(`^- clock this machine's clock is ${says} the service's: correct it`),
  );
  expect(exitCode).toBe(0);
});

test("proxy settings are not named where the list call passes, or the service itself refuses it", async () => {
  const service = await start();
  const env = { ...settingsFor(service), HTTPS_PROXY: "http://127.0.0.1:1" };
  const passed = await doctor(env);
  const refused = await doctor({ ...env, DATA_CONNECTIVITY_TOKEN: "other" });
  expect([passed.exitCode, refused.exitCode]).toEqual([0, 1]);
  expect(passed.stdout + refused.stdout).not.toContain("HTTPS_PROXY");
});

test("a certificate that does not verify fails the list call, whatever NODE_TLS_REJECT_UNAUTHORIZED says", async () => {
  const service = await start({ tls: selfSigned() });
  const { exitCode, lines } = await doctor({ ...settingsFor(service), NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  expect(exitCode).toBe(1);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^FAILED list .*\(DEPTH_ZERO_SELF_SIGNED_CERT\); put the certificate .* NODE_EXTRA_CA_CERTS\.$/,
    ),
  );
  expect(lines).toContain("- note NODE_TLS_REJECT_UNAUTHORIZED has no effect: certificates are always verified");
  expect(service.requests).toEqual([]);
});
