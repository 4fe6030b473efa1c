declare global {
  /** Set by jest.config.cjs: these tests run once on each host. */
  var testedHost: "dynamic" | "plugin";
}

export const isPlugin = globalThis.testedHost === "plugin";

/** How a line for the user begins: under a stack it names the package, at a resource it need not. */
export const linePrefix = isPlugin ? "" : "data-connectivity: ";

/** The same of a line of the debug log. */
export const logPrefix = isPlugin ? "" : "[data-connectivity] ";

/**
 * How many times an unconfirmed create fails again when an onError hook makes the engine repeat it. A run of the plugin fails only
 * by its answers; one of the classes is failed by its program too.
 */
export const failsAgain = isPlugin ? 50 : 0;
export const repeated = failsAgain > 0 ? "initFailed" : "ok";
