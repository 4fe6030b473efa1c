import { canonicalJson, membersOf } from "../../../provider/src/json.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import type { TestServer, TestServerRequest } from "../emulator/index.js";
import type { FastClock } from "../fastClock.js";
import { isPlugin } from "../testedHost.js";
import { otherHost } from "./inProcess.js";
import type { CommandOptions, CommandResult, Program, SavedResource, SimulatedStack } from "./simulatedStack.js";

/** One resource of a program or of the state in the preview, and in the `up` that followed it. */
export interface Compared {
  readonly name: string;
  /** Why the preview refused the resource; undefined if it did not. */
  readonly inPreview: string | undefined;
  readonly inUp: string | undefined;
  /** Whether the provider refused to delete the resource's job. */
  readonly isNotDeleted: boolean;
  /** Whether a reply in `up` decided about this resource, or about another one with the same job or source. */
  readonly isDecidedByReply: boolean;
  /** The same for a delete. */
  readonly isDecidedByDelete: boolean;
  /** Whether the service's list shows changes late. */
  readonly isListLate: boolean;
  /** Whether resources of several providers share its job or its source, directly or through other resources. */
  readonly isSharedByProviders: boolean;
  /** With the classes: whether a change replaces the job, or one with the same source, and the preview refused it. */
  readonly isReplacedByClasses: boolean;
}

interface Stage {
  readonly emulator: TestServer;
  readonly stack: SimulatedStack;
  readonly clock: FastClock;
  readonly mode: "create" | "all";
  readonly isListLate: boolean;
}

/** Runs a preview and then `up` with the same program, at the same moment: what a service shows depends on the time. */
export async function previewAndUp(stage: Stage, program: Program, options: CommandOptions) {
  const { emulator, stack, clock, mode, isListLate } = stage;
  const before = new Map(stack.state);
  const killed = new Map(stack.pending);
  const seen = () => canonicalJson([emulator.jobs, [...stack.state]]);
  const was = seen();
  const began = clock.now();
  const { length } = emulator.requests;
  const preview = await stack.preview(program, options);
  const sent = emulator.requests.slice(length);
  const changes = [
    ...sent
      .filter(({ method }) => mode === "create" || method !== "GET")
      .map(({ method, path }) => `the preview sent ${method} ${path}`),
    ...(seen() === was ? [] : ["the preview changed the service or the state"]),
  ];
  clock.pass(began - clock.now());
  const up = await stack.up(program, options);
  const sentByUp = emulator.requests.slice(length + sent.length);
  const names = [...new Set([...Object.keys(program), ...before.keys()])];
  // A refresh may have found the job of an unconfirmed create.
  const about = (name: string) => [
    ...[before, stack.known].flatMap((state) => subjectsOf(program[name], state.get(name))),
    ...subjectsOf(killed.get(name), undefined),
  ];
  const decidedBy = (decides: (request: TestServerRequest) => boolean) => {
    const decisive = sentByUp.filter(decides);
    // A request names a job, and another resource may want the job's source.
    const related = (request: TestServerRequest) => names.map(about).filter((subjects) => isAbout(request, subjects));
    const touched = new Set(decisive.flatMap((request) => related(request).flat()));
    const isDecided = (name: string) => wordsOf(up, name) !== undefined && about(name).some((one) => touched.has(one));
    // Whatever such a resource keeps or leaves also decides about the others with its job or its source.
    const decided = new Set(names.filter(isDecided).flatMap(about));
    return (name: string) => about(name).some((one) => decided.has(one));
  };
  const isDecidedByReply = decidedBy(isGoneOrRefused);
  const isDecidedByDelete = decidedBy(({ method }) => method === "DELETE");
  const { providers = {}, replaceOnChanges = [] } = options;
  const isOfClasses = (name: string) => isPlugin === (providers[name] === otherHost);
  const isRefused = (name: string) => wordsOf(preview, name) !== undefined;
  const isShared = (name: string, other: string) => about(other).some((one) => about(name).includes(one));
  // What one of them keeps or leaves decides about the next.
  const relatedTo = (name: string): string[] => {
    const related = new Set([name]);
    for (const one of related) for (const other of names) if (isShared(one, other)) related.add(other);
    return [...related];
  };
  // The provider that saved a resource deletes its job, and another one may create the next.
  const providersOf = (name: string) =>
    new Set([providers[name] ?? "default", before.get(name)?.provider ?? "default"]);
  const compared = names.map((name): Compared => ({
    name,
    inPreview: wordsOf(preview, name),
    inUp: wordsOf(up, name),
    isNotDeleted: up.notDeleted.includes(name),
    isDecidedByReply: isDecidedByReply(name),
    isDecidedByDelete: isDecidedByDelete(name),
    isListLate,
    isSharedByProviders: new Set(relatedTo(name).flatMap((one) => [...providersOf(one)])).size > 1,
    isReplacedByClasses: names.some(
      (other) => replaceOnChanges.includes(other) && isOfClasses(other) && isShared(name, other) && isRefused(other),
    ),
  }));
  return { preview, up, changes, compared };
}

const wordsOf = ({ steps, messages }: CommandResult, name: string): string | undefined =>
  steps[name] === "failed" || steps[name] === "recorded" ? (messages[name] ?? "") : undefined;

const isGoneOrRefused = ({ method, status = 0 }: TestServerRequest): boolean =>
  method === "GET" ? status === 404 : status >= 300;

const tableIn = (declared: unknown): unknown => membersOf(membersOf(declared)["params"])["sourceTable"];

/** The tables and ids that a resource is about. */
const subjectsOf = (declared: unknown, saved: SavedResource | undefined): string[] => {
  const { existingJobId } = membersOf(declared);
  const state = saved && readState(saved.outputs);
  return [
    tableIn(declared),
    ...(state === undefined ? [] : [tableIn(state.declared), state.job.id]),
    existingJobId,
  ].filter((one) => typeof one === "string");
};

const isAbout = ({ path, body }: TestServerRequest, subjects: readonly string[]): boolean =>
  subjects.some((one) => tableIn(body) === one || path.includes(`/${encodeURIComponent(one)}`));
