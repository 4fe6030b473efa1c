import { Secrets } from "../../provider/src/client/reply.js";

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

test("A secret that many resources have is compared once", () => {
  const secrets = new Secrets();
  for (let count = 0; count < 1000; count += 1) secrets.add({ sourceConnection: "HUSH" });
  expect(secrets.in("HUSH")).toHaveLength(1);
});
