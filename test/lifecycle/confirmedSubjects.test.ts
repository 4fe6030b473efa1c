import { membersOf } from "../../provider/src/json.js";
import { changed, orders } from "../support/all/declarations.js";
import { did } from "../support/all/inProcess.js";
import { oneJob, other, refused } from "../support/all/oneAddress.js";
import { stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";

// What a user confirms with `changedAtService` of the token that a run has.

afterAll(stopAll);

describe.each(["create", "all"])("In mode %s, a confirmation", (jobOperations) => {
  const confirmed = { ...changed, changedAtService: "2026-11-29" };
  const expired = jwt({ iss: "parent-1", sub: "sub-1", exp: 1_700_000_000 });

  test.each([
    ["no token", { credentialsCommand: "exit 1" }],
    ["a token that shows no subject", { token: "opaque" }],
    ["an expired token", { token: expired }],
  ])("with %s does not make the state forget the subject that saw the job", async (_what, main) => {
    const { service, useSettings, stack } = await oneJob(jobOperations);
    const before = stack.state.get("orders")?.outputs["origin"];
    useSettings({ jobOperations, account: "main", accounts: { main } }, service);
    expect(await stack.up({ orders: confirmed })).toMatchObject(did("updated"));
    expect(stack.state.get("orders")?.outputs["origin"]).toMatchObject({ subject: membersOf(before)["subject"] });
    service.removeJob(service.jobs[0]?.id ?? "");
    useSettings({ jobOperations: "all", account: "main", accounts: { main: { token: other } } }, service);
    expect(await stack.refresh()).toMatchObject(refused);
  });
});

test("In mode create, a confirmation with a token of another subject says that it confirms the token, too", async () => {
  const { use, stack } = await oneJob("create");
  use(other, {}, "create");
  const { steps, text } = await stack.up({ orders: { ...changed, changedAtService: "2026-11-29" } });
  expect([steps["orders"], text]).toEqual([
    "updated",
    expect.stringContaining("changedAtService also confirms that the token"),
  ]);
});

describe("A job that is replaced in the run that confirms a new subject", () => {
  const confirmed = { ...orders, changedAtService: "2026-11-29" };

  test("is deleted, and made again", async () => {
    const { stack, use, service } = await oneJob();
    const before = service.jobs.map(({ id }) => id);
    use(other);
    const { steps } = await stack.replace("orders", confirmed);
    expect([steps["orders"], service.jobs.length]).toEqual(["created", 1]);
    expect(service.jobs.map(({ id }) => id)).not.toEqual(before);
  });

  test("is not taken for gone if the confirmed token does not see it", async () => {
    const { stack, use, service } = await oneJob();
    service.removeJob(service.jobs[0]?.id ?? "");
    use(other);
    expect(await stack.replace("orders", confirmed)).toMatchObject(did("failed", "does not see the job"));
    expect(stack.state.has("orders")).toBe(true);
  });
});
