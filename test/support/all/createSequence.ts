import { isObject, membersOf } from "../../../provider/src/json.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import type { Behind, Command } from "./randomSequence.js";
import { jobIdOf, SequencePlayer, type Declaring } from "./sequencePlayer.js";
import { isRefusal } from "../statuses.js";
import type { CommandResult, SavedResource } from "./simulatedStack.js";

/** Plays the commands of one random sequence in mode `create`. */
export class CreateSequence extends SequencePlayer {
  /** `pulumi state delete`: the job stays, and the next run creates another job. */
  protected behind({ kind, table }: Behind): void {
    if (kind !== "remove") return;
    for (const [name, { outputs }] of this.stack.state)
      if (bodyIn(outputs).startsWith(table)) this.stack.state.delete(name);
  }

  protected async observe(kind: Command["kind"], command: Declaring): Promise<CommandResult> {
    const { stack, emulator } = this;
    const renamed = kind === "up" ? this.renameByAlias(command) : undefined;
    const before = {
      state: [...stack.state],
      jobs: new Set(emulator.jobs.map(({ id }) => id)),
      requests: emulator.requests.length,
    };
    const result = await this.run(kind, command);
    const { steps } = result;
    // The engine saves the new name only if a step succeeds.
    if (renamed !== undefined && steps[renamed.to] === "failed") stack.rename(renamed.to, renamed.from);

    const made = new Map(
      emulator.jobs.filter(({ id }) => !before.jobs.has(id)).map(({ id, body }) => [id, bodyIn(body)]),
    );
    const sent = emulator.requests.slice(before.requests);
    const posted = sent
      .filter(({ method, status }) => method === "POST" && !isRefusal(status))
      .map(({ body }) => bodyIn(body));
    const program = this.programOf(command.declared);
    const wanted = Object.values(program).map(bodyIn);
    const count = (all: readonly string[], body: string) => all.filter((one) => one === body).length;
    const more = posted.filter((body) => count(posted, body) > count(wanted, body));
    const strange = sent.filter(({ operation }) => operation !== "create" && operation !== "sources");
    const known = new Set([...stack.state.values()].map(jobIdOf));
    const unconfirmed = new Set(
      [...stack.state.values()].flatMap((saved) => (isUnconfirmed(saved) ? [bodyIn(saved.outputs)] : [])),
    );
    const forgotten = [...made].filter(([id, body]) => !known.has(id) && !unconfirmed.has(body));
    // An unconfirmed create may leave the state, but only if a message says so.
    const isKept = (saved: SavedResource) =>
      isUnconfirmed(saved)
        ? unconfirmed.has(bodyIn(saved.outputs)) || result.text.includes(`${saved.id} leaves the stack`)
        : known.has(jobIdOf(saved));
    const lost = before.state.filter(([, saved]) => !isKept(saved));
    const untrue = Object.keys(steps).filter((name) => {
      const saved = stack.state.get(name);
      return steps[name] === "created" && (saved === undefined || made.get(saved.id) !== bodyIn(saved.outputs));
    });
    const isNew = (name: string) => !before.state.some(([known]) => known === name);
    const refused = Object.entries(result.messages).filter(([name]) => steps[name] === "failed" && isNew(name));
    // A 409 may be about the job of this very create, if something on the way sent it twice.
    const unreported = refused.filter(
      ([, text]) => !/No job was created|Nothing was sent|failed with HTTP 409/.test(text),
    );
    const isSent = (body: string) => posted.includes(body) && count(wanted, body) === 1;
    const sentAfterAll = refused.filter(
      ([name, text]) => /(?:nothing|create) was (?:not )?sent/.test(text) && isSent(bodyIn(program[name])),
    );
    this.require(
      [unreported.length > 0, `refused without "No job was created": ${unreported.join("; ")}`],
      [sentAfterAll.length > 0, `says that nothing was sent, but a create was: ${sentAfterAll.join("; ")}`],
      [more.length > 0, `more creates than declarations: ${more.join()}`],
      [strange.length > 0, `asked for ${strange.map(({ path }) => path).join()}`],
      [forgotten.length > 0, `in no state: ${forgotten.join(" ")}`],
      [lost.length > 0, `the state lost ${lost.map(([name]) => name).join()}`],
      [untrue.length > 0, `created, but no such job was made: ${untrue.join()}`],
      [kind !== "up" && posted.length > 0, `${kind} made a job`],
      this.tokenIn(result),
    );
    return result;
  }
}

/** What distinguishes the declarations of a random program. */
function bodyIn(declaration: unknown): string {
  const { params, intervalValue } = membersOf(declaration);
  return `${isObject(params) ? String(params["sourceTable"]) : ""} ${String(intervalValue)}`;
}

const isUnconfirmed = ({ outputs }: SavedResource): boolean => readState(outputs)?.origin.outcome === "unconfirmed";
