import { modes, type Account } from "../../provider/src/config/index.js";
import type { Reply } from "../../provider/src/client/http.js";
import { createJob } from "../../provider/src/client/jobCalls.js";
import { Go, type Stopped } from "../../provider/src/client/send.js";
import type { Attempt } from "../../provider/src/client/gate.js";
import { preflight } from "../../provider/src/client/lists.js";
import type { CreateOutcome, NotNeeded } from "../../provider/src/client/outcomes.js";
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

/** What a user reads about a create, whatever its outcome. */
export function messageOf(outcome: CreateOutcome): string {
  switch (outcome.outcome) {
    case "created":
      return notesOn(outcome.record, declared).join("\n");
    case "notCreated":
      return notCreated(outcome);
    case "unconfirmed":
      return outcome.what;
  }
}

/** The decision to send this body. */
export const sending = (sent: JsonObject) => () => Promise.resolve(new Go(() => sent));

/** Sends the request of a create without the create gate. */
export async function sendCreate(client: AccountClient): Promise<CreateOutcome> {
  const outcome = await createJob<Stopped>(client, declared, sending(body()), body()["params"]);
  if ("kind" in outcome) throw new Error("The create was stopped.");
  return outcome;
}

/** One create as the lifecycle sends it: through the create gate, which asks for the data sources first. */
export async function create(client: AccountClient): Promise<CreateOutcome> {
  return admit(client, { label: "the job", preflight: () => preflight(client), send: () => sendCreate(client) });
}

/** Passes a create through the create gate. */
export async function admit(client: AccountClient, attempt: Attempt<NotNeeded>): Promise<CreateOutcome> {
  const outcome = await client.shared.admit(attempt);
  if (outcome.outcome === "notNeeded") throw new Error("The create was not needed.");
  return outcome;
}
