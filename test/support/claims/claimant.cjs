// A provider process of a run, as far as claims go: it answers what its parent asks.
const { Claims } = require("../../../provider/dist/hosts/claims/claims.js");

const problems = [];
const claims = new Claims((text) => problems.push(text));
process.on("message", ({ id, ask, what, claimant }) => {
  const answer = ask === "problems" ? problems : claims[ask](what, claimant);
  process.send({ id, answer });
});
process.send({ id: 0 });
