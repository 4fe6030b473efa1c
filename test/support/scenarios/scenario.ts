import type { JobChanges } from "../../../provider/src/testing/emulator/types.js";
import type { JsonObject } from "../../../provider/src/json.js";
import { declaration } from "../declaration.js";
import type { TestFault, TestServer } from "../emulator/index.js";
import { yaml, type Declared, type Language, type Program } from "../plugin/languages.js";

/** Addresses as scenarios and recordings write them. */
export const service = "http://127.0.0.1:1";
export const otherService = "http://127.0.0.1:2";

/** What someone else does to a job at the service. */
export type ServiceChange = { readonly job: string } & ({ readonly changes: JobChanges } | { readonly removed: true });

/** Applies someone else's change to a job. */
export function applyAtService(emulator: TestServer, id: string, change: ServiceChange): void {
  if ("removed" in change) emulator.removeJob(id);
  else emulator.changeJob(id, change.changes);
}

/** One command of a user, and its result. Addresses, ids and times are written as `engineFixture.ts` names them. */
export interface Step {
  /** The program from this command on. */
  readonly program?: Program;
  /** Stack configuration that changes before the command. */
  readonly config?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly faults?: readonly TestFault[];
  /** What someone else did at the service before the command. */
  readonly atService?: ServiceChange;
  /** The arguments of the CLI; default: `up`. */
  readonly run?: readonly string[];
  /**
   * Press Ctrl-C once the output matches and the service has seen a create. The faults keep their replies back: to a
   * create until Ctrl-C, to other requests until the output matches.
   */
  readonly interrupted?: RegExp;
  /** Default: 0. */
  readonly exitCode?: 0 | 1;
  /** What the user reads. */
  readonly says?: readonly string[];
  readonly saysNot?: readonly string[];
  /** The number of creates sent; default none. */
  readonly posts?: number;
  /** What the state has about the jobs after the command, by name; it must have no other jobs. */
  readonly state?: Readonly<Record<string, object>>;
}

/** A row of the transition table, as a sequence of a user's commands. */
export interface ScenarioOf<Step> {
  /** The name of its recording. */
  readonly file: string;
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface Scenario extends ScenarioOf<Step> {
  readonly language: Language;
}

/** A scenario of a YAML program with the plugin. */
export const withPlugin = (scenario: ScenarioOf<Step>): Scenario => ({
  ...scenario,
  file: `plugin/${scenario.file}`,
  language: yaml,
});

/** A step's command, as a recording names it. */
export const commandOf = ({ run = up }: Step): string => run.join(" ");

/** `pulumi up` without its preview: previews are tested where they matter. */
export const up = ["up", "--yes", "--skip-preview", "--suppress-progress"];
export const withPreview = ["up", "--yes", "--suppress-progress"];
export const preview = ["preview", "--suppress-progress"];
export const refresh = ["refresh", "--yes", "--skip-preview", "--suppress-progress"];

/** A caching job in a `Program`. */
export const caching = (more: JsonObject = {}, options: JsonObject = {}): Declared => ({
  type: "data-connectivity:CachingJob",
  properties: { ...declaration, ...more },
  options,
});

/** A scheduled query in a `Program`. */
export const query = (more: JsonObject = {}, options: JsonObject = {}): Declared => ({
  type: "data-connectivity:ScheduledQueryJob",
  properties: { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params: { query: "SELECT 1" }, ...more },
  options,
});

/** The inputs for a job of another table. */
export const ofTable = (sourceTable: string | JsonObject, more: JsonObject = {}) => ({
  params: { ...declaration.params, sourceTable, ...more },
});

/** One job, with these inputs and options. */
export const orders = (more?: JsonObject, options?: JsonObject): Program => ({ orders: caching(more, options) });

export const secret = (value: string): JsonObject => ({ "fn::secret": value });

/** A declaration as program text; `job` is defined in `classes.head`. */
export const job = (name: string, more = "", options = ""): string => `job("${name}", { ${more} }, { ${options} });`;

/** Declarations in a component that is nested in an outer component with these options. */
export const inComponent = (options: string, jobs: string): string => `
  class Team extends pulumi.ComponentResource {
    constructor(name, options, declare) { super("x:index:Team", name, {}, options); declare(this); }
  }
  new Team("outer", { ${options} }, (parent) => new Team("inner", { parent }, (parent) => { ${jobs} }));`;

/** `inComponent` for a `Program`: these resources, in a component nested in an outer component with these options. */
export const inTeam = (program: Program, options: JsonObject): Program => ({
  outer: { type: "x:index:Team", options },
  inner: { type: "x:index:Team", options: { parent: "${outer}" } },
  ...Object.fromEntries(
    Object.entries(program).map(([name, declared]) => [
      name,
      { ...declared, options: { parent: "${inner}", ...declared.options } },
    ]),
  ),
});

/** The URN that the classes give a caching job in these tests. */
export const urn = (name: string, parents = ""): string =>
  `urn:pulumi:test::acceptance::${parents}pulumi-nodejs:dynamic/data-connectivity:CachingJob::${name}`;

/** The connection breaks before the reply to a create: nobody knows whether the job was made. */
export const lostReply = { kind: "reset", on: "create" } as const;

/** What the state holds about the job that `first` creates. */
export const created = {
  id: "job-1",
  outputs: { intervalValue: 4, job: { id: "job-1" }, origin: { outcome: "created" } },
};

/** The first command of many scenarios. */
export const first: Step = { program: orders(), posts: 1, state: { orders: created } };

/** The first command of a scenario with all operations: it sets jobOperations and creates the job. */
export const optIn: Step = {
  config: { "data-connectivity:jobOperations": "all" },
  program: orders(),
  posts: 1,
  state: { orders: { ...created, protect: false, retainOnDelete: false } },
};
