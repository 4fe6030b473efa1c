const { whenUsed } = require("./whenUsed.cjs");

module.exports = whenUsed(() => require("@npmcli/arborist/lib/index.js"));
