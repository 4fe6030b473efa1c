import { writeFile } from "node:fs/promises";
import { createServer, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { selfSigned } from "../support/selfSigned.js";
import { close, listen } from "../support/servers.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { TOKEN } from "../support/testService.js";
import { declared, outcomeOf, startProvider, startService, textOf } from "../support/configuredProvider.js";
import { posts, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";

const folder = temporaryFolder();
let trusting: NodeJS.ProcessEnv;
const good = selfSigned();
const wrongHost = selfSigned({ address: [10, 0, 0, 1] });
const expired = selfSigned({ until: "240101" });

beforeEach(async () => {
  const authorities = join(folder(), "authorities.pem");
  await writeFile(authorities, [good, wrongHost, expired].map(({ cert }) => cert).join(""));
  trusting = { NODE_EXTRA_CA_CERTS: authorities };
});
afterEach(stopAll);

describe("TLS", () => {
  test("is used only with a certificate that is trusted, good for the host and not expired", async () => {
    const names = ["trusted", "unknown", "wronghost", "expired", "plain"] as const;
    const services = await Promise.all([
      startService({ tls: good }),
      startService({ tls: selfSigned() }),
      startService({ tls: wrongHost }),
      startService({ tls: expired }),
      startService({}),
    ]);
    const accounts = Object.fromEntries(
      names.map((name, n) => [name, { baseUrl: services[n]?.baseUrl.replace("http:", "https:") ?? "", token: TOKEN }]),
    );
    // Even NODE_TLS_REJECT_UNAUTHORIZED does not switch off the check of the certificate.
    const provider = await startProvider({ accounts }, { ...trusting, NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    const results = await Promise.all(names.map((account) => provider.create(declared("T", { account }))));
    const outcomes = results.map(outcomeOf);
    expect(names.map((name, n) => [name, outcomes[n], services[n]?.requests.length])).toEqual([
      ["trusted", "created", 2],
      ["unknown", "notCreated", 0],
      ["wronghost", "notCreated", 0],
      ["expired", "notCreated", 0],
      ["plain", "notCreated", 0],
    ]);
    const texts = results.map(textOf);
    expect(texts[1]).toMatch(
      /no secure connection to .* \(DEPTH_ZERO_SELF_SIGNED_CERT\); put the certificate authority .* NODE_EXTRA_CA_CERTS\./,
    );
    expect(texts[2]).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID\)/);
    expect(texts[3]).toMatch(/CERT_HAS_EXPIRED\)/);
    expect(texts[4]).toMatch(/no secure connection to .* \((EPROTO|ERR_SSL_\w+)\)/);
    for (const text of texts.slice(1)) expect(text).not.toMatch(/\d tries/);
  });

  test("that breaks in the handshake means that nothing was sent: the create is retried, or ends as not created", async () => {
    const [reset, closed, silent] = await Promise.all(
      (["reset", "close", "silence"] as const).map((kind) =>
        // After 1: the list call uses the first connection.
        startService({ tls: good, faults: [{ kind, when: "connect", after: 1 }] }),
      ),
    );
    const account = (emulator: TestServer | undefined) => ({ baseUrl: emulator?.baseUrl ?? "", token: TOKEN });
    const accounts = {
      reset: account(reset),
      closed: account(closed),
      silent: { ...account(silent), timeoutSeconds: 2 },
    };
    const provider = await startProvider({ accounts }, trusting);
    const results = await Promise.all(
      ["reset", "closed", "silent"].map((name) => provider.create(declared("T", { account: name }))),
    );
    expect(results.map(outcomeOf)).toEqual(["created", "created", "notCreated"]);
    expect([reset, closed, silent].map((emulator) => posts(emulator?.requests ?? []))).toEqual([1, 1, 0]);
    expect([reset, closed, silent].map((emulator) => emulator?.jobs.length)).toEqual([1, 1, 0]);
    expect(results.map(textOf)[2]).toMatch(/no connection to .* could be made in time\. No job was created/);
  });
});

type Refusal = (count: number) => string | undefined;

/** A proxy that refuses CONNECT to a port as the test says, and otherwise opens the tunnel. */
async function startProxy() {
  const open = new Set<Socket>();
  const heads: string[] = [];
  const counts = new Map<string, number>();
  const refusals = new Map<string, Refusal>();
  const server: Server = createServer((socket) => {
    open.add(socket.on("error", () => undefined));
    socket.once("data", (bytes) => {
      const head = bytes.toString("latin1");
      heads.push(head);
      const [, host = "", port = ""] = /^\S+ (?:http:\/\/)?([^:]+):(\d+)/.exec(head) ?? [];
      const count = (counts.get(port) ?? 0) + 1;
      counts.set(port, count);
      const refusal = refusals.get(port)?.(count);
      if (refusal !== undefined) {
        socket.end(refusal);
        return;
      }
      const onward = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
      open.add(onward.on("error", () => undefined).on("close", () => socket.destroy()));
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    heads,
    refuse: ({ baseUrl }: Pick<TestServer, "baseUrl">, refusal: Refusal) =>
      refusals.set(new URL(baseUrl).port, refusal),
    stop: () => close(server, open),
  };
}

const answer = (status: string, content = ""): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

describe("A proxy", () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeEach(async () => (proxy = await startProxy()));
  afterEach(() => proxy.stop());

  test("that refuses to connect leaves nothing unconfirmed; a connection through it that breaks after the create does", async () => {
    const [open, down, closed, once, broken, untrusted] = await Promise.all([
      startService({ tls: good }),
      startService({ tls: good }),
      startService({ tls: good }),
      startService({ tls: good }),
      startService({ tls: good, faults: [{ kind: "reset", on: "create", processed: true }] }),
      startService({ tls: selfSigned() }),
    ]);
    proxy.refuse(down, () => answer("503 Service Unavailable"));
    proxy.refuse(closed, () => answer("407 Proxy Authentication Required"));
    proxy.refuse(once, (count) => (count === 2 ? answer("503 Service Unavailable") : undefined));
    const services = { open, down, closed, once, broken, untrusted };
    const accounts = Object.fromEntries(
      Object.entries(services).map(([name, { baseUrl }]) => [
        name,
        // A short time, because the create at `down` is retried until the end.
        { baseUrl, token: TOKEN, ...(name === "down" && { timeoutSeconds: 2 }) },
      ]),
    );
    const provider = await startProvider({ accounts }, { ...trusting, HTTPS_PROXY: proxy.url });
    const results = await Promise.all(
      Object.keys(services).map((name) => provider.create(declared("T", { account: name }))),
    );

    const outcomes = results.map(outcomeOf);
    const seen = Object.values(services).map(({ requests, jobs }) => [requests.length, posts(requests), jobs.length]);
    expect(Object.keys(services).map((name, n) => [name, outcomes[n], seen[n]])).toEqual([
      ["open", "created", [2, 1, 1]],
      ["down", "notCreated", [0, 0, 0]],
      ["closed", "notCreated", [0, 0, 0]],
      ["once", "created", [2, 1, 1]],
      ["broken", "unconfirmed", [2, 1, 1]],
      ["untrusted", "notCreated", [0, 0, 0]],
    ]);
    const [, downText, closedText, , , untrustedText] = results.map(textOf);
    expect(downText).toMatch(/the proxy opened no connection to 127\.0\.0\.1:\d+ \(HTTP 503\)( \(\d tries\))?\./);
    expect(closedText).toMatch(/the proxy opened no connection to 127\.0\.0\.1:\d+ \(HTTP 407\)\./);
    expect(untrustedText).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT/);
    expect(proxy.heads.join()).not.toContain(TOKEN);
    expect(proxy.heads.every((head) => head.startsWith("CONNECT "))).toBe(true);
  });

  test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY"])("is not asked for plain http (%s)", async (variable) => {
    const service = await startService();
    const baseUrl = service.baseUrl.replace("127.0.0.1", "localhost");
    const accounts = { number: { baseUrl: service.baseUrl, token: TOKEN }, name: { baseUrl, token: TOKEN } };
    const provider = await startProvider({ accounts }, { [variable]: proxy.url, NO_PROXY: "" });
    const results = await Promise.all(
      Object.keys(accounts).map((account) => provider.create(declared("T", { account }))),
    );
    expect(results.map(outcomeOf)).toEqual(["created", "created"]);
    expect(proxy.heads).toEqual([]);
  });

  test("that is down is named in the error, and NO_PROXY bypasses it", async () => {
    const [direct, through] = await Promise.all([startService({ tls: good }), startService({ tls: good })]);
    const accounts = {
      direct: { baseUrl: direct.baseUrl, token: TOKEN },
      through: { baseUrl: through.baseUrl, token: TOKEN, timeoutSeconds: 5 },
    };
    const provider = await startProvider(
      { accounts },
      { ...trusting, HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: new URL(direct.baseUrl).host },
    );
    const results = await Promise.all(
      Object.keys(accounts).map((account) => provider.create(declared("T", { account }))),
    );
    expect(results.map(outcomeOf)).toEqual(["created", "notCreated"]);
    expect(results.map(textOf)[1]).toMatch(/ECONNREFUSED.*proxy settings/);
  });
});
