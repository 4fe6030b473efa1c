import { describeWithEngine } from "../support/describeWithEngine.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { holdSection, readmeProgram } from "../support/pages.js";
import { startStack } from "../support/startStack.js";

/** Replaces what differs from run to run, or belongs only to this test, with what a reader would see. */
const asReadersSee = (output: string, baseUrl: string): string =>
  output
    .replaceAll(baseUrl, "https://jobs.example.com")
    .replaceAll("acceptance", "my-jobs")
    .replaceAll("my-jobs-test", "my-jobs-dev")
    .replaceAll("(test)", "(dev)")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "4f0c2a9e-…")
    .replace(/\d{4}-\d\d-\d\d/g, "2026-12-01")
    .replace(/\(\d\S*s\)/g, "(0.1s)");

/**
 * Left out: titles, empty lines, lines about the stack and its outputs, and "creating", which may come at any time.
 */
const isOfAJob = (line: string) =>
  line.trim() !== "" &&
  !/pulumi:pulumi:Stack|\[urn=|\[id=|^Previewing|^Updating|^Duration|^Outputs| creating \(|: \[unknown\]$/.test(line);

describeWithEngine("What README.md shows of the terminal", () => {
  afterEach(stopAll);

  test("is what a real engine prints", async () => {
    const service = await start();
    const stack = await startStack({ program: readmeProgram(), env: settingsFor(service) });
    const { stdout } = await stack.run(["up", "--yes", "--skip-preview", "--suppress-progress"]);
    const lines = asReadersSee(stdout, service.baseUrl).split("\n").filter(isOfAJob);

    holdSection(
      "README.md",
      "terminal",
      ["```text", "$ pulumi up", ...lines.map((line) => line.trimEnd()), "```"].join("\n"),
    );
  }, 120_000);
});
