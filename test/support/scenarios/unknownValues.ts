import { unknowns } from "../plugin/unknowns.js";
import { caching, orders, preview, up, type Scenario } from "./scenario.js";

const all = { additionalParams: Object.fromEntries(unknowns) };

/**
 * A preview of a program that passes an unknown value of each type to the engine, which no SDK does. Engine 3.248
 * passes each on as an unknown string.
 */
export const unknownValues: Scenario = {
  file: "plugin/unknownValues",
  host: "plugin",
  language: "withoutSdk",
  title: "Values of every type that are not known yet wait, in a new job and in one that exists",
  steps: [
    { program: orders(), run: up, exitCode: 0, posts: 1, state: { orders: { id: "job-1" } } },
    {
      program: { ...orders(all), items: caching(all) },
      run: [...preview, "--diff"],
      exitCode: 0,
      says: ['CachingJob "orders": additionalParams is known only during pulumi up.'],
    },
  ],
};
