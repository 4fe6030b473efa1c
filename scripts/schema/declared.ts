import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";

/** An interface, a class or a function, as the source declares it. The description is the docstring without its tags. */
export interface Declared {
  readonly description: string;
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly description: string;
  readonly isOptional: boolean;
  readonly type: ts.TypeNode;
}

const statements = [
  ...["client/jobRecord.ts", "client/lists.ts", "functions/functions.ts", "lifecycle/resource.ts"],
  ...["args.ts", "cachingJob.ts", "functions.ts", "jobResource.ts", "scheduledQueryJob.ts"].map(
    (name) => `hosts/dynamic/${name}`,
  ),
].flatMap((name) => {
  const path = resolve(__dirname, "../../provider/src", name);
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true).statements;
});

/** What the source declares under this name. An interface also has the members of the interface that it extends. */
export function declared(name: string): Declared {
  const found = statements.filter(isDeclaration).find((statement) => statement.name?.text === name);
  if (found === undefined) throw new Error(`None of the schema's source files declares ${name}.`);
  const description = descriptionOf(found);
  if (ts.isTypeAliasDeclaration(found)) return { ...declared(found.type.getText()), description };
  if (ts.isFunctionDeclaration(found)) return { description, members: [] };
  const [base] = ts.isInterfaceDeclaration(found) ? (found.heritageClauses?.[0]?.types ?? []) : [];
  // `Omit<JobRecord, …>` extends JobRecord. What it omits, the interface declares itself.
  const inherited = base === undefined ? [] : declared((base.typeArguments?.[0] ?? base).getText()).members;
  const members: readonly ts.Node[] = found.members;
  const all = [...inherited, ...members.filter(isProperty).flatMap(memberOf)];
  return { description, members: [...new Map(all.map((member) => [member.name, member])).values()] };
}

const isDeclaration = (node: ts.Node) =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isFunctionDeclaration(node);

const isProperty = (node: ts.Node) => ts.isPropertySignature(node) || ts.isPropertyDeclaration(node);

function memberOf(node: ts.PropertySignature | ts.PropertyDeclaration): Member[] {
  const { name, type, questionToken } = node;
  if (type === undefined) return [];
  return [{ name: name.getText(), description: descriptionOf(node), isOptional: questionToken !== undefined, type }];
}

function descriptionOf(node: ts.Node): string {
  const text = ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .join("\n\n")
    .replace(/\{@link (\w+)\}/g, "`$1`");
  if (text === "") throw new Error(`${node.getSourceFile().fileName}: ${node.getText()} has no docstring.`);
  // A docstring's lines are wrapped; a page's lines are not. Each item of a list keeps its own line.
  return text.replace(/(?<!\n)\n(?!\n|- )/g, " ");
}
