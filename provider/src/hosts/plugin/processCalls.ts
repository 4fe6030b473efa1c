import { status } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import { GetSchemaResponse, ProviderHandshakeResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { isObject } from "../../json.js";
import { version } from "../../version.js";
import { CallError, type Calls } from "./calls.js";

/** What {@link processCalls} needs from the process. */
interface PluginProcess {
  /** Lets this process serve the run of an engine that did not start this process. */
  readonly attach: (engineAddress: string) => Promise<void>;
  /** Ends the run: work that is still waiting never starts. */
  readonly cancel: () => void;
  readonly schema: () => string;
}

/** The calls about the process itself. These calls do not depend on what the process serves. */
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
 * The schema of this version as JSON, loaded only on request. SDK generators request the schema, and so does the engine
 * before it runs a YAML program; all other processes of a run never need the schema.
 */
export function schemaText(): string {
  const schema: unknown = require("../../../schema.json");
  if (!isObject(schema)) throw new TypeError("A schema of this package could not be loaded.");
  return JSON.stringify({ ...schema, version });
}
