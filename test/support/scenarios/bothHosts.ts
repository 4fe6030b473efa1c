import { input } from "../../../provider/src/lifecycle/messages.js";
import type { Program } from "../plugin/languages.js";
import type { Scenario, Step } from "./scenario.js";

/** One command of a user whose program may use either host. URNs are those of the classes. */
export interface SharedStep extends Step {
  /** The steps with the plugin where they are other ones: each is this one but for what it names. */
  readonly withPlugin?: readonly Omit<Partial<SharedStep>, "withPlugin">[];
}

/** A scenario in which either host has the same meaning. */
export interface SharedScenario extends Omit<Scenario, "host" | "steps"> {
  readonly steps: readonly SharedStep[];
}

/** The way out that names a job. */
export const adopting = (id: string): string => input("existingJobId", id);

/** Each scenario with the classes, and with a YAML program and the plugin. */
export const onBothHosts = (scenarios: readonly SharedScenario[]): readonly Scenario[] => [
  ...scenarios,
  ...scenarios.map(withPlugin),
];

function withPlugin({ file, title, steps }: SharedScenario): Scenario {
  let config: Step["config"] = {};
  const others = steps.flatMap((step) => (step.withPlugin ?? [{}]).map((other) => ({ ...step, ...other })));
  const stepsOfPlugin = others.map((step) => {
    const { program, run } = step;
    config = { ...config, ...step.config };
    const canDelete = config["data-connectivity:jobOperations"] === "all";
    return {
      ...step,
      run: run.map((arg) => arg.replace("pulumi-nodejs:dynamic/data-connectivity:", "data-connectivity:index:")),
      ...(program && { program: canDelete ? program : kept(program) }),
    };
  });
  return { file: `plugin/${file}`, host: "plugin", title: `With the plugin: ${title}`, steps: stepsOfPlugin };
}

/** With the options that the classes set by themselves where jobs cannot be deleted, and that a plugin leaves to the program. */
const kept = (program: Program): Program =>
  Object.fromEntries(
    Object.entries(program).map(([name, declared]) => [
      name,
      { ...declared, options: { protect: true, retainOnDelete: true, ...declared.options } },
    ]),
  );
