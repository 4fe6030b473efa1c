import { JOB, PARAMS, settingsFor, stopAll } from "../support/emulated.js";
import { allOperations, configuredProject } from "./cliProcess.js";
import { declares, exported, inClear, originAt, resource, startWith } from "./exportedState.js";

afterEach(stopAll);

const secret = "CUSTOMERS_OF_ACME";

/** A service that repeats a job's table in an error, and the export of a stack that has it as a secret. */
async function repeating(on: "run" | "list" | "sources" | "connections", status: number) {
  const service = await startWith({ "job-1": { ...JOB, params: { ...PARAMS, sourceTable: secret } } });
  const body = { message: `The cache of ${secret} is locked.` };
  service.inject({ kind: "reply", on, status, body, times: -1 });
  const hidden = declares(inClear(secret));
  const stack = exported([resource("orders", { ...hidden, origin: originAt(service.baseUrl) })]);
  return { service, stack, project: configuredProject(allOperations, stack) };
}

test.each([
  ["run", 409, ["run", "--resource", "orders"], true],
  ["run", 409, ["run", "job-1"], false],
  ["list", 403, ["jobs", "--at-service", "-"], true],
  ["list", 403, ["doctor"], false],
  ["connections", 403, ["connections"], false],
] as const)(
  "no secret of the stack is shown if the service repeats it: %s %i %j",
  async (on, status, args, isPiped) => {
    const { service, stack, project } = await repeating(on, status);
    const env = settingsFor(service);
    const said = isPiped ? await project.pipe(stack, args, env) : await project.run(args, env);
    expect(`${said.stdout}${said.stderr}`).toContain("is locked");
    expect(`${said.stdout}${said.stderr}`).not.toContain(secret);
  },
);
