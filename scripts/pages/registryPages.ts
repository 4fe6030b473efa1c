import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { settingsMarkdown } from "../schema/settings.js";

// Pages for the Pulumi Registry, which takes the pages from a release's docs folder. `npm run pack` writes them.
const docs = resolve(__dirname, "../../docs");
const page = readFileSync(resolve(docs, "other-languages.md"), "utf8");
const goProgram = readFileSync(resolve(docs, "../examples/go/main.go"), "utf8");

/** Each language as the Pulumi Registry names it, and the heading of its program in docs/other-languages.md. */
const headings = { typescript: "TypeScript", python: "Python", go: "Go", yaml: "YAML" };

/** One of each language's files: the Registry shows that of the language which the reader has chosen. */
const chooser = (at: number): string => {
  const parts = Object.entries(headings).map(
    ([name, heading]) =>
      `{{% choosable language ${name} %}}\n\n${filesUnder(heading).at(at) ?? ""}\n\n{{% /choosable %}}`,
  );
  const start = `{{< chooser language "${Object.keys(headings).join(",")}" >}}`;
  return [start, ...parts, "{{< /chooser >}}"].join("\n\n");
};

/** The code blocks under a heading, each with the name of its file: first the project, last the program. */
function filesUnder(heading: string): string[] {
  const [, text = ""] = page.split(`### ${heading}\n`);
  const [section = ""] = text.split(/\n##+ /);
  const files = section.match(/^`[^`]+`.*:\n\n```[\s\S]*?^```$/gm) ?? [];
  return heading === "Go" ? [...files, `\`main.go\`:\n\n\`\`\`go\n${goProgram}\`\`\``] : files;
}

const write = (name: string, title: string, description: string, text: string) => {
  const head = ["---", `title: ${title}`, `meta_desc: ${description}`, "layout: package", "---"].join("\n");
  writeFileSync(resolve(docs, name), `${head}\n\n${text}\n`);
};

write(
  "_index.md",
  "Data Connectivity",
  "Declare the recurring jobs of a hosted data-connectivity service with Pulumi.",
  `The provider declares recurring jobs of a hosted data-connectivity service: caching jobs, which copy a table, and scheduled queries. By default
\`pulumi up\` creates jobs and nothing more. With the setting \`jobOperations\` at \`all\` it also changes, reads, imports and deletes them.

In one run, each declared job causes at most one create request that could have reached the service.

## Example

${chooser(-1)}`,
);
write(
  "installation-configuration.md",
  "Data Connectivity Installation & Configuration",
  "How to install the Data Connectivity provider, and its settings.",
  `## Installation

The provider runs on Node.js 20 or newer, which has to be on the PATH; npm is not needed. Each project gets its SDK from \`pulumi install\`, which
also downloads the provider:

${chooser(0)}

## Configuration

The address of the service and a token, or a command that prints one, are needed. An environment variable wins over stack configuration; the inputs of
an explicit provider win over both.

\`\`\`bash
pulumi config set data-connectivity:baseUrl https://jobs.example.com
pulumi config set data-connectivity:credentialsCommand "cat /run/secrets/token"
\`\`\`

${settingsMarkdown()}`,
);
