import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { AccountClients } from "../../client/accountClient.js";
import { plainSecret, Settings, SettingsError, unknownKeys } from "../../config/index.js";
import { Functions } from "../../functions/functions.js";
import type { RunStack } from "../ownState.js";
import { valueForRun } from "./testedService.js";
import { Warnings } from "../warnings.js";
import { nameStack, wordsOfRun } from "./identity.js";

/** What all resources of one run share. A process may have several runs in turn (Automation API, tests). */
export type Run = ReturnType<typeof newRun>;

/** The runs by their monitor. Without a monitor, there is only one run. */
const runs = new WeakMap<object, Run>();
const noMonitor = {};

/** The run that the calling code belongs to. @throws pulumi.RunError if its settings are unusable. */
export function currentRun(): Run {
  const monitor = pulumi.runtime.getMonitor() ?? noMonitor;
  const run = runs.get(monitor) ?? withSettings(newRun);
  runs.set(monitor, run);
  return run;
}

function newRun() {
  const unreachable = whyUnreachable();
  if (unreachable !== undefined) throw runError(unreachable);
  const stack = stackOfRun();
  nameStack(stack?.urn);
  const settings = new Settings(
    { get: (key) => valueForRun(key, pulumi.runtime.getConfig(key)) },
    undefined,
    wordsOfRun(),
  );
  refuseConfig();
  const clients = new AccountClients(settings, {
    isEngineAlive: () => Promise.resolve(true),
    report: ({ severity, text }) => void (severity === "warning" ? pulumi.log.warn : pulumi.log.info)(text),
  });
  /** The mistakes found so far, for each declaration that has some. */
  const mistakes: (readonly string[])[] = [];
  const functions = new Functions(clients);
  const warnings = new Warnings(settings);
  return { settings, functions, warnings, mistakes, stack, id: randomUUID() };
}

/**
 * The run's stack, with the part of a URN that names it. Undefined if the SDK does not know the stack, as in a unit test
 * without an organization.
 */
function stackOfRun(): RunStack | undefined {
  try {
    const urn = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}`;
    return { urn, organization: pulumi.getOrganization(), provider: undefined };
  } catch {
    return undefined;
  }
}

/**
 * Refuses unknown keys and plain-text secrets in the stack configuration: the engine would save a plain secret in the
 * state file. The provider process cannot check this: it gets all values in clear text and cannot list the keys.
 */
function refuseConfig(): void {
  const problem =
    unknownKeys(Object.keys(pulumi.runtime.allConfig()), wordsOfRun())[0] ??
    plainSecret({ get: (key) => pulumi.runtime.getConfig(key) }, isSecret, wordsOfRun());
  if (problem !== undefined) throw runError(problem.message);
}

/** Uses an undeclared SDK function. If it is missing, all values count as secret, so that none is refused. */
function isSecret(key: string): boolean {
  const ask: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof ask !== "function" || Reflect.apply(ask, undefined, [key]) === true;
}

/** An error that the CLI prints as text only. It has no real stack, because mapping one to its sources can be slow. */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = message;
  return error;
}

/** Runs `read` and turns a {@link SettingsError} into an error that the CLI prints as text only. */
export function withSettings<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof SettingsError ? runError(error.message) : error;
  }
}

/**
 * Why the engine's provider process would not find this package; undefined if it would. That process loads the package
 * from the program's folder, even if a library imports it. With pnpm, it does not find a dependency of a dependency. A
 * component package, which programs in every language can use, runs in the folder of the program that uses it. Only
 * checked if the CLI runs the program: in tests and the Automation API, the current folder may not be the program's.
 */
export function whyUnreachable(script = process.argv[1] ?? "", folder = process.cwd()): string | undefined {
  const [, kind] = /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/](run|run-plugin)(?:[\\/]|$)/.exec(script) ?? [];
  if (kind === undefined) return undefined;
  try {
    createRequire(join(folder, "program.js")).resolve("pulumi-data-connectivity/dynamic/v1");
    return undefined;
  } catch {
    if (kind === "run-plugin")
      return "The classes of pulumi-data-connectivity do not work in a component package: the engine would look for them in the folder of the program that uses the component. In the component package, use the plugin's SDK instead: pulumi package add data-connectivity";
    return (
      `The package pulumi-data-connectivity cannot be found from the program's folder (${folder}), where the engine looks for it. ` +
      `Add pulumi-data-connectivity to "dependencies" in the program's own package.json: a dependency of a dependency is not enough.`
    );
  }
}
