import { join } from "node:path";
import { cachingInputs, changed, orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { first, items, oneAddress, oneJob, other, refused, token } from "../support/all/oneAddress.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { stopAll } from "../support/emulated.js";
import { pluginHere } from "../support/driver/here.js";
import { inputs, secret, urnOf } from "../support/plugin/inputs.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { resending } from "../support/resending.js";
import { urnIn } from "../support/all/hosts.js";

afterAll(stopAll);
const folder = temporaryFolder();

describe("A token of another account or sub-account, at the same address", () => {
  test.each([
    ["issuer", token("parent-2", "sub-1")],
    ["subject", other],
  ])("with another %s is used for nothing, and the job stays in the state", async (_what, another) => {
    const { use, stack, expectRefused } = await oneJob();
    const before = new Map(stack.state);
    use(another);
    await expectRefused(changed);
    expect(new Map(stack.state)).toEqual(before);
  });

  test.each(["refresh", "up", "destroy"] as const)("is used for no %s after its command failed once", async (name) => {
    const { service, useSettings, stack } = await oneJob();
    // Creating the folder succeeds only in the first run of the command.
    const credentialsCommand = `mkdir '${join(folder(), name)}' && exit 1; echo ${other}`;
    useSettings({ account: "again", accounts: { again: { credentialsCommand } } });
    const { length } = service.requests;
    await (name === "up" ? stack.up({ orders: changed }) : stack[name]());
    expect(stack.state.has("orders")).toBe(true);
    expect(service.requests).toHaveLength(length);
  });

  test.each([
    ["alone", orders],
    ["with a change that was made there", changed],
  ])("may follow where the user confirms it with changedAtService, %s", async (_what, inputs) => {
    const { service, use, stack } = await oneJob();
    use(token("parent-1", "renamed"));
    await stack.up({ orders: { ...inputs, changedAtService: "renamed" } });
    service.changeJob(service.jobs[0]?.id ?? "", { intervalValue: Number(inputs.intervalValue) });
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(service.jobs).toEqual([]);
  });
});

test("A token of another account is explained on one resource, with its place and subject, and the dangerous way last", async () => {
  const { use, stack } = await oneAddress();
  use(first);
  await stack.up({ orders, items });
  use(other);
  const { text } = await stack.destroy();
  expect(text.match(/Use a token of that account/g)).toHaveLength(1);
  expect(text).toMatch(
    /The token from \S.* \(issuer parent-1, subject sub-2\) is of another account or sub-account than the token with which its job was last seen at [^]*\nDangerous, and right only if [^\n]*changedAtService\. If the program [^\n]* for that run\.$/m,
  );
  expect(text).toMatch(
    /CachingJob "(orders|items)": nothing was sent, and the state stays as it is\. The token is of another .* its job was last seen: see the error on CachingJob "(?!\1)(orders|items)"\./,
  );
});

test.each([
  ["was changed with all operations", changed],
  ["was confirmed with all operations", { ...orders, changedAtService: "yesterday" }],
])("A job that was made with create and then %s is used with the same token only", async (_what, inputs) => {
  const { use, stack, expectRefused } = await oneJob("create");
  use(first);
  expect(await stack.up({ orders: inputs })).toMatchObject(did("updated"));
  use(other);
  await expectRefused({ ...inputs, intervalValue: 7 });
});

test("A token that does not tell its subject does not make the state forget it", async () => {
  const { service, use, stack, clock } = await oneAddress();
  await recordUnconfirmed(stack, service, orders, true, { clock, token: first });
  use("opaque");
  expect(await stack.refresh()).toMatchObject({ failed: false });
  expect(stack.state.get("orders")).toMatchObject({ id: service.jobs[0]?.id });
  use(other);
  expect(await stack.destroy()).toMatchObject(refused);
  expect(service.jobs).toHaveLength(1);
});

describe("An unconfirmed create", () => {
  /**
   * A stack whose create by the first account got no answer, so long ago that it is resent if the list lacks the job.
   */
  async function unconfirmed(processed: boolean) {
    const place = await oneAddress();
    const { service, use, stack, clock } = place;
    await recordUnconfirmed(stack, service, orders, processed, { clock, token: first });
    clock.pass(121_000);
    use(first);
    return place;
  }

  test("is neither looked for nor resent nor forgotten with a token of another sub-account", async () => {
    const { use, expectRefused } = await unconfirmed(false);
    use(other);
    await expectRefused();
  });

  test("is not resent with one even where its time was named", async () => {
    const { use, clock, expectRefused } = await unconfirmed(false);
    use(other, resending(clock.now(), urnIn(orders)));
    await expectRefused();
  });

  test("is not forgotten with a token that does not tell its subject: the list may be of another account", async () => {
    const { use, stack } = await unconfirmed(false);
    use("opaque");
    expect(await stack.destroy()).toMatchObject(did("failed", "The job does not count as gone"));
    expect(stack.state.has("orders")).toBe(true);
  });

  test.each([
    ["was resent", false, "up"],
    ["was found by the next up", true, "up"],
    ["was found by a refresh", true, "refresh"],
    ["was adopted", true, "adopt"],
  ] as const)("that %s is used with the same token only", async (_what, processed, how) => {
    const { service, use, stack, expectRefused } = await unconfirmed(processed);
    const [job] = service.jobs;
    if (how === "refresh") await stack.refresh();
    else await stack.up({ orders: how === "adopt" ? { ...orders, existingJobId: job?.id } : orders });
    expect(stack.state.get("orders")).toMatchObject({ outputs: { job: { id: service.jobs[0]?.id } } });
    use(other);
    await expectRefused(changed);
  });
});

test.each([
  ["a newer token of the same subject", token("parent-1", "sub-1", { exp: 4_000_000_000 })],
  ["an opaque token, which does not tell", "opaque"],
])("%s is used as before", async (_what, newer) => {
  const { service, use, stack } = await oneJob();
  use(newer);
  await stack.refresh();
  expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
  expect(service.jobs).toMatchObject([{ intervalValue: 6 }]);
});

describe.each(["create", "all"])("In mode %s, a job of an account whose other jobs have another subject", (mode) => {
  const text = expect.stringContaining(
    "is of another account or sub-account than the token with which other jobs",
  ) as string;
  const refusal = { failed: true, text };

  test.each([
    ["is not created", items],
    ["is not adopted", { ...items, existingJobId: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f" }],
  ])("%s", async (_what, declared) => {
    const { service, use, stack } = await oneJob(mode);
    use(other, {}, mode);
    const { length } = service.requests;
    expect(await stack.up({ orders, items: declared })).toMatchObject(refusal);
    expect([service.requests.length, stack.state.has("items")]).toEqual([length, false]);
  });

  test("is created once the settings name the subject of the new token", async () => {
    const { service, useSettings, stack } = await oneJob(mode);
    useSettings({ jobOperations: mode, subject: "sub-2" }, { ...service, token: other });
    await stack.up({ orders, items });
    expect(stack.state.has("items")).toBe(true);
  });

  test("is not created if only the stack's own state tells the subject", async () => {
    const { service } = await oneAddress();
    const origin = { outcome: "created", baseUrl: service.baseUrl, at: "2026-01-01T00:00:00Z", subject: "anothers" };
    const provider = "urn:pulumi:test::acceptance::pulumi:providers:data-connectivity::default::1";
    const type = "data-connectivity:index:CachingJob";
    const saved = {
      urn: urnOf("orders"),
      type,
      id: "1",
      inputs: orders,
      outputs: { job: { id: "1" }, origin },
      provider,
    };
    const exportStack = () => Promise.resolve(JSON.stringify({ deployment: { resources: [saved] } }));
    const plugin = pluginHere(undefined, {}, { exportStack });
    await plugin.configure({ baseUrl: service.baseUrl, token: secret(other), jobOperations: mode });
    await plugin.check("items", inputs("ITEMS"));
    await expect(plugin.create("items", inputs("ITEMS"))).rejects.toThrow("is of another account or sub-account");
    expect(service.requests).toEqual([]);
  });
});

test("With a token that shows no subject, no job counts as gone whose subject the state has", async () => {
  const { service, use, stack } = await oneJob();
  service.removeJob(service.jobs[0]?.id ?? "");
  use("opaque");
  const unproved = did("failed", "does not count as gone");
  expect(await stack.refresh()).toMatchObject(unproved);
  expect(await stack.destroy()).toMatchObject(unproved);
  expect(stack.state.has("orders")).toBe(true);
  use(first);
  await stack.refresh();
  expect(stack.state.has("orders")).toBe(false);
});

test.each(["create", "all"])(
  "The plugin refuses in a diff that a job moves to a provider of another account: mode %s",
  async (mode) => {
    const { service } = await oneAddress();
    const providerWith = async (name: string, token: string) => {
      const plugin = pluginHere();
      await plugin.configure({ baseUrl: service.baseUrl, token: secret(token), jobOperations: mode }, name);
      return plugin;
    };
    const pa = await providerWith("pa", first);
    const saved = await pa.create("orders", inputs());
    const { length } = service.requests;
    const pb = await providerWith("pb", other);
    await expect(pb.diff("orders", saved, inputs())).rejects.toThrow(
      /  account: that of the token that last saw the job → another one \(/,
    );
    const [renamed, opaque] = [await providerWith("renamed", first), await providerWith("pc", "opaque")];
    const differs = await Promise.all([renamed, opaque].map((plugin) => plugin.diff("orders", saved, inputs())));
    expect(differs.map(({ changes }) => changes)).toEqual([false, false]);
    expect(service.requests).toHaveLength(length);
  },
);

test.each(["create", "all"])(
  "Mode %s: a name for the stack's account does not hide that a new job's token is of another one",
  async (jobOperations) => {
    const { emulator: service, stack, use } = await fastStack({}, { acceptToken: () => true });
    use({ jobOperations }, { ...service, token: first });
    await stack.up({ orders });
    use({ jobOperations, account: "main" }, { ...service, token: other });
    const options = { serial: true, continueOnError: true };
    expect((await stack.preview({ items, orders }, options)).steps).toMatchObject({ items: "failed" });
    expect((await stack.up({ items, orders }, options)).steps).toMatchObject({ items: "failed" });
    expect(service.jobs).toHaveLength(1);
  },
);

test("A new job is not of another account because a job moves to its provider by changedAtService", async () => {
  const { service } = await oneAddress();
  const providerWith = async (name: string, token: string) => {
    const plugin = pluginHere();
    await plugin.configure({ baseUrl: service.baseUrl, token: secret(token), jobOperations: "all" }, name);
    return plugin;
  };
  const saved = await (await providerWith("pa", first)).create("orders", inputs());
  const pb = await providerWith("pb", other);
  const moved = inputs("ORDERS", { changedAtService: "moved" });
  await pb.diff("orders", saved, moved);
  await pb.create("items", inputs("ITEMS"), true);
  await pb.update("orders", saved, moved);
  expect((await pb.create("items", inputs("ITEMS"))).id).not.toBe("");
});

test.each(["create", "all"])(
  "In mode %s, a preview refuses a token of another subject than the settings name",
  async (jobOperations) => {
    const plugin = pluginHere();
    const settings = { baseUrl: "https://service.test", jobOperations, subject: "sub-1" };
    await plugin.configure({ ...settings, token: secret(other) });
    const [failure] = (await plugin.check("orders", inputs())).failures;
    expect(failure?.reason).toContain('has the subject "sub-2", but');
  },
);

test.each([{}, { intervalValue: 9 }])(
  "A new subject is confirmed beside a new first start, which is sent: %j",
  async (more) => {
    const { stack, use, service, clock } = await oneJob();
    clock.pass(600_000);
    use(other);
    const { length } = service.requests;
    const definedNextRun = new Date(clock.now() + 86_400_000).toISOString();
    const confirmed = { ...orders, ...more, definedNextRun, changedAtService: "2026-11-29" };
    expect(await stack.up({ orders: confirmed })).toMatchObject(did("updated"));
    expect(service.requests.slice(length).filter(({ method }) => method === "PUT")).toHaveLength(1);
  },
);

test("A confirmed token that does not see the job does not show that it is gone", async () => {
  const { stack, use, service, clock } = await oneJob();
  clock.pass(600_000);
  // What another account sees is that there is no such job.
  service.removeJob(service.jobs[0]?.id ?? "");
  use(other);
  const definedNextRun = new Date(clock.now() + 86_400_000).toISOString();
  const result = await stack.up({ orders: { ...orders, definedNextRun, changedAtService: "2026-11-29" } });
  expect(result).toMatchObject(refused);
});

test("A job that the state has of the account's old subject keeps its source, though the list does not show it yet", async () => {
  const { service, use, stack } = await oneAddress();
  use(first);
  await stack.up({ orders, items });
  use(other);
  const confirmed = { ...items, changedAtService: "2026-11-29" };
  await stack.up({ items: confirmed }, { continueOnError: true });
  service.inject({ kind: "reply", on: "list", status: 200, body: { jobs: [] }, times: -1 });
  const renamed = cachingInputs("renamed", "ORDERS");
  const { steps } = await stack.up({ items: confirmed, renamed }, { continueOnError: true });
  expect([steps["renamed"], service.jobs.length]).toEqual(["failed", 2]);
});

test("A job that the state has of the account's old subject keeps its source, in whatever form the service tells it", async () => {
  const { service, use, stack } = await oneAddress();
  const program = { orders: cachingInputs("orders", "ORDERS "), items };
  use(first);
  await stack.up(program);
  // The service trims names.
  for (const { id, params } of service.jobs)
    service.changeJob(id, { params: { ...params, sourceTable: String(params["sourceTable"]).trim() } });
  use(other);
  const confirmed = { ...items, changedAtService: "2026-11-29" };
  await stack.up({ items: confirmed }, { continueOnError: true });
  const again = cachingInputs("again", "ORDERS ");
  const { steps, messages } = await stack.up({ items: confirmed, again }, { continueOnError: true });
  expect(steps["again"]).toBe("failed");
  expect(messages["again"]).toContain('CachingJob "orders" of this stack already has the job for this source');
});
