import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { registryPages } from "./registry.js";

// `npm run pack` runs this.
for (const [name, text] of Object.entries(registryPages())) writeFileSync(resolve(__dirname, "../../docs", name), text);
