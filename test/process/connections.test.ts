import { writeFile } from "node:fs/promises";
import { createServer, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTls } from "node:tls";
import { selfSigned } from "../support/selfSigned.js";
import { close, listen } from "../support/servers.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { TOKEN } from "../support/testService.js";
import { matching } from "../support/matchers.js";
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

type Services = Readonly<Record<string, Pick<TestServer, "baseUrl"> & Partial<TestServer>>>;

/** Creates a job at each service, all from one provider process. `more`: further settings of a service's account. */
async function createAtEach(services: Services, env: NodeJS.ProcessEnv, more: Readonly<Record<string, object>> = {}) {
  const names = Object.keys(services);
  const accountOf = (name: string) => ({ baseUrl: services[name]?.baseUrl, token: TOKEN, ...more[name] });
  const accounts = Object.fromEntries(names.map((name) => [name, accountOf(name)]));
  const provider = await startProvider({ accounts }, env);
  const results = await Promise.all(names.map((account) => provider.create(declared("T", { account }))));
  const entries = names.map((name, n) => [name, results[n] ?? { kind: "error", message: "" }] as const);
  return {
    /** The outcome at each service, and how many requests, creates and jobs the service has. */
    outcomes: entries.map(([name, result]) => {
      const { requests = [], jobs = [] } = services[name] ?? {};
      return [name, outcomeOf(result), requests.length, posts(requests), jobs.length];
    }),
    texts: Object.fromEntries(entries.map(([name, result]) => [name, textOf(result)])),
  };
}

