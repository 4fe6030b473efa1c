import { call, pathOf } from "../support/emulated.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { expiringJwt, jwt } from "../support/jwt.js";
import { commandsOf, pageAt } from "../support/pages.js";
import { caching, ofTable, orders } from "../support/scenarios/scenario.js";

/** The commands of a chapter of the runbook. */
function commandsFor(heading: string): readonly string[] {
  const [, text = ""] = pageAt("docs/runbook.md").text.split(`\n## ${heading}\n`);
  const [chapter = ""] = text.split("\n## ");
  return commandsOf({ path: heading, text: chapter });
}

const all = { "data-connectivity:jobOperations": "all" };
const two = { ...orders(), again: caching() };

describeWithEngine("The runbook", () => {
  const engine = engineForEachTest({ acceptToken: () => true });
  const jobs = () => engine().services[0].jobs.length;
  /** Pastes a line, and returns its exit code and what it prints. */
  const paste = async (line = "") => {
    const { exitCode, output } = await engine().stack.shell(line);
    return { line, exitCode, output: engine().stable(output) };
  };
  const printing = (text: string) => expect.stringContaining(text) as string;

  test("resolves a killed run in mode create", async () => {
    const [cancel, up, clear] = commandsFor("A run was killed");
    await engine().killInCreate(orders());
    expect(await paste(cancel)).toMatchObject({ exitCode: 0 });
    expect(await paste(up)).toMatchObject({ exitCode: 1, output: printing("a run was killed in it") });
    await engine().play({ program: orders({ existingJobId: "job-1" }) });
    expect(await paste(clear)).toMatchObject({ exitCode: 0 });
    expect([engine().pendingOperations(), jobs()]).toEqual([0, 1]);
  });

  test("resolves a killed run in mode all", async () => {
    await engine().play({ run: ["config"], config: all });
    await engine().killInCreate(orders());
    for (const line of commandsFor("A run was killed")) expect(await paste(line)).toMatchObject({ line, exitCode: 0 });
    expect([engine().pendingOperations(), jobs(), engine().jobs()["orders"]?.id]).toEqual([0, 1, "job-1"]);
  });

  test("replaces an expired token", async () => {
    const [doctor, set, up] = commandsFor("The token has expired");
    await engine().play({
      program: orders(),
      config: { "data-connectivity:token": { secret: expiringJwt("old", -300) } },
      exitCode: 1,
    });
    expect(await paste(doctor)).toMatchObject({ exitCode: 1, output: printing("expired at") });
    expect(await paste(`echo typed | ${set ?? ""}`)).toMatchObject({ exitCode: 0 });
    expect(await paste(up)).toMatchObject({ exitCode: 0 });
    expect(jobs()).toBe(1);
  });

  test("goes on after a token of another account was refused", async () => {
    const [doctor, set, up] = commandsFor("The token is of another account");
    const tokenOf = (sub: string) => ({ "data-connectivity:token": { secret: jwt({ iss: "parent", sub }) } });
    await engine().play({ program: orders(), config: tokenOf("account-id"), posts: 1 });
    const program = { ...orders(), items: caching(ofTable("ITEMS")) };
    await engine().play({
      program,
      config: tokenOf("other"),
      exitCode: 1,
      says: ["is of another account or sub-account"],
    });
    expect(await paste(doctor)).toMatchObject({ exitCode: 1, output: printing("subject other") });
    const right = jwt({ iss: "parent", sub: "account-id" });
    expect(await paste(`echo ${right} | ${set ?? ""}`)).toMatchObject({ exitCode: 0 });
    expect(await paste(up)).toMatchObject({ exitCode: 0 });
    expect(jobs()).toBe(2);
  });

  test("goes on after the service was down", async () => {
    const [doctor, check, up] = commandsFor("The service is down");
    const config = { "data-connectivity:timeoutSeconds": "2" };
    await engine().play({
      program: orders(),
      config,
      faults: [{ kind: "reply", on: "sources", status: 503, times: -1 }],
      exitCode: 1,
    });
    expect(await paste(doctor)).toMatchObject({ exitCode: 1 });
    engine().services[0].repair();
    expect(await paste(doctor)).toMatchObject({ exitCode: 0 });
    expect(await paste(check)).toMatchObject({ exitCode: 0 });
    expect(await paste(up)).toMatchObject({ exitCode: 0 });
    expect(jobs()).toBe(1);
  });

  test("creates a job again that is gone", async () => {
    const [look, refresh, up] = commandsFor("A job is gone");
    await engine().play({ program: orders(), config: all, posts: 1 });
    engine().services[0].removeJob(engine().live("job-1"));
    expect(await paste(look)).toMatchObject({ exitCode: 0, output: printing("job-1") });
    expect(await paste(refresh)).toMatchObject({ exitCode: 0 });
    expect(await paste(up)).toMatchObject({ exitCode: 0 });
    expect([jobs(), engine().jobs()["orders"]?.id]).toEqual([1, "job-2"]);
  });

  test("takes a duplicate out of a stack that has both", async () => {
    const [look, urns, forget = ""] = commandsFor("There is a duplicate");
    await engine().play({ program: two, posts: 2 });
    await engine().play({ run: ["config"], config: all });
    expect(await paste(look)).toMatchObject({ exitCode: 1, output: printing("duplicate of ") });
    const { output } = await paste(urns);
    const [urn = ""] = /urn:\S+::again/.exec(output) ?? [];
    const id = engine().jobs()["again"]?.id ?? "";
    await engine().play({ run: ["config"], program: orders() });
    expect(await paste(forget.replace("<urn>", urn))).toMatchObject({ exitCode: 0 });
    expect(jobs()).toBe(2);
    await call(engine().services[0], "DELETE", pathOf(engine().live(id), "/delete"));
    expect(await paste("pulumi up")).toMatchObject({ exitCode: 0 });
    expect([jobs(), Object.keys(engine().jobs())]).toEqual([1, ["orders"]]);
  });
});
