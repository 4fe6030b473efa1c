import { describeWithEngine } from "../support/describeWithEngine.js";
import { start, stopAll } from "../support/emulated.js";
import { createStack, type EngineStack } from "../support/engine.js";
import { holdSection, readmeProgram } from "../support/pages.js";

/** What differs from run to run, or belongs to this test alone, as a reader would see it. */
const asReadersSee = (output: string, baseUrl: string): string =>
  output
    .replaceAll(baseUrl, "https://jobs.example.com")
    .replaceAll("acceptance", "my-jobs")
    .replaceAll("my-jobs-test", "my-jobs-dev")
    .replaceAll("(test)", "(dev)")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "4f0c2a9e-…")
    .replace(/\d{4}-\d\d-\d\d/g, "2026-12-01")
    .replace(/\(\d\S*s\)/g, "(0.1s)");

/** Left out: titles, empty lines, the lines about the stack itself and its outputs, and one that the engine prints at any time. */
const isOfAJob = (line: string) =>
  line.trim() !== "" &&
  !/pulumi:pulumi:Stack|\[urn=|\[id=|^Previewing|^Outputs|: \[unknown\]$|refused, see the error/.test(line);

describeWithEngine("What README.md shows of the terminal", () => {
  let stack: EngineStack | undefined;

  afterEach(async () => {
    await stack?.dispose();
    await stopAll();
  });

  test("is what a real engine prints: a first preview, a refused change, and the same change with all operations", async () => {
    const service = await start();
    const program = readmeProgram();
    const env = { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token };
    const running = await createStack({ program, env });
    stack = running;
    const shown = async (args: readonly string[], stream: "stdout" | "stderr" = "stdout") => {
      const { [stream]: text } = await running.run([...args, "--suppress-progress"]);
      const lines = asReadersSee(text, service.baseUrl).split("\n").filter(isOfAJob);
      return [`$ pulumi ${args.join(" ")}`, ...lines.map((line) => line.trimEnd())];
    };

    const first = await shown(["preview"]);
    await running.up(["--skip-preview"]);
    running.setProgram(program.replace("intervalValue: 4", "intervalValue: 6"));
    const refused = await shown(["preview", "--diff"], "stderr");
    await running.setConfig({ "data-connectivity:jobOperations": "all" });
    const changed = await shown(["preview", "--diff"]);

    const sections = [
      ...["# The first preview:", ...first],
      ...["", "# The job exists, and intervalValue is 6 now. By default a change is refused:", ...refused],
      ...["", "# With jobOperations: all the job is changed in place:", ...changed],
    ];
    holdSection("README.md", "terminal", ["```text", ...sections, "```"].join("\n"));
  });
});
