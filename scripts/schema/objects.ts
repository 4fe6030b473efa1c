import ts from "typescript";
import * as z from "zod";
import { IntervalUnit, type JobKind } from "../../provider/src/jobs/index.js";
import { schemas } from "../../provider/src/jobs/schemas.js";
import { declared, type Declared, type Member } from "./declared.js";
import {
  anyValue,
  enumOf,
  mapOf,
  reference,
  stringOr,
  type NamedTypes,
  type ObjectSpec,
  type PropertySpec,
  type TypeSpec,
} from "./types.js";

/** The interfaces that the schema names as the source does. */
const named = ["CachingJobParams", "JobRecord", "LastRun", "Origin", "ListedAccount", "Connection", "DataSource"];

/** The types that the inputs and outputs of resources and functions refer to. */
export function namedTypes(): NamedTypes {
  const { intervalUnit } = objectOf(declared("JobArgs")).properties;
  const types = Object.fromEntries(named.map((name) => [name, objectOf(declared(name))]));
  return {
    IntervalUnit: { ...enumOf(Object.values(IntervalUnit)), description: intervalUnit?.description },
    ...types,
    // No member is required: unknown members are absent. The TypeScript interface declares all members as present,
    // because Pulumi lifts only members that are always present.
    JobRecord: { ...objectOf(declared("JobRecord")), required: [] },
    ListedJob: objectOf(declared("GetJobResult")),
  };
}

/** The inputs of a kind of job. If its params may have any member, their description lists the members that it declares. */
export function inputsOf({ resource }: JobKind): ObjectSpec {
  const inputs = objectOf(declared(`${resource}Args`));
  mustAgree(`${resource}Args`, inputs, z.toJSONSchema(schemas[resource], { unrepresentable: "any", io: "input" }));
  const { params } = inputs.properties;
  if (params === undefined || !("additionalProperties" in params)) return inputs;
  const known = declared(`${resource}Params`);
  const list = known.members.map(({ name, description }) => `- \`${name}\`: ${description}`).join("\n");
  const description = [params.description, known.description, list].join("\n\n");
  return { ...inputs, properties: { ...inputs.properties, params: { ...params, description } } };
}

/** @throws Error unless the interface has the members, and the required members, of the schema that checks the inputs. */
function mustAgree(name: string, of: ObjectSpec, { properties = {}, required }: z.core.JSONSchema.JSONSchema): void {
  if (JSON.stringify([Object.keys(properties), required]) !== JSON.stringify([Object.keys(of.properties), of.required]))
    throw new Error(`${name} declares other members than its schema checks.`);
  const { params } = properties;
  if (typeof params !== "object" || params.properties === undefined) return;
  const paramsName = name.replace(/Args$/, "Params");
  mustAgree(paramsName, objectOf(declared(paramsName)), params);
}

/** Members to declare as integers: TypeScript has one type for all numbers, and Python would show a number as `4.0`. */
const integers = new Set(["intervalValue", "logVerbosity", "rowsAffected"]);

/** The object type for an interface. */
export function objectOf({ description, members }: Declared): ObjectSpec {
  const required = members.filter(({ isOptional, type }) => !isOptional && !mayBeUndefined(type));
  const property = ({ name, type, description: text }: Member): PropertySpec => ({
    ...(integers.has(name) ? { type: "integer" } : typeOf(type)),
    description: text,
  });
  return {
    type: "object",
    description,
    properties: Object.fromEntries(members.map((member) => [member.name, property(member)])),
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
  };
}

const isUndefined = ({ kind }: ts.TypeNode) => kind === ts.SyntaxKind.UndefinedKeyword;
const mayBeUndefined = (node: ts.TypeNode) => ts.isUnionTypeNode(node) && node.types.some(isUndefined);
const isString = (node: ts.TypeNode) =>
  node.kind === ts.SyntaxKind.StringKeyword || (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal));

/** Types whose values may have members that no interface names: the service's stored values, and what is sent as it is. */
const open = new Set(["Readonly", "Record", "JobRecordParams", "ScheduledQueryJobParams"]);

function typeOf(node: ts.TypeNode): TypeSpec {
  if (ts.isUnionTypeNode(node)) {
    const [first, ...others] = node.types.filter((member) => !isUndefined(member));
    // An SDK has one type per member: strings instead of a boolean are for TypeScript programs only.
    if (first !== undefined && others.every(isString)) return typeOf(first);
  }
  if (isString(node)) return { type: "string" };
  if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: "number" };
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
  if (ts.isTypeOperatorNode(node)) return typeOf(node.type);
  if (ts.isArrayTypeNode(node)) return { type: "array", items: typeOf(node.elementType) };
  const [name, argument] = ts.isTypeReferenceNode(node) ? [node.typeName.getText(), node.typeArguments?.[0]] : [""];
  if ((name === "Input" || name === "pulumi.Output") && argument !== undefined) return typeOf(argument);
  if (open.has(name)) return mapOf(anyValue);
  if (name === "IntervalUnit") return stringOr(name);
  // The SDKs use the name `GetJobResult` for the result of the function.
  if (name === "GetJobResult") return reference("ListedJob");
  if (named.includes(name)) return reference(name);
  throw new Error(`${node.getText()} is a type that the schema has no name for.`);
}
