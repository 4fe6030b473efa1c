const { default: Sequencer } = require("@jest/test-sequencer");

/** If one of these test files starts last, its processor is busy for half a minute after all others have finished. */
const longest = [
  ...["process/replay", "process/keptJobs", "world/play"],
  ...["package/pack", "package/layouts", "docs/commands", "lifecycle/rateLimit"],
  ...["engine/killedClassesCreate", "engine/killedClassesAll", "engine/killedPluginCreate", "engine/killedPluginAll"],
  ...["examples/folders", "cli/asProgram"],
];
const rank = ({ path }) => {
  const place = longest.findIndex((name) => path.replaceAll("\\", "/").endsWith(`test/${name}.test.ts`));
  return place === -1 ? longest.length : place;
};

/** Puts the longest files first. In a fresh clone, without times from an earlier run, Jest sorts by file size. */
module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
};
