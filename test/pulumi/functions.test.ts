import * as pulumi from "@pulumi/pulumi";
import {
  getAccountsOutput,
  getConnection,
  getConnectionOutput,
  getConnectionsOutput,
  getDataSources,
  getDataSourcesOutput,
  getJob,
  getJobOutput,
  LookupError,
  runJob,
} from "pulumi-data-connectivity";
import { JOB, start, stopAll } from "../support/emulated.js";
import { saying } from "../support/matchers.js";
import { valueOf } from "../support/program.js";

class Table extends pulumi.CustomResource {
  constructor(parent?: pulumi.Resource) {
    super("test:index:Table", "table", {}, parent && { parent });
  }
}

/** A component that has one resource. */
function newTeam(): pulumi.Resource {
  const team = new pulumi.ComponentResource("test:index:Team", "team");
  new Table(team);
  return team;
}

/** Runs the SDK without an engine, for a program at this service. In a preview, resources have no id yet. */
async function program(
  { baseUrl, token }: { baseUrl: string; token: string },
  preview = false,
  jobOperations = "all",
): Promise<void> {
  await pulumi.runtime.setMocks(
    { newResource: ({ name }) => ({ id: preview ? undefined : name, state: {} }), call: () => ({}) },
    "project",
    "stack",
    preview,
  );
  pulumi.runtime.setAllConfig(
    {
      "data-connectivity:baseUrl": baseUrl,
      "data-connectivity:token": token,
      "data-connectivity:jobOperations": jobOperations,
    },
    ["data-connectivity:token"],
  );
}

afterEach(stopAll);

test("A hook runs a job once, nothing in a preview, and is refused in mode create", async () => {
  const service = await start();
  const { id } = service.addJob(JOB);
  await program(service, true);
  await runJob(id);
  expect(service.requests).toEqual([]);
  await program(service);
  await runJob(id);
  service.inject({ kind: "reply", on: "run", status: 503 });
  await expect(runJob(id)).rejects.toMatchObject({ reason: "unavailable", status: 503 });
  service.inject({ kind: "reset", on: "run", processed: true });
  await expect(runJob(id)).rejects.toMatchObject({ message: saying("may be running. Look at its last run before") });
  await expect(runJob("4095")).rejects.toMatchObject({ reason: "notFound" });
  const standIn = "unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4";
  await expect(runJob(standIn)).rejects.toMatchObject({ message: saying("run pulumi refresh, which puts the job's") });
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
    [id, id, id, "4095", standIn].map((of) => `POST /api/job/${of}/run`),
  );
  await program(service, false, "create");
  await expect(runJob(id)).rejects.toMatchObject({ reason: "settings", message: saying("no way to run jobs") });
});

test("A program can tell apart why a function has no result", async () => {
  await program(await start());
  const error: unknown = await getJob({ id: "4095" }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LookupError);
  expect(error).toMatchObject({
    reason: "notFound",
    status: undefined,
    stack: "getJob: the service has no job 4095. Check the id.",
  });
  // The CLI prints only a RunError's message.
  expect(pulumi.RunError.isInstance(error)).toBe(true);
});

test("Look-ups that fail for one reason throw one error, and the SDK prints only the first", async () => {
  await program(await start());
  const [first, second, other] = await Promise.all(
    ["4095", "4095", "4096"].map((id) => getJob({ id }).catch((reason: unknown) => reason)),
  );
  expect(first).toBe(second);
  expect(first).not.toBe(other);
});

test("The reason of a look-up stays without the words that the SDK puts in front for each property", async () => {
  await program(await start());
  const error: unknown = await getJob({ id: "4095" }).catch((reason: unknown) => reason);
  const { serializeProperties } = pulumi.runtime;
  for (const name of ["orders", "items"]) {
    const properties = { params: { id: Promise.reject(error instanceof Error ? error : new Error()) } };
    await expect(serializeProperties(name, properties)).rejects.toThrow(/^getJob: the service has no job/);
  }
});

test("Connections are found by name, and listed", async () => {
  const service = await start();
  await program(service);
  const { id } = await getConnection({ name: "Snowflake1" });
  expect(await valueOf(getConnectionOutput({ name: pulumi.output("Snowflake1") }).id)).toBe(id);
  expect(await valueOf(getConnectionsOutput().connections)).toHaveLength(2);
  await expect(getConnection({ name: "snowflake1" })).rejects.toMatchObject({ reason: "notFound" });
  expect(service.requests).toHaveLength(1);
});

test("Accounts are listed", async () => {
  await program(await start());
  expect(await valueOf(getAccountsOutput().accounts)).toMatchObject([{ id: "acme", externalId: "acme-crm" }, {}]);
});

test("The option provider is refused, for it would not decide which account is asked", async () => {
  const service = await start();
  await program(service);
  class Provider extends pulumi.ProviderResource {}
  await expect(getDataSources({}, { provider: new Provider("data", "eu", {}) })).rejects.toThrow(
    'getDataSources: the provider option has no effect here. Instead, pass the name of an account that the settings define: getDataSources({ account: "<name>" })',
  );
  expect(service.requests).toEqual([]);
});

describe.each([
  ["a resource", () => new Table()],
  ["a component", newTeam],
  ["a list of outputs", () => [pulumi.output(new Table())]],
])("With dependsOn: %s", (_, dependsOn) => {
  test("an Output form asks when it was created", async () => {
    const service = await start();
    await program(service);
    const { id } = service.addJob(JOB);
    expect(await valueOf(getJobOutput({ id }, { dependsOn: dependsOn() }).id)).toBe(id);
  });

  test("an Output form is unknown in the preview in which it will be created, and asks for nothing", async () => {
    const service = await start();
    await program(service, true);
    const sources = getDataSourcesOutput({}, { dependsOn: dependsOn() });
    expect("isKnown" in sources ? await sources.isKnown : undefined).toBe(false);
    expect(service.requests).toEqual([]);
  });
});
