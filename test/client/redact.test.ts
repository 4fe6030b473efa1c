import {
  failureText,
  hiddenParams,
  hiddenToken,
  redact,
  redactSaved,
  type Hidden,
  serverReason,
} from "../../provider/src/client/reply.js";
import { sentences } from "../../provider/src/sentences.js";
import { replyWith } from "../support/testService.js";

const token = 'sk_live-"4f&9Q/+z=';
const reason = (body: string, contentType = "application/json", hidden: readonly Hidden[] = hiddenToken(token)) =>
  serverReason(replyWith({ headers: { "content-type": contentType }, body }), hidden);

describe("A token in a server's text", () => {
  test.each<[string, string]>([
    ["as it is", token],
    ["after Bearer", `Bearer ${token}`],
    ["in JSON", JSON.stringify(token)],
    ["in a URL", encodeURIComponent(token)],
    ["in a web page", token.replaceAll("&", "&amp;").replaceAll('"', "&quot;")],
    ["between invisible characters", token.split("").join("\u200b")],
    ["between colours", token.replace("live", "\u001b[31mlive\u001b[0m")],
  ])("%s is not shown", (_name, echoed) => {
    const shown = reason(`The token ${echoed} is bad.`, "text/plain");
    expect(shown).toMatch(/^The token .*<token>.* is bad\.$/);
    // No eight consecutive characters of the token are left.
    for (let at = 0; at + 8 <= echoed.length; at += 1) expect(shown).not.toContain(echoed.slice(at, at + 8));
  });

  test("that is another JWT is not shown either", () => {
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2lnbmF0dXJl";
    expect(redact(`was ${jwt}, cut ${jwt.slice(0, 20)}`, [])).toBe("was <token>, cut <token>");
  });

  test("is removed before the text is cut", () => {
    const shown = reason(`${"x".repeat(490)}${token} and more`, "text/plain");
    expect(shown).toBe(`${"x".repeat(490)}<token> a…`);
  });

  test("in a reply that is saved is removed at every depth, member names included", () => {
    const text = JSON.stringify(token).slice(1, -1);
    const reply: unknown = JSON.parse(
      `{"a":["${text}",{"b":"x ${text}"}],"n":1,"z":null,"${text}":true,"__proto__":{"polluted":1}}`,
    );
    expect(redactSaved(reply, token)).toEqual({ a: ["<token>", { b: "x <token>" }], n: 1, z: null, "<token>": true });
  });

  test("in a reply that is saved is all that is removed", () => {
    const reply = { name: "eyJqb2IiOjEyMzR9", note: ["job-1", encodeURIComponent(token)], eyJqb2IiOjEyMzR9: 1 };
    expect(redactSaved(reply, token)).toEqual(reply);
    expect(redactSaved({ name: "job-dev-17" }, "dev")).toEqual({ name: "job-<token>-17" });
  });
});

describe("The values of params in a server's text", () => {
  const params = {
    query: "SELECT \"pin\"\nFROM people WHERE name = 'Zoë' & 1",
    sourceTable: "ORDERS",
    autoTruncateStrings: "true",
    timeCheckColumn: "",
    deep: { list: ["hush-hush", 4711] },
  };
  const hidden = hiddenParams(params);

  test.each<[string, string]>([
    ["of a string", `bad table ORDERS`],
    ["of an element of an array", "bad hush-hush"],
    ["of a number", "bad 4711"],
    ["with line breaks, as it is", `bad ${params.query}`],
    ["with line breaks, in JSON that is shown raw", JSON.stringify({ errors: [{ value: params.query }] })],
    [
      "in a web page",
      `bad ${params.query.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")}`,
    ],
    ["on one line", `bad ${params.query.replaceAll("\n", " ")}`],
  ])("%s are shown by name", (_name, text) => {
    const shown = reason(text, "text/plain", hidden);
    expect(shown).toMatch(/<params\.(query|sourceTable|deep\.list)>/);
    expect(shown).not.toMatch(/ORDERS|hush|4711|pin|people|Zoë/);
  });

  const query = `SELECT "pin" FROM people WHERE name = 'Zoë' & 1`;
  const ofQuery = hiddenParams({ query, blank: "   " });

  test.each<[string, string]>([
    ["in JSON that escapes more than it must", JSON.stringify({ why: query }).replaceAll("'", "\\u0027")],
    [
      "of a long text, in an error that names the member",
      JSON.stringify({ errors: { "params.query": [`${query} ${"x".repeat(150)}`] } }),
    ],
  ])("%s are shown by name", (_name, text) => {
    expect(reason(text, "application/json", ofQuery)).toContain("<params.query>");
    expect(reason(text, "application/json", ofQuery)).not.toContain("pin");
  });

  test.each<[string, string]>([
    ["in text that escapes a part of them", `<Message>bad ${query.replaceAll("&", "&amp;")}</Message>`],
    ["in JSON within JSON", JSON.stringify({ why: JSON.stringify(JSON.stringify({ query })) })],
    ["in an address", `see /search?q=${encodeURIComponent(query)}`],
    ["in numbers of characters", `bad ${query.replaceAll("i", "&#105;")}`],
  ])("%s hide the whole text", (_name, text) => {
    expect(reason(text, "text/plain", ofQuery)).toBe("a text that repeats a value that may be secret");
  });

  test("are looked for in a text that was made to be decoded again and again", () => {
    const endless = `%${"25".repeat(200_000)}`;
    expect(reason(`${endless} ${query}`, "text/plain", ofQuery)).not.toContain("pin");
  });

  test("that only look like a part of the text hide nothing more", () => {
    expect(reason("see 100%25 of\n the   table", "text/plain", ofQuery)).toBe("see 100%25 of the table");
  });

  test("stay where hiding them would hide everything", () => {
    expect(reason("true, or the 1st of a", "text/plain", [...hidden, ...hiddenParams({ x: "a" })])).toBe(
      "true, or the 1st of a",
    );
  });

  test("are replaced the longest first", () => {
    const nested = hiddenParams({ a: "ORDERS", b: "ORDERS_OLD" });
    expect(redact("ORDERS_OLD and ORDERS", nested)).toBe("<params.b> and <params.a>");
  });
});

