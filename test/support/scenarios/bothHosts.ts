import { classes, type Program } from "../plugin/languages.js";
import { withPlugin, type Scenario, type ScenarioOf, type Step } from "./scenario.js";

/** One command of a user whose program may use either host. URNs are the classes' URNs. */
export interface SharedStep extends Step {
  /** What the plugin runs instead of this step. Each entry has only what differs from this step. */
  readonly withPlugin?: readonly Step[];
}

/** A scenario that has the same meaning on both hosts. */
export type SharedScenario = ScenarioOf<SharedStep>;

/** The command that a message offers for adopting the job of an unconfirmed create. */
export const namingForOneRun = "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED='{";

/** The input that a message offers for adopting a job. */
export const adopting = (id: string): string => `existingJobId: "${id}"`;

/** Each scenario twice: with the classes, and with a YAML program and the plugin. */
export const onBothHosts = (scenarios: readonly SharedScenario[]): readonly Scenario[] => [
  ...scenarios.map((scenario) => ({ ...scenario, language: classes })),
  ...scenarios.map(({ file, title, steps }) =>
    withPlugin({ file, title: `With the plugin: ${title}`, steps: stepsWithPlugin(steps) }),
  ),
];

function stepsWithPlugin(steps: readonly SharedStep[]): Step[] {
  let config: Step["config"] = {};
  const others = steps.flatMap((step) => (step.withPlugin ?? [{}]).map((other) => ({ ...step, ...other })));
  return others.map((step) => {
    const { program, run, env } = step;
    config = { ...config, ...step.config };
    const canDelete = config["data-connectivity:jobOperations"] === "all";
    return {
      ...step,
      ...(run && { run: run.map(ofPlugin) }),
      ...(env && { env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, ofPlugin(value)])) }),
      ...(program && { program: canDelete ? program : kept(program) }),
    };
  });
}

const ofPlugin = (text: string): string =>
  text.replaceAll("pulumi-nodejs:dynamic/data-connectivity:", "data-connectivity:index:");

/**
 * Adds the options for jobs that cannot be deleted. The classes set these options themselves; with the plugin, the
 * program must.
 */
const kept = (program: Program): Program =>
  Object.fromEntries(
    Object.entries(program).map(([name, declared]) => [
      name,
      { ...declared, options: { protect: true, retainOnDelete: true, ...declared.options } },
    ]),
  );
