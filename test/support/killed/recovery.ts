import { membersOf, type JsonObject } from "../../../provider/src/json.js";
import type { CommandResult } from "../command.js";
import type { TestServer } from "../emulator/index.js";
import type { EngineStack } from "../engine.js";
import { resendIn } from "../resending.js";

/** The jobs that the state knows. */
export const jobIdsIn = ({ state }: EngineStack): string[] =>
  state.resources.flatMap(({ outputs }) => {
    const { id } = membersOf(outputs["job"]);
    return typeof id === "string" ? [id] : [];
  });

const adoptVariable = "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED";
const adoptCommand = /DATA_CONNECTIVITY_ADOPT_MATCHING=true pulumi up/;
/** The last command on both pages about killed runs. */
const clearCommand = "pulumi refresh --clear-pending-creates --yes --non-interactive";
const mostRuns = 8;
/** Longer than any create may be in flight. */
const waitMs = 780_000;

interface Recovering {
  readonly stack: EngineStack;
  readonly service: TestServer;
  /** The tables of the declared jobs, by the resource's name. */
  readonly tables: Readonly<Record<string, string>>;
  /** Declares the jobs, with these members added. */
  readonly declareWith: (more: Readonly<Record<string, JsonObject>>) => void;
  /** The first command. */
  readonly line?: string | undefined;
}

/**
 * Runs `pulumi up` and does what its refusals say, like a person who looks for the jobs at the service, until it works.
 * Returns what the runs said.
 */
export async function recover({
  stack,
  service,
  tables,
  declareWith,
  line = "pulumi up",
}: Recovering): Promise<readonly string[]> {
  const outputs: string[] = [];
  const adopted: Record<string, JsonObject> = {};
  const take = async (command: Promise<CommandResult>): Promise<CommandResult> => {
    const result = await command;
    outputs.push(result.output);
    return result;
  };
  let result = await take(stack.shell(line));
  for (let runs = 1; result.exitCode !== 0; runs += 1) {
    if (runs > mostRuns) throw new Error(`No advice led out:\n${outputs.join("\n---\n")}`);
    const { output } = result;
    if (output.includes("the stack is currently locked")) {
      await stack.run(["cancel", "--yes"]);
      result = await take(stack.shell(line));
      continue;
    }
    const matching = adoptCommand.exec(output)?.[0];
    if (matching !== undefined) {
      result = await take(stack.shell(matching));
      continue;
    }
    const known = jobIdsIn(stack);
    const found: Record<string, string> = {};
    for (const [name, table] of Object.entries(tables)) {
      const job = service.jobs.find(({ id, params }) => params["sourceTable"] === table && !known.includes(id));
      const [, urn] = new RegExp(`"(urn:[^"]*::${name})":"`).exec(output) ?? [];
      if (job === undefined) continue;
      if (urn !== undefined) found[urn] = job.id;
      else if (output.includes("existingJobId")) adopted[name] = { existingJobId: job.id };
    }
    declareWith(adopted);
    const resend = resendIn(output);
    if (output.includes("Wait until 20")) stack.pass(waitMs);
    const adopt = Object.keys(found).length === 0 ? "" : `${adoptVariable}='${JSON.stringify(found)}' `;
    result = await take(stack.shell(adopt + (resend?.line ?? "pulumi up")));
  }
  if (stack.state.pending_operations.length > 0) await take(stack.shell(clearCommand));
  return outputs;
}
