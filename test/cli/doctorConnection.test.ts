import { once } from "node:events";
import { createServer as createTlsServer } from "node:tls";
import { start, stopAll } from "../support/emulated.js";
import { selfSigned } from "../support/selfSigned.js";
import { CliFolder } from "./cliProcess.js";
import { examine, settingsFor } from "./doctorHelper.js";

const folder = new CliFolder();
const doctor = (env: NodeJS.ProcessEnv, args?: readonly string[]) => examine(folder, env, args);
afterEach(stopAll);
afterAll(() => {
  folder.dispose();
});

test("a port at which nothing listens skips what needs a connection, and the token is still checked", async () => {
  const emulator = await start();
  await emulator.stop();
  const { baseUrl } = emulator;
  const { exitCode, lines } = await doctor(settingsFor({ baseUrl, token: "t" }));
  expect(exitCode).toBe(1);
  const failed = lines.findIndex((line) => line.startsWith("FAILED"));
  expect(lines.slice(failed, failed + 5)).toEqual([
    `FAILED reachable ${new URL(baseUrl).host} refuses connections`,
    "Check the port in the address, and that the service runs.",
    "- TLS not checked: needs a connection",
    "ok token an opaque token, whose expiry cannot be read, from DATA_CONNECTIVITY_TOKEN",
    "- list not checked: needs what failed above",
  ]);
});

test("a host without an address fails as such", async () => {
  const { exitCode, lines } = await doctor(settingsFor({ baseUrl: "https://absent.invalid", token: "t" }));
  expect(exitCode).toBe(1);
  expect(lines).toContainEqual(
    expect.stringMatching(/^FAILED reachable the name absent\.invalid cannot be looked up \(E\w+\)$/),
  );
});

test("a certificate of no trusted authority fails, with the variable that names a CA", async () => {
  const emulator = await start({ tls: selfSigned() });
  const { exitCode, lines } = await doctor(settingsFor(emulator));
  expect(exitCode).toBe(1);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^FAILED TLS the certificate of .* is signed by no authority that this machine trusts \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    ),
  );
  expect(lines).toContainEqual(expect.stringContaining("export NODE_EXTRA_CA_CERTS=/path/to/ca.pem"));
  expect(emulator.requests).toEqual([]);
});

test("with that CA the certificate verifies, and the list call goes over TLS", async () => {
  const tls = selfSigned();
  const env = { ...settingsFor(await start({ tls })), NODE_EXTRA_CA_CERTS: folder.write("ca.pem", tls.cert) };
  const { exitCode, lines } = await doctor(env);
  expect(exitCode).toBe(0);
  expect(lines).toContain("ok TLS the certificate verifies, valid until 2049-12-31");
});

test("verification that is switched off fails: this package verifies all the same", async () => {
  const emulator = await start({ tls: selfSigned() });
  const { exitCode, lines } = await doctor({ ...settingsFor(emulator), NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  expect(exitCode).toBe(1);
  expect(lines).toContainEqual(expect.stringContaining("NODE_TLS_REJECT_UNAUTHORIZED=0 hides that"));
  expect(emulator.requests).toEqual([]);
});

test("a certificate for another name fails as such", async () => {
  const tls = selfSigned();
  const server = createTlsServer(tls).listen(0, "localhost");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { lines } = await doctor({
    ...settingsFor({ baseUrl: `https://localhost:${port}`, token: "t" }),
    NODE_EXTRA_CA_CERTS: folder.write("ca.pem", tls.cert),
  });
  server.close();
  expect(lines).toContainEqual(
    expect.stringMatching(/^FAILED TLS the certificate of .* is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/),
  );
});

test("a port that speaks no TLS fails as such", async () => {
  const { baseUrl, token } = await start();
  const { lines } = await doctor(settingsFor({ baseUrl: baseUrl.replace("http:", "https:"), token }));
  expect(lines).toContainEqual(expect.stringMatching(/^FAILED TLS .* makes no TLS connection \(E\w+\)$/));
  expect(lines).toContain("Check the port in the address: it must be one for https.");
});
