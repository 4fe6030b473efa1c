declare global {
  /** Set by jest.config.cjs: tests that read this variable run once on each host. */
  var testedHost: "dynamic" | "plugin";
}

export const isPlugin = globalThis.testedHost === "plugin";

/** How a line for the user begins. Without the plugin, lines appear under the stack, so they name the package. */
export const linePrefix = isPlugin ? "" : "data-connectivity: ";

/**
 * How many times an unconfirmed create fails again when an onError hook makes the engine repeat it. With the plugin,
 * only the answers can fail a run; with the classes, the program also fails the run.
 */
export const failsAgain = isPlugin ? 50 : 0;
export const repeated = failsAgain > 0 ? "initFailed" : "ok";
