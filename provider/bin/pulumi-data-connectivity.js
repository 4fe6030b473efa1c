#!/usr/bin/env node
// Not built, so that npm finds it in a fresh clone when it links commands.
require("../dist/cli/main.js");
