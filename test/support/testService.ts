import { createServer, type Socket } from "node:net";
import { modes, type Account } from "../../provider/src/config/index.js";
import type { Reply } from "../../provider/src/client/http.js";
import { createJob } from "../../provider/src/client/jobCalls.js";
import { preflight } from "../../provider/src/client/lists.js";
import type { CreateOutcome } from "../../provider/src/client/operation.js";
import { Service, type ClientOptions } from "../../provider/src/client/service.js";
import type { JsonObject } from "../../provider/src/json.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { notCreated } from "../../provider/src/lifecycle/messages.js";
import { outcomeOf } from "../../provider/src/lifecycle/create.js";
import { cachingBody } from "./all/declarations.js";
import { FastClock } from "./fastClock.js";
import { close, listen } from "./servers.js";

export const TOKEN = "opaque-Token.of+the/tests=";

export const body = (overrides: JsonObject = {}): JsonObject =>
  cachingBody("HUSH_HUSH", { enabled: true, ...overrides });

export interface TestService {
  readonly service: Service;
  /** The lines that were shown to the user. */
  readonly said: string[];
}

/** By default, the service's waits take no real time. */
export function serviceAt(
  baseUrl: string,
  account: Partial<Account> = {},
  options: Partial<ClientOptions> = {},
): TestService {
  const said: string[] = [];
  const service = new Service(
    {
      name: undefined,
      baseUrl,
      requestEncoding: "typed",
      timeoutSeconds: 3,
      mode: modes.create,
      credentials: { from: "the test", fix: "Set it.", token: TOKEN },
      howToSetCredentials: "Set it.",
      ...account,
    },
    {
      isEngineAlive: () => Promise.resolve(true),
      say: (line) => said.push(line),
      log: undefined,
      clock: new FastClock(),
      ...options,
    },
  );
  return { service, said };
}

/** A reply of the service, by default a refusal with an empty object. */
export const replyWith = (members: Partial<Reply>): Reply => ({
  kind: "reply",
  status: 400,
  contentType: "application/json",
  retryAfter: undefined,
  location: undefined,
  body: "{}",
  bodyProblem: undefined,
  ...members,
});

/** What a user reads about a create, whatever its outcome. */
export function messageOf(outcome: CreateOutcome): string {
  switch (outcome.outcome) {
    case "created":
      return outcome.notes.join("\n");
    case "notCreated":
      return notCreated(outcome);
    case "unconfirmed":
      return outcome.what;
  }
}

/** Sends the request of a create without the create gate. */
export async function sendCreate(service: Service): Promise<CreateOutcome> {
  const sent = await createJob(service, body());
  return sent.outcome === "answered"
    ? outcomeOf(sent, { kind: cachingJob, declared: body(), isPlain: () => true })
    : sent;
}

/** One create as the lifecycle sends it: through the create gate, which asks for the data sources first. */
export async function create(service: Service): Promise<CreateOutcome> {
  return service.gate.admit({
    label: "the job",
    preflight: () => preflight(service),
    send: () => sendCreate(service),
  });
}

/** A TCP server that answers the list, and passes each create to the test once the whole request is read. */
export interface RawService {
  readonly baseUrl: string;
  readonly posts: string[];
  readonly lists: string[];
  stop(): Promise<void>;
}

export async function rawService(onCreate: (socket: Socket, count: number) => void): Promise<RawService> {
  const posts: string[] = [];
  const lists: string[] = [];
  const open = new Set<Socket>();
  const list = JSON.stringify({ dataSources: [{ dataSource: "Snowflake" }] });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      const [head = "", content] = text.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (content === undefined || content.length < length) return;
      const request = text;
      text = "";
      if (request.startsWith("POST")) onCreate(socket, posts.push(request));
      else {
        lists.push(request);
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${list.length}\r\nConnection: close\r\n\r\n${list}`);
      }
    });
  });
  const port = await listen(server);
  return { baseUrl: `http://127.0.0.1:${port}`, posts, lists, stop: () => close(server, open) };
}
