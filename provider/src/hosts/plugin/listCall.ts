import { status } from "@grpc/grpc-js";
import { ListResponse, type ListRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { hasUnknown } from "../../unknown.js";
import { importId, kindOfType } from "../engineNames.js";
import { CallError, type AllCalls } from "./calls.js";
import type { PluginRun } from "./run.js";
import { read } from "./wire.js";

/** The jobs of one kind, with ids for `pulumi import` and `get`. A page starts after the last id of the page before. */
export const listCall = (plugin: PluginRun): Pick<AllCalls, "list"> => ({
  list: (request: ListRequest) =>
    plugin.answer("", async ({ run }) => {
      const kind = kindOfType(request.getToken());
      if (kind === undefined)
        throw new CallError(`This plugin has no resource ${request.getToken()}.`, status.UNIMPLEMENTED);
      const query = Object.entries(read(request.getQuery()).values).filter(([, value]) => value !== null);
      if (hasUnknown(query)) return [new ListResponse().setComputed(new ListResponse.Computed())];
      const { account, ...values } = Object.fromEntries(query);
      const named = typeof account === "string" ? account : undefined;
      const after = request.getContinuationToken();
      const rest = (await run.list(kind, named, values)).filter(({ id }) => id > after);
      const sizes = [request.getLimit(), request.getPageSize()].filter((size) => size > 0);
      const page = rest.slice(0, Math.min(...sizes, rest.length));
      const last = page.length < rest.length ? page.at(-1) : undefined;
      return [
        ...page.map(({ id, name = "" }) =>
          new ListResponse().setResult(new ListResponse.Result().setId(importId({ account: named, id })).setName(name)),
        ),
        ...(last === undefined
          ? []
          : [new ListResponse().setContinuation(new ListResponse.Continuation().setContinuationToken(last.id))]),
      ];
    }),
});
