/** What the engine itself says, in the words of the version that the tests run: a page may quote these. */
export const engineMessages = {
  protectedJob: "because it is protected",
  killedRun: "pending operations from previous deployment",
  otherRun: "the stack is currently locked",
  imported: "Cannot read properties of undefined (reading 'toJavaScript')",
  packageMissing: "Cannot find module 'pulumi-data-connectivity/dynamic/v1'",
  programThrew: "Program failed with an unhandled exception",
  lookUpFailed: 'error serializing property "params"',
  pythonStopped: "KeyboardInterrupt",
} as const;
