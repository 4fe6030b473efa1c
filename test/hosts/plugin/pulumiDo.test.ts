import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ConfigureRequest, ListRequest, ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { JsonObject } from "../../../provider/src/json.js";
import { unknownValue } from "../../../provider/src/unknown.js";
import { cachingBody, queryBody } from "../../support/all/declarations.js";
import { start, stopAll } from "../../support/emulated.js";
import type { TestServerOptions } from "../../support/emulator/index.js";
import { saying } from "../../support/matchers.js";
import { struct } from "../../support/driver/calls.js";
import { startProcess, type ProviderProcess } from "../../support/driver/process.js";
import { inputs, secret } from "../../support/plugin/inputs.js";

afterEach(stopAll);

/** What `pulumi do` passes in Pulumi 3.248 to 3.259. */
const providerUrn = "urn:pulumi:dev::default::pulumi:providers:data-connectivity::";
const urn = "urn:pulumi:dev::default::data-connectivity:index:CachingJob::CachingJob";

/** A service with two caching jobs and a scheduled query, and the plugin of a command. */
async function command(config: JsonObject = { jobOperations: "all" }, options: TestServerOptions = {}) {
  const service = await start(options);
  const { baseUrl, token } = service;
  service.addJob(cachingBody("ORDERS"), { id: "b" });
  service.addJob(cachingBody("ITEMS"), { id: "a" });
  service.addJob(queryBody({ name: "totals", query: "SELECT 1" }), { id: "c" });
  const accounts = secret({ eu: { baseUrl, token } });
  const plugin = await startProcess("plugin");
  const args = struct({ baseUrl, token: secret(token), accounts, ...config });
  await plugin.call("configure", new ConfigureRequest().setName("").setUrn(providerUrn).setArgs(args));
  return { service, plugin };
}

/** The ids and names in a reply, then the token for the next page. */
async function list(plugin: ProviderProcess, query: JsonObject = {}, request = new ListRequest(), kind = "CachingJob") {
  const client = new ResourceProviderClient(`127.0.0.1:${plugin.process.port}`, credentials.createInsecure());
  request.setToken(`data-connectivity:index:${kind}`).setQuery(struct(query));
  const found: string[] = [];
  for await (const message of client.list(request)) {
    if (!(message instanceof ListResponse)) throw new Error("This is no reply to a list.");
    const { result, continuation, computed } = message.toObject();
    if (result !== undefined) found.push(`${result.id} ${result.name}`);
    if (continuation !== undefined) found.push(`then after ${continuation.continuationToken}`);
    if (computed !== undefined) found.push("unknown");
  }
  client.close();
  return found;
}

describe("A list", () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ["all of a kind", {}, ["a ITEMS", "b ORDERS"]],
    ["those of a source, in any case", { sourceSchema: "public", sourceTable: "orders" }, ["b ORDERS"]],
    ["none, where none has the source", { sourceSchema: "" }, []],
    ["those of a named account, whose name begins their ids", { account: "eu", sourceTable: "ITEMS" }, ["eu/a ITEMS"]],
    ["what is known only later", { sourceTable: unknownValue }, ["unknown"]],
  ])("has %s", async (_what, query, found) => {
    const { plugin } = await command();
    expect(await list(plugin, query)).toEqual(found);
    expect(plugin.lines).toEqual([]);
  });

  test("has pages, and takes one request for all of them", async () => {
    const { service, plugin } = await command();
    expect(await list(plugin, {}, new ListRequest().setLimit(1))).toEqual(["a ITEMS", "then after a"]);
    const next = () => new ListRequest().setContinuationToken("a");
    expect(await list(plugin, {}, next().setPageSize(1))).toEqual(["b ORDERS"]);
    expect(await list(plugin, {}, next(), "ScheduledQueryJob")).toEqual(["c totals"]);
    expect(service.requests).toHaveLength(1);
  });

  test("reads a job of which the service's own list does not tell enough, and names it if that does not tell either", async () => {
    const unreported = { kind: "edited", on: "list", edit: "withoutParams", times: -1 } as const;
    const { plugin } = await command(undefined, { faults: [unreported] });
    expect(await list(plugin, { sourceSchema: "PUBLIC" })).toEqual(["a ITEMS", "b ORDERS"]);
    const unreadable = { kind: "reply", on: "get", status: 403, times: -1 } as const;
    const other = (await command(undefined, { faults: [unreported, unreadable] })).plugin;
    expect(await list(other, { sourceSchema: "PUBLIC" })).toEqual([]);
    expect(other.engine.logged).toMatchObject([
      { severity: "WARNING", message: saying("CachingJob: the list leaves out b, a: the service does not report") },
    ]);
  });

  test("fails if the service has none, and in mode create, where nothing is sent", async () => {
    const { plugin } = await command(undefined, { faults: [{ kind: "reply", on: "list", status: 403 }] });
    await expect(list(plugin)).rejects.toThrow("CachingJob: the jobs could not be listed. GET /api/job/list");
    const ofCreate = await command({});
    await expect(list(ofCreate.plugin)).rejects.toThrow(
      /documents no way to list jobs, and nothing was sent\. .* jobOperations "all" in the file for --provider-file\. First read/,
    );
    await expect(list(ofCreate.plugin, {}, new ListRequest(), "Job")).rejects.toMatchObject({ code: 12 });
    expect(ofCreate.service.requests).toEqual([]);
  });
});

