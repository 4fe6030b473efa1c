const { whenUsed } = require("./whenUsed.cjs");

module.exports = whenUsed(() => ({ default: require("normalize-package-data/lib/normalize.js") }));
