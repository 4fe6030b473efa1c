import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest, type EngineFixture, type Outcome } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { jwt } from "../support/jwt.js";
import { job, lostReply, refresh, urn } from "../support/scenarios/scenario.js";

const config = { "data-connectivity:jobOperations": "all" };

/** Runs a message's indented commands for one resource, as a user would paste them. */
async function paste(engine: EngineFixture, message: string, name: string): Promise<void> {
  const commands = [...message.matchAll(/^ +pulumi (state .*)$/gm)].map(([, command = ""]) => command.split(" "));
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const args = command.map((arg) => arg.replace("'<urn>'", urn(name)));
    expect(await engine.run([...args, "--yes"])).toMatchObject({ exitCode: 0 });
  }
}

describeWithEngine("With jobOperations: all, what a message advises leads out:", () => {
  const engine = engineForEachTest({ config });
  const replaced = (more = "", name = "orders") =>
    job(name, `intervalValue: 6, ${more}`, 'replaceOnChanges: ["intervalValue"]');

  /** Kills a run that replaces a job, after the run has deleted the old job and its create has made the new job. */
  async function killedReplacement(): Promise<void> {
    await engine().up(job("orders"));
    await engine().killInCreate(replaced());
    await engine().run(["cancel", "--yes"]);
    const refused = await engine().up(replaced());
    expect(refused).toMatchObject({ exitCode: 1, posts: 0, output: saying('existingJobId: "job-2"') });
  }

  test("a replacement that was killed, by its own job", async () => {
    await killedReplacement();
    const adopting = replaced('existingJobId: "job-2"');
    const { output } = await engine().up(adopting);
    expect(output).toContain("If job job-1 no longer exists");
    await paste(engine(), output, "orders");
    expect(await engine().up(adopting)).toMatchObject({ exitCode: 0, posts: 0 });
    expect(engine().jobs()).toMatchObject({ orders: { id: "job-2" } });
    expect(engine().services[0].jobs).toHaveLength(1);
  });

  test("a replacement that was killed, by a new resource", async () => {
    await killedReplacement();
    const program = replaced('existingJobId: "job-2"', "items");
    expect(await engine().up(program)).toMatchObject({ exitCode: 0, posts: 0 });
    expect(engine().jobs()).toMatchObject({ items: { id: "job-2" } });
    expect(Object.keys(engine().jobs())).toEqual(["items"]);
    expect(engine().services[0].jobs).toHaveLength(1);
  });
});

describeWithEngine("With jobOperations: all and a new token in the configuration", () => {
  let accepted = "old";
  const setTo = (token: string) => ({ ...config, "data-connectivity:token": { secret: token } });
  const engine = engineForEachTest({
    config: setTo("old"),
    env: { DATA_CONNECTIVITY_TOKEN: "" },
    acceptToken: (token) => token === accepted,
  });

  test.each(["refresh", "destroy"])("a plain %s uses that of the last up, says so, and leads out", async (command) => {
    accepted = "old";
    expect(await engine().up(job("orders"))).toMatchObject({ exitCode: 0 });
    accepted = "new";
    const args = [command, "--yes", "--skip-preview"];
    const lastUp =
      "pulumi refresh and pulumi destroy use the settings of the last pulumi up: after the next step, run pulumi up";
    expect(await engine().run(args, { config: setTo("new") })).toMatchObject({ exitCode: 1, output: saying(lastUp) });
    expect(await engine().run([...args, "--run-program"])).toMatchObject({ exitCode: 0 });
    expect(engine().services[0].jobs).toHaveLength(command === "destroy" ? 0 : 1);
  });
});

const tokenOf = (sub: string) => ({
  "data-connectivity:token": { secret: jwt({ iss: "https://login.example.com", sub }) },
});

describeWithEngine(
  "With jobOperations: all and a token of another sub-account, what a message advises leads out:",
  () => {
    const engine = engineForEachTest({ config: { ...config, ...tokenOf("one") }, acceptToken: () => true });
    const useOther =
      "Use a token of the earlier account. If you set it in the stack configuration, run pulumi up before pulumi refresh or pulumi destroy";

    /** A create with the first token gets no clear answer; then comes an update with the second token. */
    async function unconfirmedOfOne(): Promise<Outcome> {
      // The search for the created job fails.
      const unseen = { kind: "reply", status: 400, on: "list", after: 1, times: 2 } as const;
      const faults = [{ ...lostReply, processed: true }, unseen];
      await engine().up(job("orders"), [], { faults, config: { "data-connectivity:timeoutSeconds": "3" } });
      return engine().up(job("orders"), [], { config: tokenOf("two") });
    }

    test("of a job, the other token, or the user's word that the account was renamed", async () => {
      await engine().up(job("orders"));
      await engine().up(job("orders"), [], { config: tokenOf("two") });
      expect(await engine().run(refresh)).toMatchObject({ exitCode: 1, requests: [], output: saying(useOther) });
      await engine().up(job("orders"), [], { config: tokenOf("one") });
      expect(await engine().run(refresh)).toMatchObject({ exitCode: 0 });
      const renamed = job("orders", 'changedAtService: "renamed"');
      expect(await engine().up(renamed, [], { config: tokenOf("two") })).toMatchObject({ exitCode: 0, posts: 0 });
      expect(await engine().run(refresh)).toMatchObject({ exitCode: 0 });
      expect(engine().jobs()).toMatchObject({ orders: { id: "job-1" } });
    });

    test("of an unconfirmed create, the other token, or the job's id", async () => {
      const refused = await unconfirmedOfOne();
      expect(refused).toMatchObject({ exitCode: 1, posts: 0, requests: [], output: saying(useOther) });
      expect(refused.output).toContain('existingJobId: "<id>"');
      expect(await engine().up(job("orders", 'existingJobId: "job-1"'))).toMatchObject({ exitCode: 0, posts: 0 });
      expect(await engine().run(refresh)).toMatchObject({ exitCode: 0 });
      expect(engine().jobs()).toMatchObject({ orders: { id: "job-1" } });
    });

    test("of an unconfirmed create, the token that sent it", async () => {
      await unconfirmedOfOne();
      expect(await engine().up(job("orders"), [], { config: tokenOf("one") })).toMatchObject({ exitCode: 0, posts: 0 });
      expect(await engine().run(refresh)).toMatchObject({ exitCode: 0 });
      expect(engine().jobs()).toMatchObject({ orders: { id: "job-1" } });
    });
  },
);
