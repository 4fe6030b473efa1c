import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type * as Structs from "google-protobuf/google/protobuf/struct_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { isJson, isObject, type JsonObject } from "../../provider/src/json.js";

export interface CheckResult {
  readonly inputs: JsonObject;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

export type DiffResult =
  | {
      /** `undefined` when the engine has to compare the inputs itself. */
      readonly changes: boolean | undefined;
      readonly replaces: readonly string[];
      readonly deleteBeforeReplace: boolean;
      readonly error?: never;
    }
  | { readonly error: string };

export type Failure =
  /** The resource is saved and the run fails. */
  | {
      readonly kind: "initFailed";
      readonly id: string;
      readonly properties: JsonObject;
      readonly reasons: readonly string[];
    }
  | { readonly kind: "error"; readonly message: string };

export type CreateResult = { readonly kind: "ok"; readonly id: string; readonly properties: JsonObject } | Failure;
export type UpdateResult = { readonly kind: "ok"; readonly properties: JsonObject } | Failure;

export interface ReadResult {
  /** Empty for a resource that is gone. */
  readonly id: string;
  readonly properties: JsonObject;
}

export interface ChangeRequest {
  readonly id: string;
  readonly olds: JsonObject;
  readonly news: JsonObject;
}

/** `configure`, `check`, `read` and `delete` reject with an error's message; the other calls return it. */
export interface ProviderCalls {
  /** The engine always makes this call first. */
  configure(config: Readonly<Record<string, string>>): Promise<void>;
  check(request: { readonly olds: JsonObject; readonly news: JsonObject }): Promise<CheckResult>;
  diff(request: ChangeRequest): Promise<DiffResult>;
  create(properties: JsonObject): Promise<CreateResult>;
  read(request: { readonly id: string; readonly props: JsonObject }): Promise<ReadResult>;
  update(request: ChangeRequest): Promise<UpdateResult>;
  delete(request: { readonly id: string; readonly props: JsonObject }): Promise<void>;
}

/** Calls the provider that listens on this port of this machine, as the engine does. */
export function callProvider(port: number): ProviderCalls & { readonly close: () => void } {
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, sdk.grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  return {
    close: () => {
      client.close();
    },
    configure: async (config) => {
      const request = new messages.ConfigureRequest().setArgs(struct(config)).setAcceptsecrets(true);
      okay(await ask((done) => client.configure(request, done)));
    },
    check: async ({ olds, news }) => {
      const request = new messages.CheckRequest().setOlds(struct(olds)).setNews(struct(news));
      const response = okay(await ask<messages.CheckResponse>((done) => client.check(request, done)));
      return { inputs: properties(response.getInputs()), failures: response.toObject().failuresList };
    },
    diff: async ({ id, olds, news }) => {
      const request = new messages.DiffRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
      const answer = await ask<messages.DiffResponse>((done) => client.diff(request, done));
      if ("failure" in answer) return { error: answer.failure.details };
      const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
      const changes = answer.response.getChanges();
      return {
        changes: changes === DIFF_SOME ? true : changes === DIFF_NONE ? false : undefined,
        replaces: answer.response.getReplacesList(),
        deleteBeforeReplace: answer.response.getDeletebeforereplace(),
      };
    },
    create: async (props) => {
      const request = new messages.CreateRequest().setProperties(struct(props));
      const answer = await ask<messages.CreateResponse>((done) => client.create(request, done));
      if ("failure" in answer) return decode(answer.failure);
      return { kind: "ok", id: answer.response.getId(), properties: properties(answer.response.getProperties()) };
    },
    read: async ({ id, props }) => {
      const request = new messages.ReadRequest().setId(id).setProperties(struct(props));
      const response = okay(await ask<messages.ReadResponse>((done) => client.read(request, done)));
      return { id: response.getId(), properties: properties(response.getProperties()) };
    },
    update: async ({ id, olds, news }) => {
      const request = new messages.UpdateRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
      const answer = await ask<messages.UpdateResponse>((done) => client.update(request, done));
      if ("failure" in answer) return decode(answer.failure);
      return { kind: "ok", properties: properties(answer.response.getProperties()) };
    },
    delete: async ({ id, props }) => {
      const request = new messages.DeleteRequest().setId(id).setProperties(struct(props));
      okay(await ask((done) => client.delete(request, done)));
    },
  };
}

type Answer<Response> = { readonly response: Response } | { readonly failure: Grpc.ServiceError };

function ask<Response>(
  send: (done: (error: Grpc.ServiceError | null, response: Response) => void) => void,
): Promise<Answer<Response>> {
  return new Promise((resolve) => {
    send((failure, response) => {
      resolve(failure ? { failure } : { response });
    });
  });
}

function okay<Response>(answer: Answer<Response>): Response {
  if ("failure" in answer) throw new Error(answer.failure.details);
  return answer.response;
}

function decode({ details, metadata }: Grpc.ServiceError): Failure {
  const [packed] = metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(packed)) return { kind: "error", message: details };
  const failed = Status.deserializeBinary(packed)
    .getDetailsList()[0]
    ?.unpack((bytes) => messages.ErrorResourceInitFailed.deserializeBinary(bytes), "pulumirpc.ErrorResourceInitFailed");
  if (!failed) return { kind: "error", message: details };
  return {
    kind: "initFailed",
    id: failed.getId(),
    properties: properties(failed.getProperties()),
    reasons: failed.getReasonsList(),
  };
}

function struct(value: JsonObject): Structs.Struct {
  return sdk.structs.Struct.fromJavaScript(value);
}

function properties(value: Structs.Struct | undefined): JsonObject {
  const plain: unknown = value?.toJavaScript() ?? {};
  if (!isJsonObject(plain)) throw new Error("The provider answered with properties that are not JSON.");
  return plain;
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && isJson(value);
}

/** The SDK's own copies: gRPC refuses another copy's credentials, and a strict installer (pnpm) hides the packages. */
const sdk = (() => {
  const load = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  const grpc: unknown = load("@grpc/grpc-js");
  const structs: unknown = load("google-protobuf/google/protobuf/struct_pb");
  if (!isGrpc(grpc) || !isStructs(structs)) throw new Error("This version of @pulumi/pulumi does not bring gRPC.");
  return { grpc, structs };
})();

function isGrpc(value: unknown): value is typeof Grpc {
  return isObject(value) && "credentials" in value;
}

function isStructs(value: unknown): value is typeof Structs {
  return isObject(value) && "Struct" in value;
}
