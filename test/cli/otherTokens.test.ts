import { JOB, start, stopAll } from "../support/emulated.js";
import { askService, configuredProject } from "./cliProcess.js";
import { exported, inClear, ofProvider, originAt, resource } from "./exportedState.js";

afterEach(stopAll);

// A variable has the token of an account of the stack, and the program declares a provider at another address. That service
// answers 401 to a token that is not its own.

async function place(account?: string) {
  const [main, other] = [await start({ token: "of-eu" }), await start({ token: "of-other" })];
  other.addJob(JOB, { id: "job-1" });
  const type = "data-connectivity:index:CachingJob";
  const origin = { ...originAt(other.baseUrl), ...(account !== undefined && { account }) };
  const own =
    account === undefined ? { token: inClear("of-other") } : { accounts: { [account]: { token: "of-other" } } };
  const inputs = { baseUrl: other.baseUrl, jobOperations: "all", version: "0.1.0", ...own };
  const stack = exported(ofProvider("other", inputs, { ...resource("orders", { id: "job-1", origin }), type }));
  const config = { "data-connectivity:jobOperations": "all", "data-connectivity:baseUrl": main.baseUrl };
  const statuses = () => other.requests.map(({ status }) => status);
  return { main, stack, config, statuses };
}

test.each(["doctor", "connections"])("%s sends no other account's token to a provider's address", async (command) => {
  const { stack, config, statuses } = await place();
  await configuredProject(config, stack).run([command], { DATA_CONNECTIVITY_TOKEN_EU: "of-eu" });
  expect(statuses()).not.toContain(401);
});

test("jobs --at-service sends no other account's token to a provider's address", async () => {
  const { main, stack, config, statuses } = await place();
  const { exitCode } = await askService(main, { stack, config, env: { DATA_CONNECTIVITY_TOKEN_EU: "of-eu" } });
  expect({ exitCode, statuses: statuses() }).toEqual({ exitCode: 0, statuses: [200] });
});

test("The stack's own token is not sent to a provider that has only named accounts", async () => {
  const { stack, config, statuses } = await place("a");
  await configuredProject(config, stack).run(["doctor"], { DATA_CONNECTIVITY_TOKEN: "of-eu" });
  expect(statuses()).toContain(200);
  expect(statuses()).not.toContain(401);
});
