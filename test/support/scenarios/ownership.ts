import { created, inComponent, job, optIn, up, urn, type Scenario } from "./scenario.js";

const alias = (name: string, more: string) =>
  job("sales", more, `aliases: [{ name: "${name}" }], replaceOnChanges: ["intervalValue"]`);

const renamed: Scenario = {
  file: "renamedAndReplaced",
  title:
    "A job that was renamed by an alias is replaced by one DELETE and one create, in the same run and in a later one",
  steps: [
    optIn,
    { program: alias("orders", "intervalValue: 6"), run: up, exitCode: 0, posts: 1, state: { sales: { id: "job-2" } } },
    {
      program: job("orders", "intervalValue: 6", 'aliases: [{ name: "sales" }]'),
      run: up,
      exitCode: 0,
      says: ["2 unchanged"],
    },
    {
      program: job("orders", "intervalValue: 8", 'aliases: [{ name: "sales" }], replaceOnChanges: ["intervalValue"]'),
      run: up,
      exitCode: 0,
      posts: 1,
      says: ["1 replaced"],
      state: { orders: { id: "job-3" } },
    },
    { program: "", run: up, exitCode: 0, says: ["1 deleted"], state: {} },
  ],
};

const inTeam = (more: string) =>
  `new (class extends pulumi.ComponentResource { constructor() { super("test:Team", "team");
    ${job("orders", more, "parent: this, dependsOn: [orders]")} } })();`;

const kept: Scenario = {
  file: "keptByItsName",
  title: "A job that the declaration names stays: a retained replacement adopts it, and no namesake gets it",
  steps: [
    optIn,
    {
      program: `const orders = ${job("orders", 'existingJobId: "job-1"')} ${inTeam('existingJobId: "job-1"')}`,
      run: up,
      exitCode: 1,
      says: ["of this program has job job-1 already, and two resources must not have one job"],
    },
    {
      program: job("orders", 'intervalValue: 9, existingJobId: "job-1"', 'replaceOnChanges: ["intervalValue"]'),
      run: up,
      exitCode: 1,
      says: ["job job-1 was not deleted and stays in the state", "remove existingJobId from the declaration"],
      state: { orders: { id: "job-1" } },
    },
    {
      atService: { job: "job-1", changes: { intervalValue: 9 } },
      program: job(
        "orders",
        'intervalValue: 9, existingJobId: "job-1"',
        'retainOnDelete: true, replaceOnChanges: ["intervalValue"]',
      ),
      run: up,
      exitCode: 0,
      says: ["1 replaced"],
      state: { orders: { id: "job-1", outputs: { origin: { outcome: "adopted" } } } },
    },
  ],
};

const ofTeam = (more = "") => inComponent("retainOnDelete: true", job("orders", more, "parent"));

const retainedReplacement: Scenario = {
  file: "retainedReplacement",
  title: "A replacement of a job that its component retains adopts that job again",
  steps: [
    { ...optIn, program: ofTeam(), state: { orders: { ...created, retainOnDelete: true } } },
    {
      run: [...up, "--replace", urn("orders", "x:index:Team$x:index:Team$")],
      exitCode: 1,
      says: ['existingJobId: "job-1"'],
      state: { orders: { id: "job-1" } },
    },
    { run: up, exitCode: 1, says: ['existingJobId: "job-1"'], saysNot: ["Remove one of the two declarations"] },
    { program: ofTeam('existingJobId: "job-1"'), run: up, exitCode: 0, state: { orders: { id: "job-1" } } },
    { program: ofTeam(), run: up, exitCode: 0, says: ["1 updated"] },
  ],
};

/** Who has which job: what a stack does that opted in to all job operations. */
export const scenariosOfOwnership: readonly Scenario[] = [renamed, kept, retainedReplacement];
