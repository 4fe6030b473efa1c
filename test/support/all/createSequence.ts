import { isObject } from "../../../provider/src/json.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import type { Command, Sequence } from "./randomSequence.js";
import type { Repairable } from "./repairable.js";
import { isRefusal, programOf, renameByAlias } from "./sequenceRun.js";
import type { SavedResource, SimulatedStack } from "./simulatedStack.js";

/** Plays the commands of one random sequence in mode `create`, and collects what must not be. */
export class CreateSequence {
  readonly violations: string[] = [];
  /** What was done, for the message of a violation. */
  readonly log: string[] = [];
  readonly steps = new Set<string>();

  constructor(
    private readonly service: Repairable,
    private readonly stack: SimulatedStack,
  ) {}

  async play({ commands }: Sequence): Promise<void> {
    for (const command of commands) {
      // `pulumi state delete`: the job stays, and the next run creates another one.
      for (const { kind, table } of command.behind) if (kind === "remove") this.deleteFromState(table);
      this.service.emulator.inject(...command.faults);
      await this.observe(command);
      await this.service.repair();
    }
  }

  private deleteFromState(table: string): void {
    for (const [name, { outputs }] of this.stack.state) {
      if (bodyIn(outputs).startsWith(table)) this.stack.state.delete(name);
    }
  }

  private async observe({ kind, declared, continueOnError, moves }: Command): Promise<void> {
    const { stack } = this;
    const { emulator } = this.service;
    const renamed = kind === "up" && moves.renamed ? renameByAlias(stack, declared) : undefined;
    const before = { state: [...stack.state], jobs: new Set(emulator.jobs.map(({ id }) => id)) };
    const command = {
      up: () => stack.up(programOf(declared), { continueOnError, ...moves }),
      refresh: () => stack.refresh(),
      destroy: () => stack.destroy(),
    };
    const result = await command[kind]();
    const { steps } = result;
    // An engine saves the new name with a step that succeeds.
    if (renamed !== undefined && steps[renamed.to] === "failed") stack.rename(renamed.to, renamed.from);
    for (const step of Object.values(steps)) this.steps.add(step);
    this.log.push(`${kind} ${JSON.stringify([declared, moves])} → ${JSON.stringify(steps)} ${result.text}`);

    const made = new Map(
      emulator.jobs.filter(({ id }) => !before.jobs.has(id)).map(({ id, body }) => [id, bodyIn(body)]),
    );
    const posted = emulator.requests
      .filter(({ method, status }) => method === "POST" && !isRefusal(status))
      .map(({ body }) => bodyIn(body));
    const wanted = Object.values(programOf(declared)).map(bodyIn);
    const count = (all: readonly string[], body: string) => all.filter((one) => one === body).length;
    const more = posted.filter((body) => count(posted, body) > count(wanted, body));
    const strange = emulator.requests.filter(({ operation }) => operation !== "create" && operation !== "sources");
    const known = new Set([...stack.state.values()].map(jobIdOf));
    const unconfirmed = new Set(
      [...stack.state.values()].flatMap((saved) => (isUnconfirmed(saved) ? [bodyIn(saved.outputs)] : [])),
    );
    const forgotten = [...made].filter(([id, body]) => !known.has(id) && !unconfirmed.has(body));
    // An unconfirmed one may leave, if that is said.
    const isKept = (saved: SavedResource) =>
      isUnconfirmed(saved)
        ? unconfirmed.has(bodyIn(saved.outputs)) || result.text.includes(`${saved.id} leaves the stack`)
        : known.has(jobIdOf(saved));
    const lost = before.state.filter(([, saved]) => !isKept(saved));
    const untrue = Object.keys(steps).filter((name) => {
      const saved = stack.state.get(name);
      return steps[name] === "created" && (saved === undefined || made.get(saved.id) !== bodyIn(saved.outputs));
    });
    const wrong: readonly (readonly [isWrong: boolean, text: string])[] = [
      [more.length > 0, `more creates than declarations: ${more.join()}`],
      [strange.length > 0, `asked for ${strange.map(({ path }) => path).join()}`],
      [forgotten.length > 0, `in no state: ${forgotten.join(" ")}`],
      [lost.length > 0, `the state lost ${lost.map(([name]) => name).join()}`],
      [untrue.length > 0, `created, but no such job was made: ${untrue.join()}`],
      [kind !== "up" && posted.length > 0, `${kind} made a job`],
      [JSON.stringify([result, [...stack.state]]).includes(emulator.token), "the token is shown or saved"],
    ];
    for (const [isWrong, text] of wrong) if (isWrong) this.violations.push(`command ${this.log.length}: ${text}`);
  }
}

/** What tells one declaration of a random program from another. */
function bodyIn(declaration: unknown): string {
  const { params, intervalValue } = isObject(declaration) ? declaration : {};
  return `${isObject(params) ? String(params["sourceTable"]) : ""} ${String(intervalValue)}`;
}

const isUnconfirmed = ({ outputs }: SavedResource): boolean => readState(outputs)?.origin.outcome === "unconfirmed";
const jobIdOf = ({ outputs }: SavedResource): string | undefined => readState(outputs)?.job.id;
