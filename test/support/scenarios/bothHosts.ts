import { anyLanguage, typescript } from "../../../provider/src/hosts/dialects.js";
import type { Dialect } from "../../../provider/src/lifecycle/index.js";
import type { Program } from "../plugin/languages.js";
import type { Scenario, Step } from "./scenario.js";

/** A text of a message, in which inputs and options stand as the program's language has them. */
type Said = string | ((dialect: Dialect) => string);

/** One command of a user whose program may use either host. URNs are those of the classes. */
export interface SharedStep extends Omit<Step, "says"> {
  readonly says?: readonly Said[];
  /** The steps with the plugin where they are other ones: each is this one but for what it names. */
  readonly withPlugin?: readonly Omit<Partial<SharedStep>, "withPlugin">[];
}

/** A scenario in which either host has the same meaning. */
export interface SharedScenario extends Omit<Scenario, "host" | "steps"> {
  readonly steps: readonly SharedStep[];
}

/** The way out that names a job. */
export const adopting =
  (id: string): Said =>
  (dialect) =>
    dialect.input("existingJobId", id);

/** Each scenario with the classes, and with a YAML program and the plugin. */
export const onBothHosts = (scenarios: readonly SharedScenario[]): readonly Scenario[] => [
  ...scenarios.map(withClasses),
  ...scenarios.map(withPlugin),
];

const withClasses = (scenario: SharedScenario): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => inWords(step, typescript)),
});

function withPlugin({ file, title, steps }: SharedScenario): Scenario {
  let config: Step["config"] = {};
  const others = steps.flatMap((step) => (step.withPlugin ?? [{}]).map((other) => ({ ...step, ...other })));
  const stepsOfPlugin = others.map((shared) => {
    const step = inWords(shared, anyLanguage);
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

const inWords = ({ says = [], ...step }: SharedStep, dialect: Dialect): Step => ({
  ...step,
  says: says.map((text) => (typeof text === "string" ? text : text(dialect))),
});
