import { cachingBody } from "../support/all/declarations.js";
import { settingsFor, stopAll } from "../support/emulated.js";
import { fails, succeeds, type CommandSettings } from "../support/engine.js";
import { jwt } from "../support/jwt.js";
import { inputs } from "../support/plugin/inputs.js";
import { job, jobsOf } from "../support/plugin/declared.js";
import { classes, python, yaml, type Program } from "../support/plugin/languages.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

const tokenOf = (sub: string): string => jwt({ iss: "parent", sub });

describe.each([classes, yaml, python])("A preview of $name", (language) => {
  const testHere = language.isHere ? test : test.skip;

  /** The preview and `up` of a program refuse it with this text, and send nothing. */
  const refusing = async (
    { stack, sent }: Awaited<ReturnType<typeof serviceAndStack>>,
    program: Program,
    text: string,
    settings: CommandSettings = {},
  ) => {
    sent();
    stack.declare(program);
    expect(await fails(stack.preview([], settings))).toContain(text);
    expect(await fails(stack.up(["--skip-preview"], settings))).toContain(text);
    expect(sent()).toEqual([]);
  };

  testHere("refuses, as up does, a token of another subject, in mode create too", async () => {
    const given = await serviceAndStack({ language, mode: "create", acceptToken: () => true });
    const { service, stack } = given;
    const as = (sub: string) => ({ env: settingsFor({ ...service, token: tokenOf(sub) }) });
    stack.declare(jobsOf(["ORDERS"]));
    await succeeds(stack.up([], as("sub-1")));
    await refusing(given, jobsOf(["ORDERS", "ITEMS"]), "sub-account", as("sub-2"));
  });

  testHere(
    "refuses, as up does, an unconfirmed job that nothing resolves, or that names a job that differs",
    async () => {
      const given = await serviceAndStack({ language, mode: "create" });
      const { service, stack } = given;
      service.inject({ kind: "reset", on: "create", processed: false });
      stack.declare(jobsOf(["ORDERS"]));
      await fails(stack.up(["--skip-preview"]));
      await refusing(given, jobsOf(["ORDERS"]), "Its create is still unconfirmed");
      await stack.setConfig({ "data-connectivity:jobOperations": "all" });
      const { id } = service.addJob(cachingBody("ITEMS"));
      const adopting = { ORDERS: job(inputs("ORDERS", { existingJobId: id })) };
      await refusing(given, adopting, "differs from the declaration, so it was not adopted");
    },
  );

  testHere(
    "refuses, as up does, two resources that adopt one job, and passes one that leaves it to another",
    async () => {
      const given = await serviceAndStack({ language, mode: "all" });
      const { service, stack, sent } = given;
      const { id } = service.addJob(cachingBody("ORDERS"));
      const one = job(inputs("ORDERS", { existingJobId: id }));
      await refusing(given, { one, two: one }, "two resources must not share a job");
      stack.declare({ one });
      await succeeds(stack.up(["--skip-preview"]));
      stack.declare({ two: one });
      await succeeds(stack.preview());
      await succeeds(stack.up(["--skip-preview"]));
      expect([sent(), service.jobs.length]).toEqual([[], 1]);
    },
  );

  testHere("warns of no replacement that works", async () => {
    const { service, stack, sent } = await serviceAndStack({ language, mode: "all" });
    const orders = (intervalValue: number) =>
      job(inputs("ORDERS", { intervalValue }), { replaceOnChanges: ["intervalValue"] });
    stack.declare({ orders: orders(4) });
    await succeeds(stack.up(["--skip-preview"]));
    sent();
    stack.declare({ orders: orders(6) });
    expect(await succeeds(stack.preview())).not.toMatch(/warning|deleteBeforeReplace/);
    await succeeds(stack.up(["--skip-preview"]));
    expect([sent(), service.jobs.length]).toEqual([["DELETE", "POST"], 1]);
  });
});
