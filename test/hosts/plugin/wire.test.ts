import fc from "fast-check";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import { outputSecrets, read, write } from "../../../provider/src/hosts/plugin/wire.js";
import { marshal, unmarshal } from "../../../provider/src/hosts/protocolValues.js";
import { isJson, parseJson, type Json, type JsonObject } from "../../../provider/src/json.js";
import { unknownValue } from "../../../provider/src/unknown.js";

/** What the engine sends for a value that is not known yet: one string per type. */
const unknowns: readonly (readonly [type: string, sent: string])[] = [
  ["a string", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"],
  ["a boolean", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"],
  ["a number", "3eeb2bf0-c639-47a8-9e75-3b44932eb421"],
  ["an array", "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2"],
  ["an asset", "030794c1-ac77-496b-92df-f27374a8bd58"],
  ["an archive", "e48ece36-62e2-4504-bad9-02848725956a"],
  ["an object", "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"],
];

const signature = "4dabf18193072939515e22adb298388d";
const secret = (value: Json) => ({ [signature]: "1b47061264138c4ac30d75fd1eb44270", value });
const special = (kind: string, members: JsonObject) => ({ [signature]: kind, ...members });

const outputValue = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const reference = "5cf8f73096256a8f31e491e813e4eb8e";
const urn = "urn:pulumi:dev::p::aws:s3/bucket:Bucket::b";

/** The properties' values, after a round trip through a protobuf message. */
const sent = (properties: JsonObject): unknown =>
  structs.Struct.deserializeBinary(structs.Struct.fromJavaScript(properties).serializeBinary()).toJavaScript();

describe("Values of the engine", () => {
  test.each(unknowns)("have one unknown for all types: of %s", (_type, unknown) => {
    const { values } = unmarshal({ top: unknown, params: { inner: [unknown] }, hidden: secret(unknown) });
    expect(values).toEqual({ top: unknownValue, params: { inner: [unknownValue] }, hidden: unknownValue });
  });

  test.each([
    ["a secret at the top", { a: secret("x") }, { a: "x" }, [["a"]]],
    [
      "a nested one",
      { params: { query: secret("x"), name: "n" } },
      { params: { query: "x", name: "n" } },
      [["params", "query"]],
    ],
    ["one within another", { params: secret({ query: secret("x") }) }, { params: { query: "x" } }, [["params"]]],
    [
      "one in an array, whose elements may move",
      { a: { list: [1, secret(2)] } },
      { a: { list: [1, 2] } },
      [["a", "list"]],
    ],
    ["one in an array of arrays", { list: [[secret(1)], [secret(2)]] }, { list: [[1], [2]] }, [["list"]]],
  ])("have their secrets beside them: %s", (_case, properties, values, secrets) => {
    expect(unmarshal(sent(properties))).toEqual({ values, secrets, problems: [] });
  });

  test.each([
    ["an output that is known", special(outputValue, { value: { a: 1 } }), { a: 1 }, []],
    ["a secret one", special(outputValue, { value: 1, secret: true, dependencies: [urn] }), 1, [["it"]]],
    ["one that is not known", special(outputValue, {}), unknownValue, []],
    ["a secret one that is not known", special(outputValue, { secret: true }), unknownValue, [["it"]]],
    ["a reference to a resource", special(reference, { urn, id: "b-1" }), "b-1", []],
    ["to one whose id is not known", special(reference, { urn, id: "" }), unknownValue, []],
    ["to one that has no id", special(reference, { urn }), urn, []],
  ])("are what the protocol wraps: %s", (_case, wrapped, value, secrets) => {
    expect(unmarshal(sent({ it: wrapped }))).toEqual({ values: { it: value }, secrets, problems: [] });
  });

  test("that no job can have are refused with a sentence each, which shows nothing of them", () => {
    const { values, problems } = unmarshal({
      params: {
        query: special("c44067f5952c0a294b673a41bacd8c17", { text: "planted" }),
        "the files": [secret(special("0def7320c3a5731c473e5ecbe6d01bc7", { path: "planted" }))],
      },
      other: special("00000000000000000000000000000000", {}),
    });
    expect(problems).toEqual([
      "params.query is an asset (a file or a text). Accepted: a plain value.",
      'params["the files"][0] is an archive (of files). Accepted: a plain value.',
      "other is a value of a kind that this version does not know. Accepted: a plain value.",
    ]);
    expect(values).toEqual({ params: { query: unknownValue, "the files": [unknownValue] }, other: unknownValue });
  });

  test("go back with the marks that they came with, whatever they are", () => {
    const json = fc.json({ maxDepth: 3 }).map(parseJson).filter(isJson);
    const object = fc.dictionary(
      fc.string().filter((name) => name !== "__proto__" && name !== signature),
      fc.oneof(json, json.map(secret), fc.record({ a: json.map(secret), b: json })),
    );
    fc.assert(
      fc.property(object, (properties) => {
        const { values, secrets } = unmarshal(sent(properties));
        expect(JSON.stringify(values)).not.toContain(signature);
        const written = structs.Struct.deserializeBinary(write(values, secrets).serializeBinary());
        expect(written.toJavaScript()).toEqual(sent(properties));
        expect(read(written)).toEqual(unmarshal(sent(properties)));
      }),
    );
  });
});

describe("Values for the engine", () => {
  test("leave undefined members out at every depth, and keep null", () => {
    expect(read(write({ a: undefined, b: { c: undefined, d: null }, e: [undefined, 1] })).values).toStrictEqual({
      b: { d: null },
      e: [null, 1],
    });
    for (const absent of [read(undefined), unmarshal(undefined)]) expect(absent.values).toEqual({});
  });

  test("are marked where they are, and a mark of what is not there does nothing", () => {
    const marked = marshal({ params: { query: "x", name: "n" } }, [["params", "query"], ["params", "gone"], ["job"]]);
    expect(marked).toStrictEqual({ params: { query: secret("x"), name: "n" } });
  });

  test.each([
    ["no secret in the inputs", [], []],
    ["one deep in them", [["params", "query"]], [["params", "query"], ["job"]]],
    ["the job as it was saved, alone", [["job"]], [["job"]]],
  ])("have a secret job exactly with a secret input: %s", (_case, inputs, outputs) => {
    expect(outputSecrets(inputs)).toEqual(outputs);
  });
});
