// The part of a provider process that handles claims. This process answers calls of its parent process.
const fs = require("node:fs");

const { readlinkSync } = fs;
const { TEST_NETWORK } = process.env;
if (TEST_NETWORK) fs.readlinkSync = (path) => (path === "/proc/self/ns/net" ? TEST_NETWORK : readlinkSync(path));
const { RunClaims } = require("../../../provider/dist/hosts/claims/claims.js");
const { logOfRun } = require("../../../provider/dist/hosts/claims/runLog.js");
const { engineAddress } = require("../../../provider/dist/hosts/engine.js");

const problems = [];
const engine = engineAddress();
const claims = new RunClaims((text) => problems.push(text), engine && logOfRun(engine));
// Async, because a host answers a call with a promise.
process.on("message", async ({ ask, what, holder }) => {
  const answer = await (ask === "problems"
    ? problems
    : claims[ask](...(ask === "elsewhere" ? [what] : [what, holder])));
  process.send({ answer });
});
process.send({});
