import { resolve } from "node:path";
import ts from "typescript";
import { scheduleMembers, type Member } from "../../provider/src/jobs/index.js";
import { anyValue, mapOf, reference, stringOr, type ObjectSpec, type Spec } from "./specs.js";

const entry = resolve(__dirname, "../../provider/src/index.ts");
const program = ts.createProgram([entry], { module: ts.ModuleKind.NodeNext, strict: true });
const checker = program.getTypeChecker();

/** The interfaces that the schema names as the source does. */
export const named = [
  "CachingJobMergeKey",
  "CachingJobParams",
  "JobRecord",
  "LastRun",
  "Origin",
  "ListedAccount",
  "Connection",
  "DataSource",
];

/** Types whose values may have members that no interface names: the service's stored values, and what is sent as it is. */
const open = /^((Readonly<)?Record<.*>|JobRecordParams|ScheduledQueryJobParams)$/;

/** Members to declare as integers: TypeScript has one type for all numbers, and Python would show a number as `4.0`. */
const integers = new Set([
  ...Object.entries<Member>(scheduleMembers).flatMap(([name, { form }]) => (form === "wholeNumber" ? [name] : [])),
  "rowsAffected",
]);

/** The object type for an interface that the package exports. */
export function objectOf(name: string): ObjectSpec {
  const members = [...membersOf(name)].map(([member, symbol]) => {
    const [declaration] = symbol.declarations ?? [];
    const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const text = node?.getText() ?? "";
    const type = integers.has(member) ? { type: "integer" } : typeOf(text);
    const isRequired = (symbol.flags & ts.SymbolFlags.Optional) === 0 && !text.endsWith(" | undefined");
    return { member, isRequired, property: { ...type, description: textOf(symbol) } };
  });
  const required = members.filter(({ isRequired }) => isRequired).map(({ member }) => member);
  return {
    type: "object",
    description: descriptionOf(name),
    properties: Object.fromEntries(members.map(({ member, property }) => [member, property])),
    ...(required.length > 0 && { required }),
  };
}

/** The docstring of something that the package exports, or of its member. */
export function descriptionOf(name: string, member?: string): string {
  const symbol = member === undefined ? exported(name) : membersOf(name).get(member);
  if (symbol === undefined) throw new Error(`${name} has no ${member}.`);
  return textOf(symbol);
}

/** The docstring of a value of a constant that the package exports as an enum. */
export function valueDescription(name: string, value: string): string {
  const symbol = exported(name);
  const node = symbol.valueDeclaration;
  const member = node && checker.getTypeOfSymbolAtLocation(symbol, node).getProperty(value);
  if (member === undefined) throw new Error(`${name} has no ${value}.`);
  return textOf(member);
}

function exported(name: string): ts.Symbol {
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  const found = module && checker.tryGetMemberInModuleExports(name, module);
  if (found === undefined) throw new Error(`The package exports no ${name}.`);
  return (found.flags & ts.SymbolFlags.Alias) === 0 ? found : checker.getAliasedSymbol(found);
}

/** All members by their names, inherited members first. */
function membersOf(name: string): ReadonlyMap<string, ts.Symbol> {
  const type = checker.getDeclaredTypeOfSymbol(exported(name));
  const all = [...(type.getBaseTypes() ?? []), type].flatMap((each) => each.getProperties());
  return new Map(all.map((symbol) => [symbol.name, symbol]));
}

/** A docstring without its tags. Each paragraph and each item of a list is one line: pages wrap their lines themselves. */
function textOf(symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\{@link (\w+)\}/g, "`$1`");
  if (text === "") throw new Error(`${symbol.name} has no docstring.`);
  return text.replace(/(?<!\n)\n(?!\n|- )/g, " ");
}

/** The schema's type for a type as the source writes it. */
function typeOf(text: string): Spec {
  // An SDK has one type per member: strings instead of a boolean are for TypeScript programs only.
  const plain = text.replace(/^Input<(.*)>$/, "$1").replace(/ \| (undefined|"true"|"false")/g, "");
  const [, element] = /^(?:readonly |Input<)(\w+)>?\[\]$/.exec(plain) ?? [];
  if (element !== undefined) return { type: "array", items: typeOf(element) };
  if (["string", "number", "boolean"].includes(plain)) return { type: plain };
  if (/^"\w+"( \| "\w+")*$/.test(plain)) return { type: "string" };
  if (open.test(plain)) return mapOf(anyValue);
  if (plain === "IntervalUnit") return stringOr(plain);
  // The SDKs use the name `GetJobResult` for the result of the function.
  if (plain === "GetJobResult") return reference("ListedJob");
  if (named.includes(plain)) return reference(plain);
  throw new Error(`${text} is a type that the schema has no name for.`);
}
