/** The engine's own messages, as worded by the version that the tests run. Pages may quote them. */
export const engineMessages = {
  protectedJob: "because it is protected",
  killedRun: "pending operations from previous deployment",
  otherRun: "the stack is currently locked",
  imported: "Cannot read properties of undefined (reading 'toJavaScript')",
  packageMissing: "Cannot find module 'pulumi-data-connectivity/dynamic/v1'",
  programThrew: "Program failed with an unhandled exception",
  pythonStopped: "KeyboardInterrupt",
} as const;
