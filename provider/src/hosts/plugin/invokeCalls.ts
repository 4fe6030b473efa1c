import { status } from "@grpc/grpc-js";
import { InvokeResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Answer, Functions } from "../../functions/functions.js";
import { CallError, failureOf, type Calls } from "./calls.js";
import type { PluginRun } from "./run.js";
import { read, write } from "./wire.js";

type Args = Readonly<Record<string, unknown>>;

/** The package's functions, by their tokens in the schema. */
const functions: Readonly<Record<string, (functions: Functions, args: Args) => Promise<Answer<object>>>> = {
  "data-connectivity:index:getAccounts": (all, { account }) => all.getAccounts(textOf(account)),
  "data-connectivity:index:getConnection": (all, { name, account }) =>
    all.getConnection(textOf(name) ?? "", textOf(account)),
  "data-connectivity:index:getConnections": (all, { account }) => all.getConnections(textOf(account)),
  "data-connectivity:index:getDataSources": (all, { account }) => all.getDataSources(textOf(account)),
  "data-connectivity:index:getJob": (all, { id, account }) => all.getJob(textOf(id) ?? "", textOf(account)),
  "data-connectivity:index:getJobs": (all, { account }) => all.getJobs(textOf(account)),
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The calls that ask for data and change nothing. */
export const invokeCalls = (plugin: PluginRun): Pick<Calls, "invoke"> => ({
  invoke: (request) =>
    plugin.answer("", async (run) => {
      const call = functions[request.getTok()];
      if (call === undefined)
        throw new CallError(`This plugin has no function ${request.getTok()}.`, status.UNIMPLEMENTED);
      const answer = await call(run.functions, read(request.getArgs()).values);
      return answer.kind === "found"
        ? new InvokeResponse().setReturn(write({ ...answer.result }))
        : new InvokeResponse().setFailuresList([failureOf(answer.message)]);
    }),
});
