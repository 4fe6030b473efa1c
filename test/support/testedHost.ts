declare global {
  /** Set by jest.config.cjs: tests that read this variable run once on each host. */
  var testedHost: "dynamic" | "plugin";
}

export const isPlugin = globalThis.testedHost === "plugin";
