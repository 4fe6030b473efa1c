import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, type PlayedStep } from "../support/engineFixture.js";
import { job, preview, withPreview } from "../support/scenarios/scenario.js";

describeWithEngine("One preview", () => {
  const engine = engineForAllTests();

  test("shows the problems of all jobs whose values are known, and no value of params", async () => {
    const program =
      job("orders", 'intervalUnit: "hour", logVerbosity: 9') +
      job("items", 'params: params({ sourceTable: "", sourceTabel: "S3CRET", sourceConnection: "S3CRET" })') +
      job("later", 'params: pulumi.output(params({ sourceTable: "" })), intervalValue: 0') +
      'new ScheduledQueryJob("totals", { intervalUnit: "Day", intervalValue: 1, logVerbosity: 2, params: pulumi.secret("S3CRET") });' +
      'new ScheduledQueryJob("query", { intervalUnit: "Day", intervalValue: 1, params: "S3CRET" });';
    const says = [
      'CachingJob "orders": intervalUnit is "hour". Accepted',
      "logVerbosity is 9. Accepted",
      'CachingJob "items": params.sourceTable is an empty string',
      "params.sourceTabel is not a member of params",
      'CachingJob "later": intervalValue is 0.',
      'ScheduledQueryJob "query": logVerbosity is missing',
    ];
    await engine().play({ program, run: preview, exitCode: 1, says, saysNot: ["S3CRET"] });
  });
});

describeWithEngine("A secret", () => {
  const engine = engineForAllTests();

  const program = (more = "") =>
    `
    const secret = pulumi.secret("S3CRET");
    const orders = ${job("orders", `params: params({ sourceTable: secret }), additionalParams: { note: [secret] }, intervalValue: pulumi.secret(424242) ${more}`)}
    const whole = ${job("whole", "params: secret.apply((sourceTable) => params({ sourceTable })), logVerbosity: 3")}
    const totals = new ScheduledQueryJob("totals", { intervalUnit: "Day", intervalValue: 1, logVerbosity: 2,
      params: { query: secret, deep: [{ text: secret }] } });
    module.exports = { orders: orders.job, whole: whole.job.params.sourceTable, totals: totals.job };`;

  test("is nowhere in state, in messages or in job", async () => {
    const play = (step: PlayedStep) => engine().play({ ...step, saysNot: ["S3CRET", "42424"] });
    await play({ program: program(), posts: 3 });
    const sent = engine().services[0].jobs.map(({ params }) => JSON.stringify(params).includes("S3CRET"));
    expect(sent).toEqual([true, true, true]);
    const run = ["preview", "--diff"];
    const changed = program(", enabled: false").replace('"S3CRET"', '"S3CRET-2"');
    const { output } = await play({ program: changed, run, exitCode: 1 });
    expect(output).toMatch(/params\.\w+ \(values are not shown: they may be secret\)/);
    const later = program().replace("424242", "424243");
    await play({ program: later, run, exitCode: 1, says: ["intervalValue (values are not shown"] });
    await play({ program: program(', definedNextRun: "2030-01-01T00:00:00Z"'), run: [...withPreview, "--diff"] });
    await play({ run: ["refresh", "--yes", "--diff"] });
    expect(engine().stack.stateText()).not.toContain("S3CRET");
    await engine().play({ run: ["stack", "output", "--show-secrets", "whole"], says: ["S3CRET"] });
  });
});
