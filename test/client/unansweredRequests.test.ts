import { createServer, type Server, type Socket } from "node:net";
import { sendOnce, type HttpResult } from "../../provider/src/client/http.js";
import { close, listen } from "../support/servers.js";

/** What a server does once it has read from a connection, for the first or another time. `timeUp` ends the request's time. */
type OnRead = (socket: Socket, timeUp: () => void, times: number) => unknown;

/** A server on this machine that treats each connection so. */
class Peer {
  readonly open = new Set<Socket>();
  port = 0;
  private server: Server | undefined;

  constructor(
    private readonly onRead: OnRead,
    private readonly timeUp: () => void,
  ) {}

  async start(): Promise<void> {
    this.server = createServer((socket) => {
      let times = 0;
      this.open.add(socket.on("error", () => undefined).on("close", () => this.open.delete(socket)));
      socket.on("data", () => {
        times += 1;
        this.onRead(socket, this.timeUp, times);
      });
    });
    this.port = await listen(this.server);
  }

  /** Waits until the client has closed its connections, which the test's time limits. */
  async clientIsGone(): Promise<void> {
    // `events.once` would reject for a connection that the client resets.
    await Promise.all([...this.open].map((socket) => new Promise((gone) => socket.once("close", gone))));
  }

  stop = () => (this.server === undefined ? Promise.resolve() : close(this.server, this.open));
}

const staysSilent: OnRead = (_socket, timeUp) => {
  timeUp();
};

const established = "HTTP/1.1 200 Connection established\r\n\r\n";
const timeUp = /^no connection to jobs\.example\.com could be made in time$/;
const broken = /^no connection to jobs\.example\.com could be made \((ECONNRESET|HPE_\w+)\)$/;

const names = ["HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "https_proxy", "all_proxy", "no_proxy"] as const;

describe("A request ends within its time, and closes its connection:", () => {
  const before = names.map((name) => [name, process.env[name]] as const);
  let peer: Peer;
  beforeEach(() => {
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });
  afterEach(async () => {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    await peer.stop();
  });

  async function sendTo(url: string, onRead: OnRead, proxy?: string) {
    const limit = new AbortController();
    peer = new Peer(onRead, () => {
      limit.abort();
    });
    await peer.start();
    const live = (text: string) => text.replace("PORT", String(peer.port));
    if (proxy !== undefined) process.env["ALL_PROXY"] = live(proxy);
    const request = { method: "POST", repeatable: false, url: live(url), token: "t", body: "{}" } as const;
    const result = await sendOnce({ ...request, signal: limit.signal });
    await peer.clientIsGone();
    return result;
  }

  /** Nothing was sent to the service, in a way that another try might mend or not. */
  const unsent = (reason: RegExp, final = false) => ({
    kind: "noReply",
    sent: false,
    final,
    reason: expect.stringMatching(reason) as string,
  });

  test.each<[string, OnRead, RegExp, proxy?: string]>([
    ["closes", (socket) => socket.end(), broken],
    ["closes within its header", (socket) => socket.end("HTTP/1.1 200 Conn"), broken],
    ["resets", (socket) => socket.resetAndDestroy(), broken],
    ["answers with something that is not HTTP", (socket) => socket.end("\x16\x03no\r\n\r\n"), broken],
    ["stays silent", staysSilent, timeUp],
    ["stays silent within its header", (socket, end) => socket.write("HTTP/1.1 200 Conn", end), timeUp],
    [
      "opens a tunnel in which no TLS handshake comes",
      (socket, end, times) => {
        if (times === 1) socket.write(established);
        else end();
      },
      timeUp,
    ],
    [
      "opens a tunnel and closes it in the TLS handshake",
      (socket, _timeUp, times) => (times === 1 ? socket.write(established) : socket.end()),
      broken,
    ],
    ["expects TLS itself and gets none", staysSilent, timeUp, "https://127.0.0.1:PORT"],
  ])("a proxy that %s", async (_name, onRead, reason, proxy = "http://127.0.0.1:PORT") => {
    expect(await sendTo("https://jobs.example.com/api", onRead, proxy)).toEqual(unsent(reason));
  });

  test("a proxy that refuses is named, with its status", async () => {
    const refuse = (socket: Socket) => socket.write("HTTP/1.1 407 No\r\n\r\n");
    const result = await sendTo("https://jobs.example.com/api", refuse, "http://user:p%40ss@127.0.0.1:PORT");
    expect(result).toEqual(unsent(/^the proxy opened no connection to jobs\.example\.com:443 \(HTTP 407\)$/, true));
  });

  test.each(["socks5", "socks4", "socks"])(
    "a proxy of the kind %s is not used, and said to be no http proxy",
    async (kind) => {
      const result = await sendTo("https://jobs.example.com/api", () => undefined, `${kind}://127.0.0.1:PORT`);
      const says = `^HTTPS_PROXY or ALL_PROXY names a ${kind} proxy; only http and https proxies can be used$`;
      expect(result).toEqual(unsent(new RegExp(says), true));
    },
  );

  test.each<[string, string, OnRead, Partial<HttpResult>]>([
    ["no TLS handshake comes", "https://127.0.0.1:PORT", staysSilent, { kind: "noReply", sent: false }],
    ["no reply comes", "http://127.0.0.1:PORT", staysSilent, { kind: "noReply", sent: true }],
    [
      "the reply switches protocols",
      "http://127.0.0.1:PORT",
      (socket) => socket.write("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      { kind: "noReply", sent: true, reason: "the connection broke before a reply came (HTTP 101)" },
    ],
    [
      "the reply is a bare 101",
      "http://127.0.0.1:PORT",
      (socket) => socket.write("HTTP/1.1 101 Switching\r\n\r\n"),
      { kind: "reply", status: 101 },
    ],
    [
      "only interim replies come",
      "http://127.0.0.1:PORT",
      (socket, timeUp) => socket.write("HTTP/1.1 102 Processing\r\n\r\n", timeUp),
      { kind: "noReply", sent: true, reason: "no reply came in time" },
    ],
  ])("%s", async (_name, url, onRead, expected) => {
    expect(await sendTo(url, onRead)).toMatchObject(expected);
  });
});
