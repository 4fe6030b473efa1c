import { modes, type Account } from "../../provider/src/config/index.js";
import type { Reply } from "../../provider/src/client/http.js";
import { createJob, preflight } from "../../provider/src/client/requests.js";
import { Go } from "../../provider/src/client/send.js";
import type { Attempt } from "../../provider/src/client/gate.js";
import type { Made, Outcome } from "../../provider/src/client/outcomes.js";
import { AccountClient, type ClientOptions } from "../../provider/src/client/accountClient.js";
import type { JsonObject } from "../../provider/src/json.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { notCreated } from "../../provider/src/lifecycle/texts/shared.js";
import { notesOn } from "../../provider/src/lifecycle/compare.js";
import { cachingBody } from "./all/declarations.js";
import { FastClock } from "./fastClock.js";

export const TOKEN = "opaque-Token.of+the/tests=";

export const body = (overrides: JsonObject = {}): JsonObject =>
  cachingBody("HUSH_HUSH", { enabled: true, ...overrides });

/** A client of this service. By default, its waits take no real time. */
export function clientAt(
  baseUrl: string,
  account: Partial<Account> = {},
  options: Partial<ClientOptions> = {},
): AccountClient {
  return new AccountClient(
    {
      name: undefined,
      baseUrl,
      baseUrlFrom: "data-connectivity:baseUrl",
      requestEncoding: "typed",
      timeoutSeconds: 3,
      rateLimitSeconds: 600,
      mode: modes.create,
      credentials: { from: "the test", fix: "Set it.", token: TOKEN },
      howToSetCredentials: "Set it.",
      ...account,
    },
    {
      isEngineAlive: () => Promise.resolve(true),
      report: () => undefined,
      clock: new FastClock(),
      ...options,
    },
  );
}

/** A reply of the service, by default a refusal with an empty object. */
export const replyWith = (members: Partial<Reply>): Reply => ({
  kind: "reply",
  status: 400,
  headers: { "content-type": "application/json" },
  body: "{}",
  ...members,
});

const declared = { kind: cachingJob, declared: body(), isPlain: () => true };

/** What a create came to, as the state records it. */
export const endOf = (outcome: Outcome<unknown>): "created" | "notCreated" | "unconfirmed" =>
  outcome.kind === "done" ? "created" : outcome.cause === "ambiguous" ? "unconfirmed" : "notCreated";

/** What a user reads about a create, whatever its outcome. */
export function messageOf(outcome: Outcome<Made>): string {
  if (outcome.kind === "done") return notesOn(outcome.value.record, declared).join("\n");
  return outcome.cause === "ambiguous" ? outcome.what : notCreated(outcome);
}

/** The decision to send this body. */
export const sending = (sent: JsonObject) => () => Promise.resolve(new Go(() => sent));

/** Sends the request of a create without the create gate. */
export const sendCreate = (client: AccountClient): Promise<Outcome<Made>> =>
  createJob<never>(client, declared, sending(body()), body()["params"]);

/** One create as the lifecycle sends it: through the create gate, which asks for the data sources first. */
export const create = (client: AccountClient): Promise<Outcome<Made>> =>
  admit(client, { label: "the job", preflight: () => preflight(client), send: () => sendCreate(client) });

/** Passes a create through the create gate. */
export const admit = (client: AccountClient, attempt: Attempt): Promise<Outcome<Made>> =>
  client.shared.gate.admit(attempt);
