import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../../provider/src/version.js";
import { settingsMarkdown } from "../schema/settings.js";

const root = resolve(__dirname, "../..");

/** Each language as the Pulumi Registry names it, and the program that its page shows. */
export const programs = {
  typescript: "examples/explicit-providers/index.ts",
  python: "templates/python/__main__.py",
  go: "templates/go/main.go",
  yaml: "examples/yaml/Pulumi.yaml",
  java: "templates/java/src/main/java/jobs/App.java",
};

/** The program of each language: the Registry shows that of the language which the reader has chosen. */
function chooser(): string {
  const parts = Object.entries(programs).map(([name, path]) => {
    const program = readFileSync(resolve(root, path), "utf8").trimEnd();
    return `{{% choosable language ${name} %}}\n\n\`\`\`${name}\n${program}\n\`\`\`\n\n{{% /choosable %}}`;
  });
  const start = `{{< chooser language "${Object.keys(programs).join(",")}" >}}`;
  return [start, ...parts, "{{< /chooser >}}"].join("\n\n");
}

const page = (title: string, description: string, text: string): string =>
  `${["---", `title: ${title}`, `meta_desc: ${description}`, "layout: package", "---"].join("\n")}\n\n${text}\n`;

/** The pages for the Pulumi Registry, which takes them from a release's docs folder, by their names. */
export const registryPages = (): Readonly<Record<string, string>> => ({
  "_index.md": page(
    "Data Connectivity",
    "Declare the recurring jobs of a hosted data-connectivity service with Pulumi.",
    `The provider declares recurring jobs of a hosted data-connectivity service: caching jobs, which copy a table, and scheduled queries. By default
\`pulumi up\` creates jobs and nothing more. With the setting \`jobOperations\` at \`all\` it also changes, reads, imports and deletes them.

In one run, each declared job causes at most one create request that could have reached the service.

## Example

${chooser()}`,
  ),
  "installation-configuration.md": page(
    "Data Connectivity Installation & Configuration",
    "How to install the Data Connectivity provider, and its settings.",
    `## Installation

The provider runs on Node.js 20 or newer, which has to be on the PATH; npm is not needed. Write this into \`Pulumi.yaml\`, and run \`pulumi install\`, which makes
the SDK for the project's language and downloads the provider:

\`\`\`yaml
packages:
  data-connectivity:
    source: data-connectivity
    version: ${version}
\`\`\`

## Configuration

The address of the service and a token, or a command that prints one, are needed. An environment variable wins over stack configuration; the inputs of
an explicit provider win over both.

\`\`\`bash
pulumi config set data-connectivity:baseUrl https://jobs.example.com
pulumi config set data-connectivity:credentialsCommand "cat /run/secrets/token"
\`\`\`

${settingsMarkdown()}`,
  ),
});
