import { membersOf } from "../../../provider/src/json.js";
import type { EmulatedJob } from "../../../provider/src/testing/emulator/types.js";
import type { TestServerRequest } from "../emulator/index.js";
import { cachingBody } from "./declarations.js";
import {
  names,
  settledMs,
  tableOf,
  type Behind,
  type Command,
  type Declared,
  type Moves,
  type Name,
} from "./randomSequence.js";
import { jobIdOf, SequencePlayer, type Declaring, type Violation } from "./sequencePlayer.js";
import { isRefusal } from "../statuses.js";
import type { CommandResult, Program, SavedResource } from "./simulatedStack.js";

const tableAt = (job: EmulatedJob): unknown => job.params["sourceTable"];
const tableIn = (body: unknown): string => String(membersOf(membersOf(body)["params"])["sourceTable"]);
const isName = (name: string): name is Name => name in tableOf;

/** Plays one random sequence in mode `all`. */
export class SequenceRun extends SequencePlayer {
  /** The table of every job seen so far. */
  private readonly known = new Map<string, string>();

  override async play(): Promise<void> {
    await super.play();
    await this.converge(this.sequence.last, this.sequence.lastMoves);
  }

  protected behind({ kind, table, intervalValue }: Behind): void {
    const job = this.emulator.jobs.find((one) => tableAt(one) === table);
    if (kind === "add" && job === undefined) this.emulator.addJob(cachingBody(table, { intervalValue }));
    if (kind === "change" && job !== undefined) this.emulator.changeJob(job.id, { intervalValue });
    if (kind === "remove" && job !== undefined) this.emulator.removeJob(job.id);
  }

  protected async observe(kind: Command["kind"], command: Declaring): Promise<CommandResult> {
    if (kind === "up") this.renameByAlias(command);
    const before = {
      state: new Map(this.stack.state),
      jobs: [...this.emulator.jobs],
      requests: this.emulator.requests.length,
    };
    for (const job of before.jobs) this.known.set(job.id, String(tableAt(job)));
    this.stack.known = before.state;
    const result = await this.run(kind, command);
    for (const job of this.emulator.jobs) this.known.set(job.id, String(tableAt(job)));
    const sent = this.emulator.requests.slice(before.requests);
    this.require(
      ...this.ofRequests(sent, before.state),
      ...this.ofClaims(result, this.programOf(command.declared), before.state),
      ...this.ofState(before.state),
      this.tokenIn(result),
    );
    return result;
  }

  /** Once everything works again, a few runs must bring the service to what is declared. */
  private async converge(declared: Declared, moves: Moves): Promise<void> {
    let result: CommandResult | undefined;
    for (let count = 0; count < 4 && result?.failed !== false; count += 1) {
      this.pass(settledMs);
      await this.observe("refresh", { declared, continueOnError: false, moves });
      // Remove the jobs that are not in the state: someone else made them.
      const mine = new Set([...this.stack.state.values()].map(jobIdOf));
      for (const { id } of this.emulator.jobs.filter((job) => !mine.has(job.id))) this.emulator.removeJob(id);
      result = await this.observe("up", { declared, continueOnError: true, moves });
    }
    const jobs = this.emulator.jobs.map((job) => `${String(tableAt(job))} ${job.intervalValue}`).sort();
    const wanted = names
      .flatMap((name) => (declared[name] === undefined ? [] : [`${tableOf[name]} ${declared[name]}`]))
      .sort();
    this.require(
      [result?.failed !== false, `the last run still fails: ${result?.text ?? ""}`],
      [jobs.join() !== wanted.join(), `at last there are ${jobs.join()}, declared are ${wanted.join()}`],
    );
  }

  private ofRequests(sent: readonly TestServerRequest[], before: ReadonlyMap<string, SavedResource>): Violation[] {
    const perhaps = sent.filter(({ method, status }) => method === "POST" && !isRefusal(status));
    const posted = perhaps.map(({ body }) => tableIn(body));
    const tables = this.emulator.jobs.map(tableAt);
    const owned = new Map(
      [...this.stack.known, ...before, ...this.stack.state].map(([name, saved]) => [
        jobIdOf(saved),
        isName(name) ? tableOf[name] : undefined,
      ]),
    );
    const strange = sent
      .filter(({ method }) => method === "PUT" || method === "DELETE")
      .map(({ path }) => decodeURIComponent(path.split("/")[3] ?? ""))
      .filter((id) => owned.get(id) === undefined || (this.known.get(id) ?? owned.get(id)) !== owned.get(id));
    const changes = sent.filter(({ method, body }) => method === "PUT" && tableIn(body) === tableOf.c);
    // A `Date` has whole seconds.
    const ofNoStart = changes.filter(
      ({ at, body }) =>
        Math.abs(Date.parse(at) - this.firstStart) > 10_000 &&
        Date.parse(at) < this.firstStart !== "definedNextRun" in membersOf(body),
    );
    return [
      [ofNoStart.length > 0, `a change with a first start in the past, or without one to come`],
      [new Set(posted).size < posted.length, `more than one create for a table in a run: ${posted.join()}`],
      [new Set(tables).size < tables.length, `more than one job for a table: ${tables.join()}`],
      [strange.length > 0, `a change or delete of a job that the state does not name: ${strange.join()}`],
    ];
  }

  private ofClaims(
    { steps }: CommandResult,
    program: Program,
    before: ReadonlyMap<string, SavedResource>,
  ): Violation[] {
    return Object.entries(steps).flatMap(([name, step]): Violation[] => {
      const saved = this.stack.state.get(name);
      const job = this.emulator.jobs.find(({ id }) => saved !== undefined && id === jobIdOf(saved));
      const was = before.get(name);
      const left = this.emulator.jobs.find(({ id }) => was !== undefined && id === jobIdOf(was));
      const held = [...this.stack.state.values()].some((other) => jobIdOf(other) === left?.id);
      switch (step) {
        case "created":
        case "updated":
          return [
            [job === undefined, `${name} is ${step}, but there is no such job`],
            [
              job !== undefined && job.intervalValue !== program[name]?.["intervalValue"],
              `${name} is ${step}, but the job is not as declared`,
            ],
          ];
        case "deleted":
        case "gone":
          return [[left !== undefined && !held, `${name} is ${step}, but its job exists`]];
        default:
          return [];
      }
    });
  }

  private ofState(before: ReadonlyMap<string, SavedResource>): Violation[] {
    const ids = [...this.stack.state.values()].flatMap((saved) => jobIdOf(saved) ?? []);
    return [
      [new Set(ids).size < ids.length, "two resources have one job"],
      ...[...before].map(([name, saved]): Violation => {
        const now = this.stack.state.get(name);
        const [was, is] = [jobIdOf(saved), now && jobIdOf(now)];
        const exists = this.emulator.jobs.some(({ id }) => id === was);
        return [was !== undefined && is !== was && exists && !ids.includes(was), `${name} lost its job ${was ?? ""}`];
      }),
    ];
  }
}
