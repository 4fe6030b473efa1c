import { identityFor } from "../../../provider/src/hosts/dynamic/identity.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { canonicalJson, type JsonObject } from "../../../provider/src/json.js";
import { cachingInputs, queryInputs } from "../all/declarations.js";
import type { Program } from "./command.js";
import { objectOf, textForms } from "./forms.js";
import { bodyOf } from "./service.js";
import { names, sourceOf, type Declared, type Name, type Setting, type Source } from "./words.js";

/** What a user has written into the declaration of a resource, besides its interval. */
export interface Edits {
  readonly existingJobId?: string;
  readonly changedAtService?: string;
  /** Values that the user took over from the service, or an earlier declaration that the user went back to. */
  readonly values?: Declaration;
}

/** The names of tables and queries, as the programs and other people write them. */
export class Names {
  constructor(private readonly setting: Setting) {}

  tableOf(source: Source): string {
    return textForms[this.setting.texts].named(source);
  }

  /** What tells a job of one source from all others, in the body of its create. */
  sourceIn(body: JsonObject): Source | undefined {
    const { sourceTable, name, query } = objectOf(body["params"]);
    const text = sourceTable ?? name ?? query;
    const { kept } = textForms[this.setting.texts];
    // A user may declare it as the service keeps it, and the service then escapes it again.
    const forms = (own: string) => [own, kept(own), kept(kept(own)), kept(kept(kept(own)))];
    return (["A", "B", "C", "Q", "N"] as const).find((source) =>
      forms(this.textOf(source)).some((one) => one === text),
    );
  }

  /** The body with which somebody else makes or changes a job. */
  bodyFor(source: Source, intervalValue: number): JsonObject {
    if (source !== "Q" && source !== "N") return bodyOf(this.tableOf(source), intervalValue);
    const more = { jobType: "ScheduledQuery", intervalUnit: "Day", logVerbosity: 2, enabled: true };
    return { ...more, intervalValue, params: queryOf(source, this.textOf(source)) };
  }

  private textOf(source: Source): string {
    return source === "N" ? secretQuery : this.tableOf(source);
  }
}

/** A secret, if the sequence has secrets. */
export const secretQuery = "select * from HUSH_HUSH";

const queryOf = (source: Source, text: string): JsonObject =>
  source === "N" ? { query: text, destinationTable: "N" } : { name: text, query: "select 1" };

/** The inputs of a program, as the classes pass them. */
export function programOf(
  declared: Declared,
  names_: Names,
  setting: Pick<Setting, "secrets">,
  firstStart: number,
  edits: ReadonlyMap<string, Edits>,
): Program {
  return Object.fromEntries(
    names.flatMap((name) => {
      const intervalValue = declared[name];
      if (intervalValue === undefined) return [];
      return [[name, inputsOf(name, intervalValue, names_, setting, firstStart, edits.get(name) ?? {})]];
    }),
  );
}

function inputsOf(
  name: Name,
  intervalValue: number,
  texts: Names,
  { secrets }: Pick<Setting, "secrets">,
  firstStart: number,
  { existingJobId, changedAtService, values }: Edits,
): Declaration {
  const source = sourceOf[name];
  const more = {
    intervalValue,
    ...(name === "c" && { definedNextRun: new Date(firstStart).toISOString() }),
    ...values,
    ...(existingJobId !== undefined && { existingJobId }),
    ...(changedAtService !== undefined && { changedAtService }),
  };
  const isQuery = source === "Q" || source === "N";
  const params = objectOf(texts.bodyFor(source, intervalValue)["params"]);
  const inputs = isQuery ? queryInputs(name, params, more) : cachingInputs(name, texts.tableOf(source), more);
  const isSecret = secrets === "all" || (secrets === "queries" && isQuery);
  const { kind } = objectOf(inputs["__resource"]);
  return isSecret ? { ...inputs, __resource: { ...identityFor(name, inputs, ["params"]), kind } } : inputs;
}

/** Whether a job is as a program declares it, as far as this simulation changes it. */
export const isAsDeclared = (body: JsonObject, declared: Declaration): boolean =>
  canonicalJson(body["intervalValue"] ?? null) === canonicalJson(declared["intervalValue"] ?? null);
