import * as pulumi from "@pulumi/pulumi";
import type { DataSourceList } from "../client/listDataSources.js";
import type { JobList } from "../client/listJobs.js";
import { Services, type Service } from "../client/service.js";
import { plainSecret, Settings, SettingsError, unknownKeys } from "../config/index.js";
import { whyUnreachable } from "./reachable.js";

/** What one run of a program shares. A process may hold several runs one after another (Automation API, tests). */
export interface Run {
  readonly startedAt: number;
  readonly settings: Settings;
  readonly services: Services;
  /** The data sources by account: asked for once. */
  readonly dataSources: Map<Service, Promise<DataSourceList>>;
  /** The jobs by account: asked for once. */
  readonly jobs: Map<Service, Promise<JobList>>;
  /** The first resource by what it declares, normalized. */
  readonly declared: Map<string, Declarer>;
  /** The accounts whose token was looked at. */
  readonly tokensChecked: Set<string | undefined>;
}

/** A resource of the program: two of one name have different parents. */
export interface Declarer {
  readonly label: string;
  readonly parent: pulumi.Resource | undefined;
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
  refuseConfig();
  const say = (line: string) => {
    void pulumi.log.warn(line);
  };
  return {
    startedAt: Date.now(),
    settings,
    services: new Services({ isEngineAlive: () => Promise.resolve(true), say, debug: settings.debug() }),
    dataSources: new Map(),
    jobs: new Map(),
    declared: new Map(),
    tokensChecked: new Set(),
  };
}

/** The service of an account, by name, as a program asks for it. */
export function serviceFor(account: string | undefined): Service {
  const { settings, services } = currentRun();
  return services.of(settings.account(account));
}

/**
 * Refuses stack configuration that only the program can judge. The engine writes plain values into the state file, and
 * the provider process gets plain and secret ones in clear; nor can it list the keys.
 */
function refuseConfig(): void {
  const problem =
    unknownKeys(Object.keys(pulumi.runtime.allConfig()))[0] ??
    plainSecret({ get: (key) => pulumi.runtime.getConfig(key) }, isSecret);
  if (problem !== undefined) throw runError(problem.message);
}

/** The SDK has this function and does not declare it. Where it is gone, no secret must be refused for plain text. */
function isSecret(key: string): boolean {
  const runtime: object = pulumi.runtime;
  const ask: unknown = "isConfigSecret" in runtime ? runtime.isConfigSecret : undefined;
  return !isPredicate(ask) || ask(key) === true;
}

const isPredicate = (value: unknown): value is (key: string) => unknown => typeof value === "function";

/** An error that the CLI prints as its text alone: a normal stack is mapped to sources first, which can take long. */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = message;
  return error;
}

/** Runs what reads settings, and turns their errors into ones that print cleanly. */
export function withSettings<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof SettingsError ? runError(error.message) : error;
  }
}
