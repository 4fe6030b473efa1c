import * as messages from "@pulumi/pulumi/proto/provider_pb";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import { requests, responses } from "../../../provider/src/hosts/plugin/resourceMessages.js";
import { read, write } from "../../../provider/src/hosts/plugin/structs.js";

const struct = (is: string) => structs.Struct.fromJavaScript({ is });

/** What its structs hold in place of their bytes. */
const withValues = (request: object) =>
  Object.fromEntries(
    Object.entries(request).map(([member, value]: [string, unknown]) => [
      member,
      value instanceof Uint8Array ? read(value).values["is"] : value,
    ]),
  );

describe("A request of the engine", () => {
  // Every field of the SDK's messages is set, so that each number that is wrong here finds another field.
  const [urn, id, name, type] = ["urn", "the id", "the name", "the type"];
  const view = new messages.View();
  test.each([
    [
      "check" as const,
      new messages.CheckRequest()
        .setUrn(urn)
        .setOlds(struct("olds"))
        .setNews(struct("news"))
        .setRandomseed(new Uint8Array([1]))
        .setName(name)
        .setType(type),
      { urn, olds: "olds", news: "news" },
    ],
    [
      "diff" as const,
      new messages.DiffRequest()
        .setId(id)
        .setUrn(urn)
        .setOlds(struct("olds"))
        .setNews(struct("news"))
        .setIgnorechangesList(["a"])
        .setOldInputs(struct("old inputs"))
        .setName(name)
        .setType(type),
      { id, urn, olds: "olds", news: "news" },
    ],
    [
      "create" as const,
      new messages.CreateRequest()
        .setUrn(urn)
        .setProperties(struct("properties"))
        .setTimeout(1.5)
        .setPreview(true)
        .setName(name)
        .setType(type),
      { urn, properties: "properties", preview: true },
    ],
    [
      "read" as const,
      new messages.ReadRequest()
        .setId(id)
        .setUrn(urn)
        .setProperties(struct("properties"))
        .setInputs(struct("inputs"))
        .setName(name)
        .setType(type)
        .setOldViewsList([view])
        .setTimeout(1.5),
      { id, urn, properties: "properties", inputs: "inputs" },
    ],
    [
      "update" as const,
      new messages.UpdateRequest()
        .setId(id)
        .setUrn(urn)
        .setOlds(struct("olds"))
        .setNews(struct("news"))
        .setTimeout(1.5)
        .setIgnorechangesList(["a"])
        .setPreview(true)
        .setOldInputs(struct("old inputs"))
        .setName(name)
        .setType(type),
      { id, urn, olds: "olds", news: "news", preview: true },
    ],
    [
      "delete" as const,
      new messages.DeleteRequest()
        .setId(id)
        .setUrn(urn)
        .setProperties(struct("properties"))
        .setTimeout(1.5)
        .setOldInputs(struct("old inputs"))
        .setName(name)
        .setType(type),
      { id, urn, properties: "properties" },
    ],
  ])("is read by the numbers of the protocol: %s", (call, request, fields) => {
    expect(withValues(requests[call](request.serializeBinary()))).toEqual(fields);
  });

  test("may leave fields out", () => {
    expect(requests.create(new Uint8Array())).toEqual({ urn: "", properties: undefined, preview: false });
    expect(requests.update(new Uint8Array()).preview).toBe(false);
  });
});

describe("A response to the engine", () => {
  const [inputs, properties] = [write({ is: "inputs" }), write({ is: "properties" })];
  const isOf = (values: structs.Struct | undefined) => values?.toJavaScript()["is"];

  test("is written by the numbers of the protocol", () => {
    const checked = messages.CheckResponse.deserializeBinary(responses.check({ inputs, failures: ["one", "two"] }));
    expect(isOf(checked.getInputs())).toBe("inputs");
    expect(checked.getFailuresList().map((failure) => failure.toObject())).toEqual([
      { property: "", reason: "one" },
      { property: "", reason: "two" },
    ]);
    const created = messages.CreateResponse.deserializeBinary(responses.create({ id: "the id", properties }));
    expect([created.getId(), isOf(created.getProperties())]).toEqual(["the id", "properties"]);
    const found = messages.ReadResponse.deserializeBinary(responses.read({ id: "the id", properties, inputs }));
    expect([found.getId(), isOf(found.getProperties()), isOf(found.getInputs())]).toEqual([
      "the id",
      "properties",
      "inputs",
    ]);
    const updated = messages.UpdateResponse.deserializeBinary(responses.update({ properties }));
    expect(isOf(updated.getProperties())).toBe("properties");
  });

  test("leaves out what there is not: no job any more, and inputs that the state never had", () => {
    const gone = messages.ReadResponse.deserializeBinary(responses.read({ id: "" }));
    expect([gone.getId(), gone.hasProperties(), gone.hasInputs()]).toEqual(["", false, false]);
    const answered = responses.read({ id: "1", properties, inputs: undefined });
    expect(messages.ReadResponse.deserializeBinary(answered).hasInputs()).toBe(false);
  });
});
