import { Secrets, serverReason } from "../../provider/src/client/reply.js";
import { replyWith } from "../support/testService.js";

// A run may have thousands of secrets, and each failed reply is compared with all of them.

test("Of the run's secrets, those that a text repeats are hidden, in all their forms", () => {
  const secrets = new Secrets();
  secrets.add({ query: 'select "pin"', nested: [{ table: "HUSH" }, 7, null] });
  secrets.add({ query: "other" });
  expect(secrets.in("nothing of them")).toEqual([]);
  expect(secrets.in("job HUSH cannot be read").map(({ text }) => text)).toEqual(["HUSH"]);
  // As JSON repeats it; its message is shown without the escapes.
  const escaped = JSON.stringify({ message: 'bad: select "pin"' });
  expect(secrets.in(escaped).map(({ text }) => text)).toEqual(
    expect.arrayContaining(['select "pin"', String.raw`select \"pin\"`]),
  );
});

test.each([
  ["a part of a secret", "Syntax error near 'pwd=Tr0ub4dor&3'", "pwd=Tr0ub4dor&3 and more", "Tr0ub4dor"],
  ["a secret in another case", "Object 'HUSH_ORDERS' does not exist.", "hush_orders", "HUSH_ORDERS"],
  ["a secret with a backslash, in JSON", String.raw`owner CORP\batch`, String.raw`CORP\batch`, "batch"],
  ["a secret with a backslash", String.raw`CORP\batch`, String.raw`CORP\batch`, "batch"],
])("Of a reply that repeats %s, nothing of it is shown", (_what, text, secret, hidden) => {
  const secrets = new Secrets();
  secrets.add(secret);
  const reply = replyWith({ status: 400, body: JSON.stringify({ message: text }) });
  const shown = serverReason(reply, secrets.in(reply.body));
  expect(shown).not.toContain(hidden);
  expect(shown).not.toBe("");
});

test("A secret that many resources have is compared once", () => {
  const secrets = new Secrets();
  for (let count = 0; count < 1000; count += 1) secrets.add({ sourceConnection: "HUSH" });
  expect(secrets.in("HUSH")).toHaveLength(1);
});
