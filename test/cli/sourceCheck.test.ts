import type { Fault, Json } from "../../provider/src/testing/index.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { declares, params, resource } from "./exportedState.js";
import { adopts, check, connection, create, moved, previewOf, startWithJobs } from "./previews.js";

afterEach(stopAll);

describe("The source of a new job", () => {
  const seen = async (service: TestServer, sourceTable: string, more: object = {}) => {
    const preview = previewOf(create("fresh", declares(sourceTable, more)));
    return check(service, preview);
  };
  const given = (member: object) => ({ params: { ...params, ...member } });
  const summary = "The preview creates or adopts 1 job. pulumi up would refuse 0.";

  test.each([
    [
      "a connection that the account does not have",
      given({ sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e60" }),
      'params.sourceConnection "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e60" is none of the account\'s connections. Nearest: 6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f (Snowflake1), 0b3c8f3e-7f0a-4d0c-8f53-5a3e2b1c9d70 (Salesforce1).',
    ],
    [
      "a schema that is not listed",
      given({ sourceSchema: "PUBLC" }),
      'the service lists no schema "PUBLC" of connection "Snowflake1". Nearest: "HIDDEN_SCHEMA".',
    ],
    [
      "a table that is not listed, in any case",
      given({ sourceTable: "order" }),
      'the service lists no table "order" in schema "HIDDEN_SCHEMA" of connection "Snowflake1". Nearest: "ORDERS", "FRESH", "MOVED".',
    ],
  ])("is named with what is near, and fails the check: %s", async (_, more, text) => {
    const { exitCode, lines } = await seen(await startWithJobs(), "FRESH", more);
    expect({ exitCode, lines }).toEqual({
      exitCode: 1,
      lines: [`CachingJob "fresh": ${text}`, `${summary} Sources that the service does not list: 1.`],
    });
  });

  test("is looked for by its own name too, because a long list may be cut", async () => {
    const service = await startWithJobs();
    service.inject({ kind: "reply", on: "tables", status: 200, body: result([["HIDDEN_SCHEMA", "ITEMS"]]) });
    expect(await seen(service, "FRESH")).toEqual({ exitCode: 0, stderr: "", lines: [summary] });
    const query = new URL(service.requests.at(-1)?.path ?? "", service.baseUrl).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      ...{ catalogName: "Snowflake1", schemaName: "HIDDEN_SCHEMA", tableName: "FRESH" },
    });
  });

  test("is found in columns of any order", async () => {
    const service = await startWithJobs();
    const columns = ["TABLE_NAME", "REMARKS", "TABLE_SCHEMA"];
    const body = result([["FRESH", null, "HIDDEN_SCHEMA"]], columns);
    service.inject({ kind: "reply", on: "tables", status: 200, body });
    expect(await seen(service, "FRESH")).toMatchObject({ exitCode: 0, lines: [summary] });
    expect(service.requests).toHaveLength(3);
  });

  test("costs one request for each list, however many jobs it is for", async () => {
    const service = await startWithJobs();
    await check(service, previewOf(create("fresh", declares("FRESH")), create("other", declares("MOVED"))));
    expect(service.requests.map(({ operation }) => operation)).toEqual(["list", "connections", "tables"]);
  });

  test("that an update of a job brings is looked for too, and the one of an adopted job is not", async () => {
    const lost = { ...moved, newState: resource("moved", { id: "job-ORDERS", ...declares("LOST") }) };
    const { exitCode, lines } = await check(await startWithJobs(), previewOf(create("items", adopts), lost));
    expect({ exitCode, first: lines[0] }).toEqual({
      exitCode: 1,
      first: expect.stringMatching(/^CachingJob "moved": the service lists no table "LOST" in schema/) as string,
    });
  });

  function result(rows: Json, columns = ["TABLE_SCHEMA", "TABLE_NAME"]) {
    return { results: [{ schema: columns.map((columnName) => ({ columnName })), rows }] };
  }
  const reply = (on: "tables" | "connections", body: Json, status = 200): Fault => ({
    ...{ kind: "reply", times: -1 },
    ...{ on, status, body },
  });
  test.each<[string, Fault, string]>([
    ["a service without this list", reply("tables", "", 404), "failed with HTTP 404"],
    ["an error in a 200", reply("tables", { error: { code: "QUERY_FAILED", message: "no" } }), "QUERY_FAILED: no"],
    ["no result", reply("tables", { results: null }), 'The reply has no "rows of tables" array.'],
    ["a row that cannot be read", reply("tables", result([["HIDDEN_SCHEMA", "ITEMS"], [1]])), "rows cannot be read"],
    ["no column for the schema", reply("tables", result([["x", "FRESH"]], ["x", "TABLE_NAME"])), "rows of tables"],
  ])("is said to be unchecked, and does not count as passed: %s", async (_, fault, why) => {
    const service = await startWithJobs();
    service.inject(fault);
    const { exitCode, lines } = await seen(service, "FRESH");
    expect({ exitCode, lines }).toEqual({
      exitCode: 0,
      lines: [
        expect.stringContaining('CachingJob "fresh": schema and table not checked: GET /api/tables?catalogName='),
        `${summary} Not or not wholly checked: 1.`,
      ],
    });
    expect(lines[0]).toContain(why);
  });

  test("is unchecked where the connections are not listed, and where two of them have its name", async () => {
    const service = await startWithJobs();
    service.inject(reply("connections", "", 404));
    expect((await seen(service, "FRESH")).lines).toEqual([
      expect.stringMatching(/^CachingJob "fresh": connection, schema and table not checked: GET .* HTTP 404/),
      `${summary} Not or not wholly checked: 1.`,
    ]);
    const twins = [params.sourceConnection, "other"].map((id) => ({ ...connection, id }));
    expect((await seen(await start({ connections: twins }), "FRESH")).lines[0]).toBe(
      'CachingJob "fresh": schema and table not checked: several connections are named "Snowflake1".',
    );
  });

  test("is missing where the connection has no tables at all: no rows is an answer", async () => {
    const service = await startWithJobs();
    service.inject(reply("tables", result(null)));
    expect(await seen(service, "FRESH")).toMatchObject({
      exitCode: 1,
      lines: [
        'CachingJob "fresh": the service lists no schema "HIDDEN_SCHEMA" of connection "Snowflake1". It lists none.',
        expect.stringMatching(/does not list: 1\.$/) as string,
      ],
    });
  });
});
