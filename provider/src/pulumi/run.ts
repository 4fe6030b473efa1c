import * as pulumi from "@pulumi/pulumi";
import type { Listing } from "../client/dataSources.js";
import { Services } from "../client/service.js";
import { plainSecret, Settings, SettingsError } from "../config/index.js";
import { whyUnreachable } from "./reachable.js";

/** What one run of a program shares. A process may hold several runs one after another (Automation API, tests). */
export interface Run {
  readonly startedAt: number;
  readonly settings: Settings;
  readonly services: Services;
  /** The list of data sources by account: asked for once. */
  readonly listings: Map<string, Promise<Listing>>;
  /** The first resource of each meaning. */
  readonly declared: Map<string, string>;
}

/** Each run has a monitor of its own; without one there is a single run. */
const runs = new WeakMap<object, Run>();
const noMonitor = {};

/** The run that the calling code belongs to. */
export function currentRun(): Run {
  const monitor = pulumi.runtime.getMonitor() ?? noMonitor;
  let run = runs.get(monitor);
  if (run === undefined) {
    run = newRun();
    runs.set(monitor, run);
  }
  return run;
}

function newRun(): Run {
  const unreachable = whyUnreachable();
  if (unreachable !== undefined) throw runError(unreachable);
  const settings = new Settings({ get: (key) => pulumi.runtime.getConfig(key) });
  refusePlainSecrets();
  const say = (line: string) => {
    void pulumi.log.warn(line);
  };
  return {
    startedAt: Date.now(),
    settings,
    services: new Services({ isEngineAlive: () => Promise.resolve(true), say, debug: settings.debug() }),
    listings: new Map(),
    declared: new Map(),
  };
}

/**
 * The engine writes all plain stack configuration into the state file. Only the program can tell plain from secret: the
 * provider process gets both in clear.
 */
function refusePlainSecrets(): void {
  const fault = plainSecret({ get: (key) => pulumi.runtime.getConfig(key) }, isSecret);
  if (fault !== undefined) throw runError(fault);
}

/** The SDK has this function and does not declare it. */
function isSecret(key: string): boolean {
  const runtime: object = pulumi.runtime;
  const ask: unknown = "isConfigSecret" in runtime ? runtime.isConfigSecret : undefined;
  return isPredicate(ask) && ask(key) === true;
}

const isPredicate = (value: unknown): value is (key: string) => unknown => typeof value === "function";

/** An error that the CLI prints as its text alone: a normal stack is mapped to sources first, which can take long. */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = message;
  return error;
}

/** Runs what reads settings, and turns their faults into errors that print cleanly. */
export function withSettings<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof SettingsError ? runError(error.message) : error;
  }
}
