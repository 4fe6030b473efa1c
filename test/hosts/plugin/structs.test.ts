import fc from "fast-check";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import { read, write } from "../../../provider/src/hosts/plugin/structs.js";
import { isJson, isObject, parseJson, type JsonObject } from "../../../provider/src/json.js";

const { Struct, Value, ListValue } = structs;

/** google-protobuf assigns members, so this name sets a prototype in it. */
const hasProto = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(hasProto)
    : isObject(value) && Object.entries(value).some(([member, inner]) => member === "__proto__" || hasProto(inner));

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && isJson(value) && !hasProto(value);
const properties = fc.json({ maxDepth: 4 }).map(parseJson).filter(isJsonObject);

describe("The values of a struct", () => {
  test("are read as google-protobuf writes them, and written so that it reads them", () => {
    fc.assert(
      fc.property(properties, (values) => {
        const theirs = Struct.fromJavaScript(values);
        expect(read(theirs.serializeBinary()).values).toStrictEqual(theirs.toJavaScript());
        expect(Struct.deserializeBinary(write(values)).toJavaScript()).toStrictEqual(theirs.toJavaScript());
      }),
    );
  });

  test.each([
    ["numbers", { a: 0, b: -0.5, c: 1e300, d: 2 ** 53 }],
    ["texts", { "": "", ünï: "\u{1f600}", long: "x".repeat(300) }],
    ["nothing", {}],
    ["what is empty", { list: [], object: {}, deep: [[], {}, [null]] }],
    ["the other kinds", { yes: true, no: false, nothing: null }],
  ])("may be %s", (_case, values) => {
    expect(read(write(values)).values).toStrictEqual(values);
    expect(Struct.deserializeBinary(write(values)).toJavaScript()).toEqual(values);
  });

  test("may have any name, also one that would set a prototype", () => {
    const values: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    const written = isObject(values) ? write(values) : undefined;
    expect(JSON.stringify(read(written).values)).toBe(JSON.stringify(values));
  });

  test("are null where a value of the protocol has no kind, and none where there is no struct", () => {
    const list = new ListValue().setValuesList([new Value()]);
    const struct = new Struct();
    struct.getFieldsMap().set("a", new Value()).set("b", new Value().setListValue(list));
    expect(read(struct.serializeBinary()).values).toEqual({ a: null, b: [null] });
    expect(read(undefined).values).toEqual({});
  });

  test("are found beside fields that a later version of the protocol may have", () => {
    // Field 15: a number, eight bytes, a text and four bytes; before what is known.
    const more = Buffer.from([0x78, 5, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7a, 2, 65, 66, 0x7d, 1, 2, 3, 4]);
    const field = (tag: number, ...parts: readonly Uint8Array[]) => {
      const content = Buffer.concat([more, ...parts]);
      return Buffer.concat([Buffer.from([tag, content.length]), content]);
    };
    const element = field(0x0a, Buffer.from([0x20, 1]));
    const value = field(0x12, field(0x32, element));
    const member = field(0x0a, Buffer.from([0x0a, 1, 97]), value);
    expect(read(Buffer.concat([more, member, more])).values).toEqual({ a: [true] });
  });

  test("leave undefined members out at every depth, and keep null", () => {
    expect(read(write({ a: undefined, b: { c: undefined, d: null }, e: [undefined, 1] })).values).toStrictEqual({
      b: { d: null },
      e: [null, 1],
    });
  });

  test.each([
    ["a function", () => 1],
    ["a bigint", 1n],
    ["a number that JSON has not", NaN],
  ])("are not %s", (_case, value) => {
    expect(() => write({ params: { value } })).toThrow(TypeError);
  });
});
