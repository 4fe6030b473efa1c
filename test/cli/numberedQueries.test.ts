import { CliFolder } from "./cliProcess.js";
import { exported, resource } from "./exportedState.js";

test.each(["4711", 4711])(
  "jobs --check rings for two queries of one name, also if it is a number: %p",
  async (name) => {
    const query = (id: string) =>
      resource(id, { kind: "ScheduledQueryJob", id, inputs: { params: { name, query: "select 1" } } });
    const { exitCode } = await new CliFolder().pipe(exported([query("a"), query("b")]), ["jobs", "--check"]);
    expect(exitCode).toBe(1);
  },
);
