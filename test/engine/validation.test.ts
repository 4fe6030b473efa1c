import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { matching, saying } from "../support/matchers.js";
import { caching, job, ofTable, preview, up } from "../support/scenarios/scenario.js";

const correcting = `pulumi.runtime.registerResourceTransform(({ type, props, opts }) =>
  type.includes("data-connectivity") ? { props: { ...props, intervalUnit: "Day", logVerbosity: 2 }, opts } : undefined);`;

/** Looks only at the CLI's list of diagnostics, which repeats all messages above the list. */
function saysOnce(output: string, texts: readonly string[]): void {
  const diagnostics = output.slice(output.indexOf("Diagnostics:"));
  expect(diagnostics).toMatch(/resource '\w+' has a problem: /);
  expect(diagnostics).not.toContain("warning:");
  for (const text of texts) expect([text, diagnostics.split(text).length - 1]).toEqual([text, 1]);
}

describeWithEngine("One preview", () => {
  const engine = engineForAllTests();

  test("shows the problems of all jobs whose values are known, and no value of params", async () => {
    const { exitCode, output } = await engine().preview(
      job("orders", 'intervalUnit: "hour", logVerbosity: 9') +
        job("items", 'params: params({ sourceTable: "", sourceTabel: "S3CRET", sourceConnection: "S3CRET" })') +
        job("later", 'params: pulumi.output(params({ sourceTable: "" })), intervalValue: 0') +
        'new ScheduledQueryJob("totals", { intervalUnit: "Day", intervalValue: 1, logVerbosity: 2, params: pulumi.secret("S3CRET") });' +
        'new ScheduledQueryJob("query", { intervalUnit: "Day", intervalValue: 1, params: "S3CRET" });',
    );
    expect(exitCode).toBe(1);
    const problems = [
      ...[
        'CachingJob "orders": intervalUnit (Python: interval_unit) is "hour". Accepted',
        "logVerbosity (Python: log_verbosity) is 9. Accepted",
      ],
      ...[
        'CachingJob "items": params.sourceTable (Python: source_table) is an empty string',
        "params.sourceTabel is not a member of params",
      ],
      ...[
        'CachingJob "later": intervalValue (Python: interval_value) is 0.',
        'ScheduledQueryJob "query": logVerbosity (Python: log_verbosity) is missing',
      ],
    ];
    saysOnce(output, problems);
    expect(output).not.toContain("S3CRET");
  });

  test("shows values that Pulumi cannot hand over beside the problems of the other jobs", async () => {
    const { exitCode, output } = await engine().preview(
      "const cycle = {}; cycle.self = cycle;" +
        job("orders", "intervalValue: 4n, additionalParams: { since: new Date(0), cycle }") +
        job("items", "logVerbosity: NaN") +
        job("later", 'intervalUnit: "hour"'),
    );
    expect(exitCode).toBe(1);
    const problems = [
      ...[
        'CachingJob "orders": intervalValue is a BigInt, which',
        "additionalParams.since is an object of the class Date",
      ],
      ...["additionalParams.cycle.self is an object that contains itself", 'CachingJob "items": logVerbosity is NaN'],
      'CachingJob "later": intervalUnit (Python: interval_unit) is "hour"',
    ];
    saysOnce(output, problems);
    expect(output).not.toContain("unhandled exception");
  });

  test("succeeds where a transform corrects a value, and warns of identical declarations", async () => {
    const { exitCode, output } = await engine().preview(
      correcting +
        job("orders", 'intervalUnit: "hour", logVerbosity: 9') +
        job("items") +
        job("duplicate") +
        job("eu", 'existingJobId: "7"'),
    );
    expect(exitCode).toBe(0);
    expect(output).toContain(
      'warning: CachingJob "duplicate": it declares the same job as CachingJob "items", and the service creates two of them.',
    );
    // An adopted job is no duplicate: nothing is created.
    expect(output).not.toMatch(/error|warning: .*"eu"/);
    expect(output).toContain('CachingJob "eu": job 7 is adopted. Nothing is sent');
  });
});

describeWithEngine.each([undefined, "plugin"] as const)("A message that is cut at an emoji (host: %s)", (host) => {
  const engine = engineForAllTests({ host });
  const start = "a".repeat(97);
  const orders = (table: string) => ({ orders: caching(ofTable(table)) });

  test("ends no run but by its refusal", async () => {
    expect(await engine().run(up, { program: orders(`${start}😀tail`) })).toMatchObject({ exitCode: 0, posts: 1 });
    const refused = await engine().run(preview, { program: orders("OTHER") });
    expect(refused).toMatchObject({ exitCode: 1, output: saying(`params.sourceTable: "${start}… → "OTHER"`) });
    expect(refused.output).not.toMatch(/exited prematurely|URI malformed/);
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
    const made = await engine().up(program());
    expect(made).toMatchObject({ exitCode: 0, posts: 3 });
    expect(engine().services[0].jobs.map(({ params }) => JSON.stringify(params).includes("S3CRET"))).toEqual([
      true,
      true,
      true,
    ]);
    const refused = await engine().run(["preview", "--diff"], {
      program: program(", enabled: false").replace('"S3CRET"', '"S3CRET-2"'),
    });
    expect(refused).toMatchObject({
      exitCode: 1,
      output: matching(/params\.\w+ \(values are not shown: they may be secret\)/),
    });
    const interval = await engine().run(["preview", "--diff"], { program: program().replace("424242", "424243") });
    expect(interval).toMatchObject({ exitCode: 1, output: matching("intervalValue \\(values are not shown") });
    const noted = await engine().run(["up", "--yes", "--diff"], {
      program: program(', definedNextRun: "2030-01-01T00:00:00Z"'),
    });
    expect(noted).toMatchObject({ exitCode: 0, posts: 0 });
    const refreshed = await engine().run(["refresh", "--yes", "--diff"]);
    expect(refreshed).toMatchObject({ exitCode: 0, posts: 0 });
    for (const { output } of [made, refused, interval, noted, refreshed]) expect(output).not.toMatch(/S3CRET|42424/);
    expect(engine().stack.stateText()).not.toContain("S3CRET");
    expect((await engine().run(["stack", "output", "--show-secrets", "whole"])).output).toContain("S3CRET");
  });
});
