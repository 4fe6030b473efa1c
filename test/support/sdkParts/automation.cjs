const { whenUsed } = require("./whenUsed.cjs");

module.exports = whenUsed(() => require("@pulumi/pulumi/automation"));
