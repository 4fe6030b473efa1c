import type { JsonObject } from "../../provider/src/json.js";
import type {
  ChangeRequest,
  CheckResult,
  CreateResult,
  DiffResult,
  ProviderCalls,
  ReadResult,
} from "./providerCalls.js";

/** A recorded call; the members that the recording lacks are empty. */
export interface ReplayedRequest extends ChangeRequest {
  readonly name: string;
  readonly preview: boolean;
  readonly properties: JsonObject;
  readonly props: JsonObject;
  readonly inputs: JsonObject;
}

/** A provider of either host, for replaying recorded calls. */
export interface ReplayedProvider extends Pick<ProviderCalls, "configure"> {
  check(request: ReplayedRequest): Promise<CheckResult>;
  diff(request: ReplayedRequest): Promise<DiffResult & { readonly detailedDiff?: JsonObject }>;
  create(properties: JsonObject, request: ReplayedRequest): Promise<CreateResult>;
  update(request: ReplayedRequest): ReturnType<ProviderCalls["update"]>;
  read(request: ReplayedRequest): Promise<ReadResult & { readonly inputs?: JsonObject }>;
  delete(request: ReplayedRequest): Promise<void>;
  stop(): Promise<void>;
  /** What a user reads apart from the answers. */
  stderr(): string;
}
