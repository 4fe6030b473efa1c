import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, type PlayedStep } from "../support/engineFixture.js";
import { job, preview, withPreview } from "../support/scenarios/scenario.js";

const correcting = `pulumi.runtime.registerResourceTransform(({ type, props, opts }) =>
  type.includes("data-connectivity") ? { props: { ...props, intervalUnit: "Day", logVerbosity: 2 }, opts } : undefined);`;

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
      'warning: CachingJob "orders": intervalUnit is "hour". Accepted',
      'warning: CachingJob "orders": logVerbosity is 9. Accepted',
      'warning: CachingJob "items": params.sourceTable is an empty string',
      'warning: CachingJob "items": params.sourceTabel is not a member of params',
      'warning: CachingJob "later": intervalValue is 0.',
      'warning: ScheduledQueryJob "query": logVerbosity is missing',
    ];
    const { output } = await engine().play({ program, run: preview, exitCode: 1, says, saysNot: ["S3CRET"] });
    // The first failed check ends the program, and shows the problems of its own job only.
    expect(output).toMatch(/error: .* resource '\w+' has a problem: /);
  });

  test("refuses values that Pulumi would change, beside the other problems of their job", async () => {
    const program =
      "const cycle = {}; cycle.self = cycle;" +
      job(
        "orders",
        'intervalUnit: "hour", intervalValue: 4n, logVerbosity: NaN, additionalParams: { since: new Date(0), cycle }',
      );
    const says = [
      'CachingJob "orders": intervalUnit is "hour". Accepted',
      'CachingJob "orders": intervalValue is a BigInt. Accepted',
      'CachingJob "orders": logVerbosity is NaN. Accepted',
      'CachingJob "orders": additionalParams.since is an object of the class Date. Accepted',
      'CachingJob "orders": additionalParams.cycle is an object. Accepted',
    ];
    await engine().play({ program, run: preview, exitCode: 1, says, saysNot: ["unhandled exception"] });
  });

  test("succeeds where a transform corrects a value, and warns of identical declarations", async () => {
    const program =
      correcting +
      job("orders", 'intervalUnit: "hour", logVerbosity: 9') +
      job("items") +
      job("duplicate") +
      job("eu", 'existingJobId: "7"');
    const says = [
      'warning: CachingJob "duplicate": it declares a job for the same source as CachingJob "items", and the service creates two of them.',
      'CachingJob "eu": job 7 is adopted. Nothing is sent',
    ];
    const { output } = await engine().play({ program, run: preview, says });
    // An adopted job is no duplicate: nothing is created.
    expect(output).not.toMatch(/error|warning: .*("orders"|"eu")/);
  });

  test("succeeds where a transform corrects the values of several jobs, and warns of them", async () => {
    const program = correcting + job("orders", 'intervalUnit: "hour"') + job("items", "logVerbosity: 9");
    const says = [
      'warning: CachingJob "orders": intervalUnit is "hour".',
      'warning: CachingJob "items": logVerbosity is 9.',
    ];
    await engine().play({ program, run: preview, says, saysNot: ["error"] });
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
