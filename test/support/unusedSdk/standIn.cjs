// Marked as compiled from ESM, so that importing it does not copy it.
const members = { __esModule: true };

module.exports = new Proxy(members, {
  get(_, member) {
    if (member in members) return members[member];
    throw new Error(
      `test/support/unusedSdk: a test uses ${String(member)} of a part of the SDK that it does not load.`,
    );
  },
});
