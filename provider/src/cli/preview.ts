import { parseJson } from "../json.js";
import { InputError } from "./command.js";
import { memberOf } from "./secrets.js";
import { arrayOf, readDeclared, readJob, type DeclaredJob } from "./stackExport.js";

/** What a preview does to jobs, as far as only the service knows whether that will work. */
export interface Preview {
  /** The jobs that it creates or adopts. */
  readonly created: readonly DeclaredJob[];
  /** The ids of the jobs that it changes: their sources may become free in the same run. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Reads what `pulumi preview --json` prints.
 * @throws InputError where it is something else.
 */
export function readPreview(text: string, from: string): Preview {
  const steps = memberOf(parseJson(text.replace(/^\uFEFF/, "")), "steps");
  if (!Array.isArray(steps))
    throw new InputError(`${from} is not a preview. Expected: what pulumi preview --json prints.`);
  const of = (operation: string) => arrayOf(steps).filter((step) => memberOf(step, "op") === operation);
  return {
    created: of("create").flatMap((step) => readDeclared(memberOf(step, "newState")) ?? []),
    changed: new Set(of("update").flatMap((step) => readJob(memberOf(step, "oldState"))?.jobId ?? [])),
  };
}
