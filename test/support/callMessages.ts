import type { Declaration } from "../../provider/src/jobs/index.js";
import type { StartedProvider } from "./all/runProvider.js";
import { declared, textOf } from "./configuredProvider.js";
import { unheardAddress } from "./servers.js";

const origin = { outcome: "created", baseUrl: unheardAddress, at: "2026-01-01T00:00:00Z" };

export const unconfirmed = { job: {}, origin: { ...origin, outcome: "unconfirmed" } };
export const named = (name: string) => ({ __resource: { name } });
export const saved = (more: Declaration = {}): Declaration => ({
  ...declared("T"),
  job: { id: "7" },
  origin,
  ...more,
});

/** Why a diff is refused; empty if the diff is not refused. */
export const errorOf = (difference: Awaited<ReturnType<StartedProvider["diff"]>>): string =>
  typeof difference === "object" ? difference.error : "";

type Call = (provider: StartedProvider, more: Declaration) => Promise<string>;

const problemsOf = async (provider: StartedProvider, news: Declaration) =>
  (await provider.check({}, declared("T", news))).failures.join("\n");
const changed = (more: Declaration) => declared("T", { intervalValue: 5, ...more });

/** What a user reads about one job, call by call. `more`: additional inputs. */
export const messagesOfCalls: readonly (readonly [name: string, call: Call])[] = Object.entries<Call>({
  check: (provider, more) => problemsOf(provider, { intervalValue: 0, ...more }),
  "check, of the settings": (provider, more) => problemsOf(provider, { account: "eu", ...more }),
  diff: async (provider, more) => errorOf(await provider.diff("7", saved(more), changed(more))),
  "diff of a state that is not ours": async (provider, more) =>
    errorOf(await provider.diff("7", declared("T", more), declared("T", more))),
  update: async (provider, more) => textOf(await provider.update("7", saved(more), changed(more))),
  "create without a token": async (provider, more) => textOf(await provider.create(declared("T", more))),
  delete: async (provider, more) => textOf(await provider.delete("7", saved(more))),
});
