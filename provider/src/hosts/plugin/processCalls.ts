import { status } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import { GetSchemaResponse, ProviderHandshakeResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { isObject } from "../../json.js";
import { version } from "../../version.js";
import { CallError, type Calls } from "./calls.js";

/** What the process calls need from the process. */
interface PluginProcess {
  /** Lets this process serve the run of an engine that did not start it. */
  readonly attach: (engineAddress: string) => Promise<void>;
  /** Ends the run: what is still waiting never starts. */
  readonly cancel: () => void;
  readonly schema: () => string;
}

/** The calls about the process itself. They do not depend on what it serves. */
export const processCalls = ({
  attach,
  cancel,
  schema,
}: PluginProcess): Pick<Calls, "handshake" | "getPluginInfo" | "getSchema" | "attach" | "cancel"> => ({
  handshake: () => new ProviderHandshakeResponse().setAcceptSecrets(true),
  getPluginInfo: () => new PluginInfo().setVersion(version),
  getSchema: (request) => {
    const asked = request.getVersion();
    if (asked === 0) return new GetSchemaResponse().setSchema(schema());
    throw new CallError(`This plugin has a schema in format 0, not in format ${asked}.`, status.UNIMPLEMENTED);
  },
  attach: async (request) => {
    await attach(request.getAddress());
    return new Empty();
  },
  cancel: () => {
    cancel();
    return new Empty();
  },
});

/**
 * The schema of this version as JSON, loaded only on request. SDK generators request it, and so does the engine before
 * it runs a YAML program; all other processes of a run never need it.
 */
export function schemaText(): string {
  const schema: unknown = require("../../../schema.json");
  if (!isObject(schema)) throw new TypeError("A schema of this package could not be loaded.");
  return JSON.stringify({ ...schema, version });
}
