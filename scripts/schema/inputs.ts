import * as z from "zod";
import type { JobKind } from "../../provider/src/jobs/index.js";
import { schemas } from "../../provider/src/jobs/schemas.js";
import { SourceFile, type Member } from "./docstrings.js";
import {
  anyValue,
  enumOf,
  mapOf,
  reference,
  stringOr,
  type NamedTypes,
  type ObjectSpec,
  type TypeSpec,
} from "./types.js";

type Checked = z.core.JSONSchema.JSONSchema;

const args = new SourceFile("hosts/dynamic/args.ts");

/**
 * The inputs of a kind of job and the types that the inputs refer to. The types come from the schema that checks the
 * inputs, the descriptions come from the docstrings.
 */
export function inputsOf({ resource }: Pick<JobKind, "resource">): { inputs: ObjectSpec; types: NamedTypes } {
  const types: NamedTypes = {};

  const objectOf = ({ properties = {}, required }: Checked, members: readonly Member[]): ObjectSpec => ({
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, checked]) => {
        const description = members.find((member) => member.name === name)?.description;
        if (description === undefined) throw new Error(`${resource}: ${name} has no docstring.`);
        return [name, { ...typeOf(checked, name, description), description: description + openMembers(checked, name) }];
      }),
    ),
    ...(required !== undefined && { required }),
  });

  const typeOf = (checked: Checked | boolean, name: string, description: string): TypeSpec => {
    if (typeof checked === "boolean") return anyValue;
    // An SDK has one type per input. So the schema leaves out null, and strings instead of a boolean: these strings are
    // for TypeScript programs only.
    if (checked.anyOf?.[0] !== undefined) return typeOf(checked.anyOf[0], name, description);
    if (checked.enum !== undefined) {
      types[capitalized(name)] = { ...enumOf(checked.enum.map(String)), description };
      return stringOr(capitalized(name));
    }
    if (checked.type === "object" && checked.properties === undefined) return mapOf(anyValue);
    if (checked.type === "object") {
      const type = `${resource}${capitalized(name)}`;
      const { description: words, members } = args.interface(type);
      types[type] = { ...objectOf(checked, members), description: words };
      return reference(type);
    }
    const [type] = [checked.type ?? []].flat();
    if (type === "string" || type === "boolean" || type === "integer") return { type };
    throw new Error(`${resource}: ${name} has a type that the schema has no name for.`);
  };

  const openMembers = (checked: Checked | boolean, name: string): string => {
    if (name !== "params" || typeof checked === "boolean" || checked.properties !== undefined) return "";
    const { description, members } = args.interface(`${resource}Params`);
    return ["", description, members.map((member) => `- \`${member.name}\`: ${member.description}`).join("\n")].join(
      "\n\n",
    );
  };

  const members = [...args.interface("JobArgs").members, ...args.interface(`${resource}Args`).members];
  const checked = z.toJSONSchema(schemas[resource], { unrepresentable: "any", io: "input" });
  return { inputs: objectOf(checked, members), types };
}

const capitalized = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
