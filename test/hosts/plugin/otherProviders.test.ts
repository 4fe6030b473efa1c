import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { queryInputs } from "../../support/all/declarations.js";
import { ofPlugin, providerOver } from "../../support/all/hosts.js";
import { configFor } from "../../support/all/inProcess.js";
import { pasted } from "../../support/all/pasted.js";
import { upCommand } from "../../support/all/runOptions.js";
import { SimulatedStack } from "../../support/all/simulatedStack.js";
import { struct } from "../../support/driver/calls.js";
import { pluginHere } from "../../support/driver/here.js";
import { start, stopAll } from "../../support/emulated.js";
import { FastClock } from "../../support/fastClock.js";
import { jwt } from "../../support/jwt.js";
import { resendIn } from "../../support/resending.js";

afterEach(stopAll);

const of = (sub: string) => jwt({ iss: "https://login.example.com", sub });
const options = { serial: true, continueOnError: true, providers: { acme: "p1", globex: "p2" } };
const query = { name: "daily", query: "select 1" };
const program = { globex: queryInputs("globex", query), acme: queryInputs("acme", query) };

/** Two tenants, each with a `Provider`, and each with a query of the same name. The create of acme has made a job. */
async function twoTenants(how: "killed" | "lost", tokens: readonly [acme: string, globex: string]) {
  const clock = new FastClock();
  const service = await start({ now: clock.now, tokens: { [tokens[0]]: "acme", [tokens[1]]: "globex" } });
  let env: Readonly<Record<string, string>> = {};
  const stack: SimulatedStack = new SimulatedStack(() => async (provider) => {
    const lines: string[] = [];
    const exported = () =>
      stack.export().replaceAll("::pulumi:providers:own::default::", "::pulumi:providers:own::p1::");
    const run = { clock, command: upCommand, exportStack: () => Promise.resolve(exported()) };
    const calls = pluginHere((line) => void lines.push(line), env, run);
    const token = tokens[provider === "p2" ? 1 : 0];
    const settings = ofPlugin.settings(configFor({ ...service, token }, { jobOperations: "create" }));
    const urn = `urn:pulumi:test::acceptance::pulumi:providers:own::${provider}`;
    const request = new messages.ConfigureRequest().setName(provider).setUrn(urn).setArgs(struct(settings));
    await calls.call("configure", request);
    return { ...providerOver(calls, ofPlugin), end: () => Promise.resolve(lines.join("\n")) };
  });
  stack.savedAt = clock.now();
  service.inject({ kind: "reset", on: "create", processed: true });
  await stack.up({ acme: program.acme }, options);
  if (how === "killed") {
    stack.state.delete("acme");
    stack.pending.set("acme", program.acme);
  }
  clock.pass(7_200_000);
  const up = async (given: Readonly<Record<string, string>> = {}) => {
    env = given;
    const preview = await stack.preview(program, options);
    const result = preview.failed ? preview : await stack.up(program, options);
    if (!preview.failed) stack.savedAt = clock.now();
    clock.pass(7_200_000);
    return result;
  };
  return { service, up };
}

test.each([
  { how: "killed", tokens: ["one", "two"] },
  { how: "killed", tokens: [of("acme"), of("globex")] },
  { how: "lost", tokens: ["one", "two"] },
] as const)(
  "In mode create, a query that another provider's create may have made is given to its own resource ($how, $tokens)",
  async ({ how, tokens: [acme, globex] }) => {
    const { service, up } = await twoTenants(how, [acme, globex]);
    const [made = { id: "" }] = service.jobs;
    const first = await up();
    const text = first.messages["globex"] ?? "";
    expect(text).toContain('the create of ScheduledQueryJob "acme", which may be of the same job, is unconfirmed');
    const ways = text.slice(text.indexOf('If the program still declares ScheduledQueryJob "acme"'));
    const { failed } = await up({ ...pasted(ways, made.id), ...resendIn(ways)?.env });
    expect([failed, service.jobs.map((job) => job.params["name"])]).toEqual([false, ["daily", "daily"]]);
    expect(await up()).toMatchObject({ failed: false, steps: { acme: "same", globex: "same" } });
  },
);
