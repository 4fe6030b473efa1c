import * as pulumi from "@pulumi/pulumi";
import { RegisterResourceResponse, Result } from "@pulumi/pulumi/proto/resource_pb.js";
import { kindOfType } from "../hosts/engineNames.js";
import type { JobKind } from "../jobs/index.js";
import { isJson, isObject, membersOf } from "../json.js";
import { ProviderHost } from "../hosts/dynamic/host.js";
import { runError } from "../hosts/dynamic/run.js";
import { sendAllTo, valueForRun } from "../hosts/dynamic/testedService.js";

/** Where the jobs of a test are created. You can pass what `startEmulator` returns. */
export interface ProviderMocksOptions {
  /** Address of the service: an emulator, or any service at which the test may create jobs. */
  readonly baseUrl: string;
  /** Bearer token for the service. */
  readonly token: string;
  /** Mocks for all other resources and functions of the program; by default their inputs come back as their outputs. */
  readonly others?: pulumi.runtime.Mocks | undefined;
  /**
   * Called with the reason when a declaration or a create fails. Default: the program fails, as it does on the engine, and
   * the test sees an unhandled rejection. In both cases the resource's outputs stay unknown, and no `apply` runs for them.
   */
  readonly onFailure?: ((reason: string) => void) | undefined;
  /** The project name that the program sees; default `project`. */
  readonly project?: string | undefined;
  /** The stack name that the program sees; default `stack`. */
  readonly stack?: string | undefined;
}

/** The mocks while they are set. */
export interface ProviderMocks {
  /** Restores the environment. No create is sent after `stop()`. */
  stop(): Promise<void>;
}

/**
 * Runs this package's resources in a test of your own Pulumi program, without a CLI or an account. It combines Pulumi's
 * `runtime.setMocks` with the provider itself, in this process: the real checks run, and real creates are sent to `baseUrl`.
 *
 * Only check and create run. There is no preview and no state, so a job is created each time its class is constructed,
 * and there is no diff, update, replace, refresh or delete. Stack configuration is what `pulumi.runtime.setAllConfig` has
 * set when the first resource is declared; `baseUrl` and `token` override it, and those of an account that has an address
 * or a `credentialsCommand` of its own. `DATA_CONNECTIVITY_…` environment variables
 * are set aside until `stop()`, so that a test never reaches a real account by accident.
 *
 * Call it before you load the program, because loading it declares its jobs, and call `stop()` when the test is over. If
 * Jest does not accept `import()` (`module: nodenext` with `isolatedModules`), load the program with
 * `jest.requireActual`.
 *
 * @throws TypeError if `baseUrl` or `token` is missing; the environment is then unchanged.
 *
 * @example
 * ```ts
 * const service = await startEmulator();
 * const mocks = await setProviderMocks(service);
 * const { orders } = await import("./index");
 * // … await its outputs, look at service.jobs …
 * await mocks.stop();
 * await service.stop();
 * ```
 */
export async function setProviderMocks(options: ProviderMocksOptions): Promise<ProviderMocks> {
  checkOptions(options);
  const before = replaceEnvironment({
    DATA_CONNECTIVITY_BASE_URL: options.baseUrl,
    DATA_CONNECTIVITY_TOKEN: options.token,
  });
  sendAllTo(options);
  const provider = new MockedProvider();
  try {
    await setMocks(options, provider);
  } catch (error) {
    sendAllTo(undefined);
    replaceEnvironment(before);
    throw error;
  }
  return {
    async stop() {
      provider.isStopped = true;
      sendAllTo(undefined);
      replaceEnvironment(before);
    },
  };
}

/** JavaScript has no compiler to refuse wrong options. No message shows a value: it may be a token. */
function checkOptions(options: unknown): void {
  const { baseUrl, token } = membersOf(options);
  const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
  if (isText(baseUrl) && isText(token)) return;
  throw new TypeError(
    "setProviderMocks: baseUrl and token must be strings that are not empty. Pass what startEmulator returns.",
  );
}

