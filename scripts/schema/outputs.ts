import ts from "typescript";
import { SourceFile, type Interface } from "./docstrings.js";
import {
  anyValue,
  mapOf,
  reference,
  type NamedTypes,
  type ObjectSpec,
  type PropertySpec,
  type TypeSpec,
} from "./types.js";

const record = new SourceFile("client/jobRecord.ts");
const resource = new SourceFile("lifecycle/resource.ts");
const lists = new SourceFile("client/lists.ts");
const results = new SourceFile("functions/functions.ts");

/**
 * The schema's name for each output interface. `GetJobResult` gets another name, because the SDKs use the name
 * `GetJobResult` for the result of the function.
 */
const schemaNames: Readonly<Record<string, string>> = {
  JobRecord: "JobRecord",
  LastRun: "LastRun",
  Origin: "Origin",
  ListedAccount: "ListedAccount",
  Connection: "Connection",
  DataSource: "DataSource",
  GetJobResult: "ListedJob",
};

/** The object types of resource and function outputs. */
export function outputTypes(): NamedTypes {
  // No member is required: unknown members are absent. The TypeScript interface declares all members as present,
  // because Pulumi lifts only members that are always present.
  const known = { ...objectOf(record.interface("JobRecord")), required: [] };
  return {
    JobRecord: known,
    LastRun: objectOf(record.interface("LastRun")),
    Origin: objectOf(resource.interface("Origin")),
    ListedAccount: objectOf(lists.interface("ListedAccount")),
    Connection: objectOf(lists.interface("Connection")),
    DataSource: objectOf(lists.interface("DataSource")),
    ListedJob: objectOf(listedJob()),
  };
}

/** The outputs of each function, by its name. */
export const functionOutputs = {
  getAccounts: () => objectOf(results.interface("GetAccountsResult")),
  getConnection: () => objectOf(lists.interface("Connection")),
  getConnections: () => objectOf(results.interface("GetConnectionsResult")),
  getDataSources: () => objectOf(results.interface("GetDataSourcesResult")),
  getJob: () => objectOf(listedJob()),
  getJobs: () => objectOf(results.interface("GetJobsResult")),
};

/** A job in a list: a record with some members declared differently. */
function listedJob(): Interface {
  const { description, members } = results.interface("GetJobResult");
  const own = new Set(members.map(({ name }) => name));
  const more = record.interface("JobRecord").members.filter(({ name }) => !own.has(name));
  return { description, members: [...members, ...more] };
}

/** Members to declare as integers: TypeScript has one type for all numbers, and Python would show a number as `4.0`. */
const integers = new Set(["intervalValue", "logVerbosity", "rowsAffected"]);

/** The object type for an interface. */
export function objectOf({ description, members }: Interface): ObjectSpec {
  const required = members.filter(({ isOptional, type }) => !isOptional && !mayBeUndefined(type));
  const property = ({ name, type, description: text }: Interface["members"][number]): PropertySpec => ({
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

export function typeOf(node: ts.TypeNode): TypeSpec {
  if (ts.isUnionTypeNode(node)) {
    const [first, ...others] = node.types.filter((member) => !isUndefined(member));
    if (first !== undefined && others.every((other) => isString(other) && isString(first))) return typeOf(first);
  }
  if (isString(node)) return { type: "string" };
  if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: "number" };
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
  if (ts.isTypeOperatorNode(node)) return typeOf(node.type);
  if (ts.isArrayTypeNode(node)) return { type: "array", items: typeOf(node.elementType) };
  const name = ts.isTypeReferenceNode(node) ? node.typeName.getText() : "";
  // The service's stored values may have members that no interface names.
  if (name === "Readonly" || name === "JobRecordParams") return mapOf(anyValue);
  const known = schemaNames[name];
  if (known === undefined) throw new Error(`${node.getText()} is a type that the schema has no name for.`);
  return reference(known);
}