describe("TLS", () => {
  test("is used only with a certificate that is trusted, good for the host and not expired", async () => {
    const plain = await startService();
    const services = {
      trusted: await startService({ tls: good }),
      unknown: await startService({ tls: selfSigned() }),
      wronghost: await startService({ tls: wrongHost }),
      expired: await startService({ tls: expired }),
      demanding: await startService({ tls: { ...good, requestCert: true } }),
      plain: { baseUrl: plain.baseUrl.replace("http:", "https:"), requests: plain.requests },
    };
    // Even NODE_TLS_REJECT_UNAUTHORIZED does not switch off the check of the certificate.
    const { outcomes, texts } = await createAtEach(services, { ...trusting, NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(outcomes).toEqual([
      ["trusted", "created", 2, 1, 1],
      ["unknown", "notCreated", 0, 0, 0],
      ["wronghost", "notCreated", 0, 0, 0],
      ["expired", "notCreated", 0, 0, 0],
      ["demanding", "notCreated", 0, 0, 0],
      ["plain", "notCreated", 0, 0, 0],
    ]);
    expect(texts).toEqual({
      trusted: "",
      unknown: matching(
        /no secure connection to .* \(DEPTH_ZERO_SELF_SIGNED_CERT\); put the certificate authority .* NODE_EXTRA_CA_CERTS\./,
      ),
      wronghost: matching(/ERR_TLS_CERT_ALTNAME_INVALID\)/),
      expired: matching(/CERT_HAS_EXPIRED\)/),
      demanding: matching(/failed: 127\.0\.0\.1:\d+ demands a client certificate, which is not supported \(/),
      plain: matching(/no secure connection to .* \((EPROTO|ERR_SSL_\w+)\)/),
    });
    expect(Object.values(texts).join("\n")).not.toMatch(/\d tries/);
  });

  test("that breaks in the handshake means that nothing was sent: the create is retried, or ends as not created", async () => {
    // After 1: the list call uses the first connection.
    const breaking = (kind: "reset" | "close" | "silence") =>
      startService({ tls: good, faults: [{ kind, when: "connect", after: 1 }] });
    const services = {
      reset: await breaking("reset"),
      closed: await breaking("close"),
      silent: await breaking("silence"),
    };
    const { outcomes, texts } = await createAtEach(services, trusting, { silent: { timeoutSeconds: 2 } });
    expect(outcomes).toEqual([
      ["reset", "created", 2, 1, 1],
      ["closed", "created", 2, 1, 1],
      ["silent", "notCreated", 1, 0, 0],
    ]);
    expect(texts["silent"]).toMatch(/no connection to .* could be made in time\. No job was created/);
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

const answer = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;

describe("A proxy", () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeEach(async () => (proxy = await startProxy()));
  afterEach(() => proxy.stop());

  test("that refuses to connect leaves nothing unconfirmed; a connection through it that breaks after the create does", async () => {
    const services = {
      open: await startService({ tls: good }),
      down: await startService({ tls: good }),
      closed: await startService({ tls: good }),
      once: await startService({ tls: good }),
      dropped: await startService({ tls: good }),
      cut: await startService({ tls: good }),
      broken: await startService({ tls: good, faults: [{ kind: "reset", on: "create", processed: true }] }),
      untrusted: await startService({ tls: selfSigned() }),
    };
    proxy.refuse(services.down, () => answer("503 Service Unavailable"));
    proxy.refuse(services.closed, () => answer("407 Proxy Authentication Required"));
    proxy.refuse(services.once, (count) => (count === 2 ? answer("503 Service Unavailable") : undefined));
    proxy.refuse(services.dropped, (count) => (count === 2 ? "" : undefined));
    proxy.refuse(services.cut, (count) => (count === 2 ? "HTTP/1.1 200 Conn" : undefined));
    const env = { ...trusting, HTTPS_PROXY: proxy.url };
    // A short time, because the create at `down` is retried until the end.
    const { outcomes, texts } = await createAtEach(services, env, { down: { timeoutSeconds: 2 } });

    expect(outcomes).toEqual([
      ["open", "created", 2, 1, 1],
      ["down", "notCreated", 0, 0, 0],
      ["closed", "notCreated", 0, 0, 0],
      ["once", "created", 2, 1, 1],
      ["dropped", "created", 2, 1, 1],
      ["cut", "created", 2, 1, 1],
      ["broken", "unconfirmed", 2, 1, 1],
      ["untrusted", "notCreated", 0, 0, 0],
    ]);
    expect(texts["down"]).toMatch(/the proxy opened no connection to 127\.0\.0\.1:\d+ \(HTTP 503\)( \(\d tries\))?\./);
    expect(texts["closed"]).toMatch(/the proxy opened no connection to 127\.0\.0\.1:\d+ \(HTTP 407\)\./);
    expect(texts["untrusted"]).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT/);
    expect(proxy.heads.join()).not.toContain(TOKEN);
    expect(proxy.heads.every((head) => head.startsWith("CONNECT "))).toBe(true);
  });

  test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY"])("is not asked for plain http (%s)", async (variable) => {
    const number = await startService();
    const name = { baseUrl: number.baseUrl.replace("127.0.0.1", "localhost") };
    const { outcomes } = await createAtEach({ number, name }, { [variable]: proxy.url, NO_PROXY: "" });
    expect(outcomes.map(([, outcome]) => outcome)).toEqual(["created", "created"]);
    expect(proxy.heads).toEqual([]);
  });

  test("that is down is named in the error, and NO_PROXY bypasses it", async () => {
    const services = { direct: await startService({ tls: good }), through: await startService({ tls: good }) };
    const { host } = new URL(services.direct.baseUrl);
    const env = { ...trusting, HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: host };
    const { outcomes, texts } = await createAtEach(services, env, { through: { timeoutSeconds: 5 } });
    expect(outcomes.map(([, outcome]) => outcome)).toEqual(["created", "notCreated"]);
    expect(texts["through"]).toMatch(/ECONNREFUSED.*proxy settings/);
  });

  test.each(["1", "0"])(
    "gets no password if its certificate is not trusted (NODE_TLS_REJECT_UNAUTHORIZED=%s)",
    async (verifies) => {
      const heads: string[] = [];
      const untrusted = createTls(selfSigned(), (socket) => {
        socket
          .on("error", () => undefined)
          .once("data", (bytes: Buffer) => {
            heads.push(bytes.toString("latin1"));
            socket.end(answer("502 Bad Gateway"));
          });
      });
      const port = await listen(untrusted);
      const HTTPS_PROXY = `https://me:hunter2@127.0.0.1:${port}`;
      const services = { through: await startService({ tls: good }) };
      const env = { ...trusting, HTTPS_PROXY, NODE_TLS_REJECT_UNAUTHORIZED: verifies };
      const { outcomes } = await createAtEach(services, env, { through: { timeoutSeconds: 5 } });
      await close(untrusted);
      expect([heads, outcomes.map(([, outcome]) => outcome)]).toEqual([[], ["notCreated"]]);
    },
  );
});