describe("The reason that a server gives", () => {
  test.each<[string, string, string, string]>([
    ["an error with code and message", '{"error":{"code":"NO","message":"not today"}}', "json", "NO: not today"],
    ["a message", '{"message":"not today"}', "json", "not today"],
    ["a problem document", '{"type":"about:blank","title":"Bad","detail":"not today"}', "json", "not today"],
    ["an OAuth error", '{"error":"invalid_token","error_description":"old"}', "json", "invalid_token"],
    ["JSON without a known member", '{"why":"not today"}', "json", '{"why":"not today"}'],
    ["JSON that is a string", '"not today"', "json", "not today"],
    ["JSON that is null", "null", "json", "null"],
    ["JSON that breaks off", '{"message":"not', "json", '{"message":"not'],
    ["plain text", "not\r\n\ttoday", "text/plain", "not today"],
    ["nothing", "", "json", ""],
    ["white space", " \n ", "json", ""],
    ["a web page", "<html><head><title>502 Bad\nGateway</title>", "text/html", 'a web page titled "502 Bad Gateway"'],
    ["a web page by its look", "<!DOCTYPE html><title>Hi</title>", "text/plain", 'a web page titled "Hi"'],
    ["a web page without a title", "<html>secret stuff", "text/html", "a web page"],
    ["colours and cursor moves", "\u001b[31mred\u001b[2J\u001b[1;1H\u0007\u009b\u202e", "text/plain", "red"],
    ["half a surrogate pair", "a\ud800b", "text/plain", "a\ufffdb"],
  ])("%s", (_name, body, contentType, expected) => {
    expect(reason(body, contentType)).toBe(expected);
  });

  test("is cut at 500 characters, and not within one", () => {
    expect(reason("x".repeat(501), "text/plain")).toBe(`${"x".repeat(499)}…`);
    expect(reason("x".repeat(500), "text/plain")).toBe("x".repeat(500));
    expect(reason(`${"x".repeat(498)}🦊🦊`, "text/plain")).toBe(`${"x".repeat(498)}…`);
  });

  test("is looked for in the beginning of a web page alone", () => {
    expect(reason(`<html>${" ".repeat(70_000)}<title>Late</title>`, "text/html")).toBe("a web page");
    const begun = performance.now();
    expect(reason("<title".repeat(50_000), "text/html")).toBe("a web page");
    // Reading the page takes a millisecond; it once took twenty seconds.
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  test("may be nested deeper than any stack", () => {
    const depth = 200_000;
    const deep = `${'{"error":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(reason(deep)).toHaveLength(500);
  });
});

test.each([
  ["There is no such table..", "There is no such table."],
  ["There is no such table", "There is no such table."],
  ["No such table!", "No such table!"],
  ["No such table?", "No such table?"],
  ["No such tab…", "No such tab…"],
  ["These are wrong:", "These are wrong."],
  ["No such table.\n", "No such table."],
])("An error that says %j is repeated as one sentence", (message, shown) => {
  const refusal = replyWith({ status: 400, body: JSON.stringify({ message }) });
  expect(failureText("GET /x", refusal, undefined, 1, [])).toBe(`GET /x failed with HTTP 400: ${shown}`);
});

test.each(["", JSON.stringify({ message: " . " })])("Without a reason, only the status is told: %j", (body) => {
  const refusal = replyWith({ status: 400, body });
  expect(failureText("GET /x", refusal, undefined, 3, [])).toBe("GET /x failed with HTTP 400 (3 tries).");
});

test.each([
  ["problem details", { title: "Wrong.", errors: { LogVerbosity: ["must be at most 3"] } }],
  ["a list of errors", { title: "Wrong.", errors: [{ field: "LogVerbosity", message: "must be at most 3" }] }],
  ["a validation", { error: "Wrong.", validation: [{ location: "LogVerbosity", message: "must be at most 3" }] }],
  [
    "an error's details",
    { error: { message: "Wrong.", details: [{ target: "LogVerbosity", message: "must be at most 3" }] } },
  ],
])("A refusal names the members that the service names, in the form of %s", (_form, body) => {
  expect(reason(JSON.stringify(body))).toBe("Wrong. LogVerbosity: must be at most 3");
});

test("Texts are joined with one end each, and the last one, which may be a command, stays as it is", () => {
  expect(sentences("No token", undefined, "Set it: pulumi config set x")).toBe("No token. Set it: pulumi config set x");
  expect(sentences("What?", " ", "", "Run it again..\n", "pulumi up")).toBe("What? Run it again. pulumi up");
});
