import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest, type Outcome } from "../support/engineFixture.js";
import { jwt } from "../support/jwt.js";
import { classes, yaml } from "../support/plugin/languages.js";
import { job, lostReply, orders, refresh } from "../support/scenarios/scenario.js";

const config = { "data-connectivity:jobOperations": "all" };
describeWithEngine("With jobOperations: all, what a message advises leads out:", () => {
  const engine = engineForEachTest({ config });
  const replaced = () => job("orders", "intervalValue: 6", 'replaceOnChanges: ["intervalValue"]');

  test("a replacement that was killed in the create is found by the next run", async () => {
    await engine().play({ program: job("orders"), posts: 1 });
    await engine().killInCreate(replaced());
    await engine().play({ run: ["cancel", "--yes"] });
    const says = ["the unconfirmed create of a killed run made job job-2. It is recorded as created."];
    await engine().play({ says, state: { orders: { id: "job-2" } } });
    expect(engine().services[0].jobs).toHaveLength(1);
  });
});

describeWithEngine.each([classes, yaml])("With jobOperations: all and a new token: $name", (language) => {
  let accepted = "old";
  const setTo = (token: string) => ({ ...config, "data-connectivity:token": { secret: token } });
  const engine = engineForEachTest({
    language,
    config: setTo("old"),
    env: { DATA_CONNECTIVITY_TOKEN: "" },
    acceptToken: (token) => token === accepted,
  });

  test.each(["refresh", "destroy"])("a plain %s uses that of the last up, says so, and leads out", async (command) => {
    accepted = "old";
    await engine().play({ program: orders(), posts: 1 });
    accepted = "new";
    const run = [command, "--yes", "--skip-preview"];
    const lastUp =
      "After you correct the token, run pulumi up first: pulumi refresh and pulumi destroy use the settings of the last pulumi up. Or run them with --run-program.";
    await engine().play({ run, config: setTo("new"), exitCode: 1, says: [lastUp] });
    await engine().play({ run: [...run, "--run-program"] });
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
      "Use a token of that account. If you set it in the stack configuration, run pulumi up before pulumi refresh or pulumi destroy";
    const state = { orders: { id: "job-1" } };

    /** A create with the first token gets no clear answer; then comes an update with the second token. */
    async function unconfirmedOfOne(): Promise<Outcome> {
      // The search for the created job fails.
      const unseen = { kind: "reply", status: 400, on: "list", after: 1, times: 2 } as const;
      const faults = [{ ...lostReply, processed: true }, unseen];
      const timeout = { "data-connectivity:timeoutSeconds": "3" };
      await engine().play({ program: job("orders"), faults, config: timeout, exitCode: 1, posts: 1 });
      return engine().play({ config: tokenOf("two"), exitCode: 1, requests: [], says: [useOther] });
    }

    test("of a job, the other token, or the user's word that the account was renamed", async () => {
      await engine().play({ program: job("orders"), posts: 1 });
      await engine().play({ config: tokenOf("two") });
      await engine().play({ run: refresh, exitCode: 1, requests: [], says: [useOther] });
      await engine().play({ config: tokenOf("one") });
      await engine().play({ run: refresh });
      await engine().play({ program: job("orders", 'changedAtService: "renamed"'), config: tokenOf("two") });
      await engine().play({ run: refresh, state });
    });

    test("of an unconfirmed create, the other token, or the new subject and the job's id", async () => {
      const { output } = await unconfirmedOfOne();
      expect(output).toContain("pulumi config set --stack test data-connectivity:subject <sub>");
      expect(output).toContain("DATA_CONNECTIVITY_ADOPT_UNCONFIRMED=");
      const config = { "data-connectivity:subject": "two" };
      await engine().play({ program: job("orders", 'existingJobId: "job-1"'), config });
      await engine().play({ run: refresh, state });
    });

    test("of an unconfirmed create, the token that sent it", async () => {
      await unconfirmedOfOne();
      await engine().play({ config: tokenOf("one") });
      await engine().play({ run: refresh, state });
    });
  },
);
