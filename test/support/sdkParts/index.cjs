// Modules used only to serialize functions and to run stacks, which no provider does. They are three quarters of what
// the SDK loads.
exports.loadedWhenUsed = {
  "../../typescript-shim": require.resolve("./typescript.cjs"),
  "@npmcli/arborist": require.resolve("./arborist.cjs"),
  "normalize-package-data": require.resolve("./packageData.cjs"),
  "./automation": require.resolve("./automation.cjs"),
};
