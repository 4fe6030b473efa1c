import { status } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import {
  CheckResponse,
  ConfigureResponse,
  GetSchemaResponse,
  InvokeResponse,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { membersOf } from "../../json.js";
import { providerFile, providerInputsOf, stackConfigurationOf } from "../../config/index.js";
import { version } from "../../version.js";
import { stackNamesIn } from "../engineNames.js";
import * as config from "../providerConfig.js";
import { stackOptionsOfCli } from "../stackExport.js";
import { CallError, failureOf, type Calls, type ResourceCalls } from "./calls.js";
import { diffResponse } from "./previews.js";
import { providerOfDo } from "./pulumiDo.js";
import type { PluginRun } from "./run.js";
import { read, write } from "./wire.js";

/**
 * The calls about the process, its provider and the package's functions. `stackConfig`: the stack's configuration for
 * this package, if the engine passed it.
 */
export const processCalls = (
  plugin: PluginRun,
  environment: config.Environment,
  stackConfig?: unknown,
): Omit<Calls, keyof ResourceCalls> => ({
  handshake: () => new ProviderHandshakeResponse().setAcceptSecrets(true),
  getPluginInfo: () => new PluginInfo().setVersion(version),
  getSchema: (request) => {
    const asked = request.getVersion();
    if (asked === 0) return new GetSchemaResponse().setSchema(schemaText());
    throw new CallError(`This plugin has a schema in format 0, not in format ${asked}.`, status.UNIMPLEMENTED);
  },
  attach: (request) => {
    plugin.attach(request.getAddress());
    return new Empty();
  },
  cancel: () => {
    plugin.cancel();
    return new Empty();
  },

  checkConfig: (request) => {
    const given = read(request.getNews());
    // Inside JSON text, the engine would not see an unknown value, and would configure the provider with it.
    const { values, secrets, problems } = config.valuesOf(given.values);
    const name = request.getName();
    const isDefault = config.isDefaultProvider(name);
    const found = [
      ...given.problems,
      ...problems,
      ...config.nameProblems(name, values, stackConfig),
      ...config.configProblems(values, isDefault, environment, wordsFor(isDefault, request.getUrn())),
    ];
    return new CheckResponse()
      .setInputs(write(values, [...given.secrets, ...secrets, ...config.alwaysSecret]))
      .setFailuresList(found.map(failureOf));
  },
  diffConfig: (request) =>
    diffResponse(config.configChanged(read(request.getOldInputs()).values, read(request.getNews()).values)),
  configure: (request) => {
    const isDefault = config.isDefaultProvider(request.getName() ?? "default");
    const urn = request.getUrn();
    const words = urn === providerOfDo ? providerFile : wordsFor(isDefault, urn);
    plugin.configure(
      config.settingsOf(read(request.getArgs()).values, isDefault, environment, words),
      isDefault ? "default" : urn,
    );
    return new ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  },

  invoke: (request) =>
    plugin.answer("", async (run) => {
      const token = request.getTok();
      const name = functions.find((known) => token === `data-connectivity:index:${known}`);
      if (name === undefined) throw new CallError(`This plugin has no function ${token}.`, status.UNIMPLEMENTED);
      const { values } = read(request.getArgs());
      const text = (member: string) => (typeof values[member] === "string" ? values[member] : undefined);
      const args = { id: text("id") ?? "", name: text("name") ?? "", account: text("account") };
      const answer = await run.functions[name](args);
      return answer.kind === "found"
        ? new InvokeResponse().setReturn(write({ ...answer.result }))
        : new InvokeResponse().setFailuresList([failureOf(answer.message)]);
    }),
});

/** How messages refer to the settings of a provider, with the run's stack. `urn`: the provider's. */
const wordsFor = (isDefault: boolean, urn = "") =>
  (isDefault ? stackConfigurationOf : providerInputsOf)(stackOptionsOfCli(stackNamesIn(urn).stack));

/** The package's functions. They ask for data and change nothing. */
const functions = ["getAccounts", "getConnection", "getConnections", "getDataSources", "getJob", "getJobs"] as const;

/**
 * The schema of this version as JSON, loaded only on request. SDK generators request the schema, and so does the engine
 * before it runs a YAML program; all other processes of a run never need the schema.
 */
export function schemaText(): string {
  const schema: unknown = require("../../../schema.json");
  return JSON.stringify({ ...membersOf(schema), version });
}
