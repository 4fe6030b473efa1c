// Both serve only to serialize functions, which no provider does, and are two thirds of the time that the SDK takes to load.
exports.loadedWhenUsed = {
  "../../typescript-shim": require.resolve("./typescript.cjs"),
  "@npmcli/arborist": require.resolve("./arborist.cjs"),
};
