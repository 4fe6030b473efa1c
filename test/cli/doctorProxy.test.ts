import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { connect } from "node:net";
import { pipeline } from "node:stream";
import { start, stopAll } from "../support/emulated.js";
import { selfSigned } from "../support/selfSigned.js";
import { CliFolder } from "./cliProcess.js";
import { examine, settingsFor } from "./doctorHelper.js";

const folder = new CliFolder();
const proxies: Server[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) proxy.close().closeAllConnections();
  await stopAll();
});
afterAll(() => {
  folder.dispose();
});

/** A proxy that forwards requests and opens tunnels, and counts both. */
async function startProxy() {
  const seen = { requests: 0, tunnels: 0 };
  const proxy = createServer((incoming, outgoing) => {
    seen.requests += 1;
    const { method, headers, url = "" } = incoming;
    incoming.pipe(
      request(url, { method, headers }, (reply) => {
        reply.pipe(outgoing.writeHead(reply.statusCode ?? 502, reply.headers));
      }),
    );
  });
  proxy.on("connect", ({ url = "" }, socket) => {
    seen.tunnels += 1;
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      // Which side of a tunnel closes first, and how, is no matter of these tests.
      pipeline(upstream, socket, () => undefined);
      pipeline(socket, upstream, () => undefined);
    });
  });
  proxies.push(proxy);
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = proxy.address();
  return { seen, host: `127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}` };
}

const uncertain = (variable: string) => `not checked: whether ${variable} or NO_PROXY applies shows in the list call`;

/** `port` stands for the service's own port. */
const cases: [noProxy: string, way: "direct" | "proxy"][] = [
  ["*", "direct"],
  ["127.0.0.1", "direct"],
  ["example.com, 127.0.0.1", "direct"],
  ["127.0.0.1:port", "direct"],
  [".0.0.1", "direct"],
  ["127.0.0.0/8", "direct"],
  ["localhost", "direct"],
  ["[::1]", "direct"],
  ["127.0.0.1:1", "proxy"],
  ["0.0.1", "proxy"],
  ["127.0.0.*", "proxy"],
  ["10.0.0.0/8", "proxy"],
  ["example.com", "proxy"],
];

test.each(cases)("with NO_PROXY %p the list call goes %s, and doctor claims neither", async (noProxy, way) => {
  const service = await start();
  const proxy = await startProxy();
  const { exitCode, lines } = await examine(folder, {
    ...settingsFor(service),
    HTTP_PROXY: `http://${proxy.host}`,
    NO_PROXY: noProxy.replace("port", new URL(service.baseUrl).port),
  });
  expect(exitCode).toBe(0);
  expect(proxy.seen).toEqual({ requests: way === "proxy" ? 1 : 0, tunnels: 0 });
  expect(service.requests).toHaveLength(1);
  expect(lines).toContain(`- reachable ${uncertain("HTTP_PROXY")}`);
});

test.each(["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])(
  "with %s alone every request takes the proxy, and doctor says so",
  async (variable) => {
    const service = await start();
    const proxy = await startProxy();
    const { exitCode, lines, stdout } = await examine(folder, {
      ...settingsFor(service),
      [variable]: `http://user:hunter2@${proxy.host}`,
      HTTPS_PROXY: "http://127.0.0.1:1",
      NO_PROXY: "",
    });
    expect(exitCode).toBe(0);
    expect(proxy.seen).toEqual({ requests: 1, tunnels: 0 });
    expect(lines).toContain(`ok reachable the proxy of ${variable}: ${proxy.host} accepts connections`);
    expect(stdout).not.toContain("hunter2");
  },
);

test("a proxy for another scheme is not asked", async () => {
  const service = await start();
  const { exitCode, lines } = await examine(folder, {
    ...settingsFor(service),
    HTTPS_PROXY: "http://127.0.0.1:1",
    NO_PROXY: "example.com",
  });
  expect(exitCode).toBe(0);
  expect(lines).toContain(`ok reachable ${new URL(service.baseUrl).host} accepts connections`);
});

test.each([
  ["", "- TLS not checked: behind the proxy, where the list call verifies it", 1],
  ["10.0.0.0/8", `- TLS ${uncertain("ALL_PROXY")}`, 1],
  ["127.0.0.1", `- TLS ${uncertain("ALL_PROXY")}`, 0],
])("with NO_PROXY %p an https service is checked as far as it can be", async (noProxy, says, tunnels) => {
  const tls = selfSigned();
  const service = await start({ tls });
  const proxy = await startProxy();
  const { exitCode, lines } = await examine(folder, {
    ...settingsFor(service),
    ALL_PROXY: `http://${proxy.host}`,
    NO_PROXY: noProxy,
    NODE_EXTRA_CA_CERTS: folder.write("ca.pem", tls.cert),
  });
  expect(exitCode).toBe(0);
  expect(lines).toContain(says);
  expect(proxy.seen).toEqual({ requests: 0, tunnels });
});

test("a proxy that refuses connections fails, and the list call is not tried", async () => {
  const service = await start();
  const gone = await start();
  await gone.stop();
  const { host } = new URL(gone.baseUrl);
  const { exitCode, lines, stdout } = await examine(folder, {
    ...settingsFor(service),
    HTTP_PROXY: `http://user:hunter2@${host}`,
  });
  expect(exitCode).toBe(1);
  expect(lines).toContain(`FAILED reachable the proxy of HTTP_PROXY: ${host} refuses connections`);
  expect(service.requests).toEqual([]);
  expect(stdout).not.toContain("hunter2");
});

test("a proxy whose address cannot be parsed fails, and it is not shown", async () => {
  const { exitCode, lines, stdout } = await examine(folder, {
    ...settingsFor(await start()),
    HTTP_PROXY: "http://user:hunter2@proxy:port",
  });
  expect(exitCode).toBe(1);
  expect(lines).toContain("FAILED reachable the address in HTTP_PROXY cannot be parsed (it is not shown)");
  expect(stdout).not.toContain("hunter2");
});
