import type { JsonObject } from "../../../provider/src/json.js";
import { adopting, onBothHosts, type SharedScenario } from "./bothHosts.js";
import { caching, created, inTeam, optIn, orders, up, urn } from "./scenario.js";

const replaceOnChanges = ["intervalValue"];
const formerly = (name: string) => ({ aliases: [{ name }] });

const renamed: SharedScenario = {
  file: "renamedAndReplaced",
  title:
    "A job that was renamed by an alias is replaced by one DELETE and one create, in the same run and in a later one",
  steps: [
    optIn,
    {
      program: { sales: caching({ intervalValue: 6 }, { ...formerly("orders"), replaceOnChanges }) },
      posts: 1,
      state: { sales: { id: "job-2" } },
    },
    // The classes record the name.
    {
      program: orders({ intervalValue: 6 }, formerly("sales")),
      says: ["1 updated"],
      withPlugin: [{ says: ["2 unchanged"] }],
    },
    {
      program: orders({ intervalValue: 8 }, { ...formerly("sales"), replaceOnChanges }),
      posts: 1,
      says: ["1 replaced"],
      state: { orders: { id: "job-3" } },
    },
    { program: {}, says: ["1 deleted"], state: {} },
  ],
};

const firstJob = { existingJobId: "job-1" };
const namesake = { name: "orders", ...caching(firstJob, { parent: "${orders}" }) };

const kept: SharedScenario = {
  file: "keptByItsName",
  title: "A job that the declaration names stays: a retained replacement adopts it, and no namesake gets it",
  steps: [
    optIn,
    {
      program: { ...orders(firstJob), namesake },
      exitCode: 1,
      says: ["of this stack already has job job-1, and two resources must not share a job"],
    },
    {
      program: orders({ intervalValue: 9, ...firstJob }, { replaceOnChanges }),
      exitCode: 1,
      says: ["job job-1 was not deleted and stays in the state", "remove existingJobId from the declaration"],
      state: { orders: { id: "job-1" } },
    },
    {
      atService: { job: "job-1", changes: { intervalValue: 9 } },
      program: orders({ intervalValue: 9, ...firstJob }, { retainOnDelete: true, replaceOnChanges }),
      says: ["1 replaced"],
      state: { orders: { id: "job-1", outputs: { origin: { outcome: "adopted" } } } },
      // The classes see that retainOnDelete is declared. A plugin's job is kept only if the previous run saved the option.
      withPlugin: [
        { program: orders(firstJob, { retainOnDelete: true }), says: ["2 unchanged"], state: { orders: {} } },
        {},
      ],
    },
  ],
};

const retainOnDelete = { retainOnDelete: true };
/** A YAML program has no components, so the job itself has the option. */
const ofTeam = (more?: JsonObject) => ({
  program: inTeam(orders(more), retainOnDelete),
  withPlugin: [{ program: orders(more, retainOnDelete) }],
});

const inTeams = "x:index:Team$x:index:Team$";

const retainedReplacement: SharedScenario = {
  file: "retainedReplacement",
  title: "A replacement of a job that its component retains adopts that job again",
  steps: [
    { ...optIn, ...ofTeam(), state: { orders: { ...created, retainOnDelete: true } } },
    {
      run: [...up, "--replace", urn("orders", inTeams)],
      withPlugin: [{ run: [...up, "--replace", urn("orders")] }],
      exitCode: 1,
      says: [adopting("job-1")],
      state: { orders: { id: "job-1" } },
    },
    {
      exitCode: 1,
      says: [adopting("job-1")],
      saysNot: ["Remove one of the two declarations"],
      // With the classes, the resource was deleted first, and is still to be replaced.
      withPlugin: [{ exitCode: 0, says: ["2 unchanged"] }],
    },
    { ...ofTeam(firstJob), state: { orders: { id: "job-1" } } },
    {
      run: [...up, "--replace", urn("orders", inTeams)],
      withPlugin: [{ run: [...up, "--replace", urn("orders")] }],
      says: ["1 replaced"],
      state: { orders: { id: "job-1", outputs: { origin: { outcome: "adopted" } } } },
    },
    { ...ofTeam(), says: ["1 updated"] },
  ],
};

/** The scenarios about which resource has which job, in a stack with all job operations. */
export const scenariosOfOwnership = onBothHosts([renamed, kept, retainedReplacement]);
