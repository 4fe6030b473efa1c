import { membersOf, type JsonObject } from "../../provider/src/json.js";
import { cachingJob, checkDeclaration, declaredParams, wireParams } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";
import { PARAMS } from "../support/emulated.js";

const { params } = declaration;
const key = { colName: "ID", isPrimaryKey: true };
const strange = [{ colName: "ID", order: 1 }];

describe("A job of the service is declared", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["without defaults, and without what the service adds", { sourceConnectionName: "Snowflake1" }, {}],
    ["with booleans as booleans", { autoTruncateStrings: "True" }, { params: { autoTruncateStrings: true } }],
    ["with keys to merge by", { mergeKeys: [{ ...key, colType: null }] }, { params: { mergeKeys: [key] } }],
    [
      "with keys that are told as JSON text",
      { mergeKeys: '[{"colName":"ID","isPrimaryKey":"True"}]' },
      { params: { mergeKeys: [key] } },
    ],
    ["without an empty list of keys", { mergeKeys: "[]" }, {}],
    ["with keys that have no type here", { mergeKeys: strange }, { additionalParams: { mergeKeys: strange } }],
    ["with members that are not known here", { owner: "x" }, { additionalParams: { owner: "x" } }],
  ])("%s", (_how, told, expected) => {
    const declared = declaredParams(cachingJob, { ...PARAMS, ...told });
    expect(declared).toEqual({ ...expected, params: { ...params, ...membersOf(expected["params"]) } });
    expect(checkDeclaration(cachingJob, { ...declaration, ...declared })).toEqual([]);
    expect(wireParams({ kind: cachingJob, declared })).toMatchObject(params);
  });

  test.each([
    ["a table named null", { sourceTable: "null" }, { sourceTable: "null" }],
    [
      "a connection told in braces",
      { sourceConnection: `{${params.sourceConnection}}` },
      { sourceConnection: params.sourceConnection },
    ],
  ])("with %s", (_how, told, expected) => {
    const declared = declaredParams(cachingJob, { ...PARAMS, ...told });
    expect(declared).toEqual({ params: { ...params, ...expected } });
    expect(checkDeclaration(cachingJob, { ...declaration, ...declared })).toEqual([]);
  });
});