/** Reads a job as `pulumi do` does before it changes or deletes the job. */
async function read(plugin: ProviderProcess, id: string) {
  const { inputs: declared = {}, ...found } = await plugin.get(urn, id);
  return { ...found, inputs: declared };
}

describe("A job that a command reads by its id", () => {
  test("is changed by the whole declaration, though only a part of it is given", async () => {
    const { service, plugin } = await command();
    const saved = await read(plugin, "a");
    expect(saved.inputs).toEqual(inputs("ITEMS"));
    const news = { ...saved.inputs, intervalValue: 9 };
    expect((await plugin.check(urn, news, saved.inputs)).failures).toEqual([]);
    expect((await plugin.diff(urn, saved, news)).diffs).toEqual(["intervalValue"]);
    await plugin.update(urn, saved, news, true);
    expect(service.requests.map(({ method }) => method)).not.toContain("PUT");
    await plugin.update(urn, saved, news);
    expect(service.jobs.find(({ id }) => id === "a")).toMatchObject({ intervalValue: 9 });
    // A mistake of the part is found, too.
    expect((await plugin.check(urn, { ...news, logVerbosity: 9 }, saved.inputs)).failures).toHaveLength(1);
  });

  test("is deleted, with the account that its id names", async () => {
    const { service, plugin } = await command();
    await plugin.delete(urn, await read(plugin, "eu/a"));
    expect(service.jobs.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(plugin.lines).toEqual([]);
  });

  test("is not deleted unless the service confirms that it is gone", async () => {
    const faults = [{ kind: "reply", on: "delete", status: 404 }] as const;
    const { service, plugin } = await command(undefined, { faults: [...faults] });
    await expect(plugin.delete(urn, await read(plugin, "a"))).rejects.toThrow(
      "it is not certain that job a was deleted",
    );
    expect(service.jobs).toHaveLength(3);
  });

  test.each([
    ["c", "job c is of type ScheduledQuery, so it was not read"],
    ["d", "the service has no job d"],
  ])("must be a job of the resource's kind: %s", async (id, text) => {
    const { plugin } = await command();
    await expect(read(plugin, id)).rejects.toThrow(text);
  });
});

test.each(["create", "all"])(
  "A create without a clear answer names nothing but the job to look for, in mode %s",
  async (mode) => {
    const faults = [{ kind: "reset", on: "create", processed: false }] as const;
    const { plugin } = await command({ jobOperations: mode, timeoutSeconds: 2 }, { faults: [...faults] });
    const failed = plugin.create(urn, inputs("MORE"));
    await expect(failed).rejects.toThrow(
      /^CachingJob "CachingJob": POST \/api\/job\/create failed: .*\nThe job may or may not exist, and nothing records this create\. Before you create the job again, look in the service at \S+ for a job of type Caching with .* sourceTable MORE, .*, created at about \S+Z\.( This lists the jobs: pulumi do data-connectivity:index:CachingJob list --provider-file <file>)?$/,
    );
    await expect(failed).rejects.not.toThrow(/unconfirmed-|stack|existingJobId|pulumi up|RESEND/);
    await expect(failed).rejects.toThrow(mode === "all" ? /This lists the jobs/ : /Z\.$/);
  },
);

test("A delete without a read is refused, unless the command is known to be no dry run", async () => {
  const { service, plugin } = await command();
  const unread = { id: "a", inputs: {}, outputs: {} };
  await expect(plugin.delete(urn, unread)).rejects.toThrow("This version of Pulumi sends a delete even with --dry-run");
  // In a run, such a state is not from this package.
  await plugin.configure({ jobOperations: "all" });
  await expect(plugin.delete(urn, unread)).rejects.toThrow('the state of this resource lacks the property "origin"');
  expect(service.requests).toEqual([]);
});