async function setMocks(options: ProviderMocksOptions, provider: MockedProvider): Promise<void> {
  const { others = echo, onFailure = failProgram } = options;
  const newResource = (args: pulumi.runtime.MockResourceArgs) => {
    if (isUnknown(args.inputs)) return failedResource;
    const kind = kindOfType(args.type);
    if (kind === undefined) return others.newResource(args);
    return provider.register(kind, args).catch((error: unknown) => {
      void Promise.resolve(messageOf(error)).then(onFailure);
      return failedResource;
    });
  };
  await pulumi.runtime.setMocks({ newResource, call: (args) => others.call(args) }, options.project, options.stack);
  markFailures();
}

/** Mocks whose outputs are the inputs. */
const echo: pulumi.runtime.Mocks = {
  newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: membersOf(inputs) }),
  call: ({ inputs }) => membersOf(inputs),
};

function failProgram(reason: string): never {
  throw runError(reason);
}

/** Marks the state of a resource that failed, or that depends on a failed resource. */
const failed = "__failed";
const failedResource = { id: undefined, state: { [failed]: true } };

/** Whether a value contains a failed resource's output. Nothing else is undefined: the SDK omits undefined inputs. */
function isUnknown(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  const isPlain = Array.isArray(value) || Reflect.getPrototypeOf(value) === Object.prototype;
  return isPlain && Object.values(value).some(isUnknown);
}

/**
 * Makes the SDK's mocks answer for a failed resource as an engine does with `--continue-on-error`. If they rejected, each
 * output would cause more rejections. If they never answered, the SDK would fail the process at its exit.
 */
function markFailures(): void {
  const monitor = pulumi.runtime.getMonitor() ?? {};
  const register: unknown = Reflect.get(monitor, "registerResource");
  if (typeof register !== "function") return;
  Reflect.set(monitor, "registerResource", (request: unknown, answer: (error: unknown, response: unknown) => void) => {
    void Reflect.apply(register, monitor, [
      request,
      (error: unknown, response: unknown) => {
        if (response instanceof RegisterResourceResponse && response.getObject()?.getFieldsMap().has(failed))
          response.setResult(Result.FAIL);
        answer(error, response);
      },
    ]);
  });
}

/** Handles declarations as the engine does: check, then create. Like a run, the provider has its own create gate. */
class MockedProvider {
  isStopped = false;
  private host: ProviderHost | undefined;
  /** A copy of the environment: later changes by the program or by `stop()` must not affect this provider's jobs. */
  private readonly environment = { ...process.env };

  async register(kind: JobKind, { type, name, inputs: declared }: pulumi.runtime.MockResourceArgs) {
    if (this.isStopped) throw new Error(`${type} resource '${name}' is declared after stop(). No job was created.`);
    const config = pulumi.runtime.allConfig();
    this.host ??= new ProviderHost({
      isEngineAlive: async () => !this.isStopped,
      report: ({ text }) => void process.stderr.write(`data-connectivity: ${text}\n`),
      config: { get: (key) => valueForRun(key, config[key]) },
      environment: this.environment,
    });
    const provider = this.host.provider(kind);
    const members = membersOf(withoutSecrets(declared));
    if (!isJson(members)) throw new Error("A declaration holds a value that is not JSON.");
    const { inputs = {}, failures = [] } = await provider.check({}, members);
    if (failures.length > 0)
      throw new Error(failures.map(({ reason }) => `${type} resource '${name}' has a problem: ${reason}`).join("\n"));
    try {
      const { id, outs = {} } = await provider.create(inputs);
      return { id, state: membersOf(JSON.parse(JSON.stringify(outs))) };
    } catch (error) {
      throw new Error(`${type} resource '${name}': ${messageOf(error)}`, { cause: error });
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Replaces this package's environment variables, except DATA_CONNECTIVITY_LOG, with these. Returns the old ones. */
function replaceEnvironment(values: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOurs = (name: string) => name.startsWith("DATA_CONNECTIVITY_") && name !== "DATA_CONNECTIVITY_LOG";
  const before = Object.fromEntries(Object.entries(process.env).filter(([name]) => isOurs(name)));
  for (const name of Object.keys(before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, values);
  return before;
}

/** Unwraps secrets: the SDK passes them to mocks wrapped, but the engine passes them to this provider in clear. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  if (pulumi.runtime.isRpcSecret(value)) return withoutSecrets(pulumi.runtime.unwrapRpcSecret(value));
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, withoutSecrets(inner)]));
}
