import type { Declaration } from "../../../provider/src/jobs/index.js";
import { isJson, isObject, type JsonObject } from "../../../provider/src/json.js";
import type { CreateResult, UpdateResult } from "../providerCalls.js";
import { startProviderProcess, type ProviderProcessOptions } from "../providerProcess.js";
import { refusalText, rejectionText } from "../refusals.js";
import { kindOf, type Config } from "./runOptions.js";
import type { Result, StartedProvider } from "./runProvider.js";

const handlerOf = (inputs: Declaration): string =>
  `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").${kindOf(inputs).resource.replace(/^./, (letter) => letter.toLowerCase())}`;

/** One run in the SDK's provider process: each command starts a process of its own, as in the engine. */
export async function runInProviderProcess(config: Config, options?: ProviderProcessOptions): Promise<StartedProvider> {
  const provider = await startProviderProcess(options);
  await provider.configure(
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        `data-connectivity:${key}`,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]),
    ),
  );
  // The engine shows both streams.
  const said = () => provider.stderr() + provider.stdout();
  return {
    check: async (olds, news) => {
      const { inputs, failures } = await provider.check({ olds: isNew(olds) ? {} : sent(olds), news: sent(news) });
      return { inputs, failures: failures.map(({ reason }) => reason) };
    },
    diff: async (id, olds, news) => {
      const answer = await provider.diff({ id, olds: sent(olds), news: sent(news) });
      return answer.error === undefined ? answer.changes !== false : { error: refusalText(answer.error) };
    },
    create: async (inputs) => resultOf("", await provider.create(sent(inputs))),
    update: async (id, olds, news) => resultOf(id, await provider.update({ id, olds: sent(olds), news: sent(news) })),
    read: async (id, outputs) => {
      const found = await caught(async () => {
        const { id: newId, properties } = await provider.read({ id, props: sent(outputs) });
        return { kind: "ok", id: newId, outputs: properties };
      });
      if (found.kind === "ok" && found.id === "") return undefined;
      // After a read the engine calls diff, only to display what changed.
      if (found.kind === "ok") {
        const shown = await provider.diff({ id: found.id, olds: sent(found.outputs), news: sent(outputs) });
        expect(shown.error).toBeUndefined();
      }
      return found;
    },
    delete: (id, outputs) =>
      caught(async () => {
        await provider.delete({ id, props: sent(outputs) });
        return { kind: "ok", id: "", outputs: {} };
      }),
    kill: (signal = "SIGKILL") => {
      provider.kill(signal);
    },
    ended: provider.ended,
    said,
    printed: said,
    closeEngine: () => provider.closeEngine(),
    stop: () => provider.stop(),
    end: async () => {
      await provider.stop();
      return said();
    },
  };
}

const isNew = (olds: Declaration): boolean => Object.keys(olds).length === 0;

/** A declaration as the class sends it. */
export function sent(inputs: Declaration): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify({ __provider: handlerOf(inputs), ...inputs }));
  if (!isJsonObject(copy)) throw new Error("These inputs are not JSON.");
  return copy;
}

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && isJson(value);

function resultOf(id: string, result: CreateResult | UpdateResult): Result {
  switch (result.kind) {
    case "ok":
      return { kind: "ok", id: "id" in result ? result.id : id, outputs: result.properties };
    case "initFailed":
      return { ...result, outputs: result.properties, message: result.reasons.join("\n") };
    case "error":
      return { kind: "error", message: refusalText(result.message) };
  }
}

async function caught(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    return { kind: "error", message: rejectionText(error) };
  }
}
