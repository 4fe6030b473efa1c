import { caching, ofTable, orders, withPlugin, type Scenario, type ScenarioOf, type Step } from "./scenario.js";

const dependsOn = ["${orders}"];
/** `items` is created before `sales` and `stores`, which wait until the engine is done with `orders`. */
const four = {
  ...orders(),
  items: caching(ofTable("ITEMS")),
  sales: caching(ofTable("SALES"), { dependsOn }),
  stores: caching(ofTable("STORES"), { dependsOn }),
};
/** A create waits for that of `items`. */
const oneWaits = /(?:sales|stores) creating/;
const [made, more] = [
  { orders: { id: "job-1" }, items: { id: "job-2" } },
  { sales: {}, stores: {} },
];

const interrupted = (mode: string): ScenarioOf<Step> => ({
  file: `interruptedWith-${mode}`,
  title: `With jobOperations ${mode} Ctrl-C sends no create that waits, and records the one in flight`,
  steps: [
    {
      config: { "data-connectivity:jobOperations": mode },
      program: orders(),
      posts: 1,
      state: { orders: { id: "job-1" } },
    },
    {
      program: four,
      faults: [{ kind: "delay", on: "create", seconds: 0 }],
      interrupted: oneWaits,
      exitCode: 1,
      posts: 1,
      says: ["The run was cancelled. No job was created: the create was not sent. Run the command again."],
      state: made,
    },
    { posts: 2, says: ["2 created"], state: { ...made, ...more } },
  ],
});

const unconfirmed = { orders: { id: "job-1" }, items: { outputs: { origin: { outcome: "unconfirmed" } } } };

const unanswered: ScenarioOf<Step> = {
  file: "interruptedUnanswered",
  title: "Ctrl-C waits for the create in flight, and records it as unconfirmed where no answer comes",
  steps: [
    { config: { "data-connectivity:timeoutSeconds": "3" }, program: orders(), posts: 1 },
    {
      program: four,
      faults: [
        { kind: "delay", on: "sources", seconds: 0 },
        { kind: "silence", on: "create", processed: true },
      ],
      interrupted: oneWaits,
      exitCode: 1,
      posts: 1,
      says: ["The run was cancelled. No job was created: the create was not sent.", "is recorded as unconfirmed-"],
      state: unconfirmed,
    },
    {
      program: { ...orders(), items: caching(ofTable("ITEMS")) },
      exitCode: 1,
      says: ["is still unconfirmed (unconfirmed-"],
      state: unconfirmed,
    },
  ],
};

/** What an interrupted run leaves behind. */
export const scenariosOfInterruptions: readonly Scenario[] = [
  interrupted("create"),
  interrupted("all"),
  unanswered,
].map(withPlugin);
