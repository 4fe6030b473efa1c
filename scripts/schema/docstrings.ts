import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";

const source = resolve(__dirname, "../../provider/src");

/** A member of an interface or a class, as the source declares the member. */
export interface Member {
  readonly name: string;
  readonly description: string;
  readonly isOptional: boolean;
  readonly type: ts.TypeNode;
}

/** An interface, as the source declares it. */
export interface Interface {
  readonly description: string;
  readonly members: readonly Member[];
}

/** The declarations of one file in `provider/src`, with their docstrings. */
export class SourceFile {
  private readonly file: ts.SourceFile;

  constructor(private readonly path: string) {
    this.file = ts.createSourceFile(path, readFileSync(resolve(source, path), "utf8"), ts.ScriptTarget.Latest, true);
  }

  interface(name: string): Interface {
    const found = this.find(name, isInterfaceOrAlias);
    if (ts.isTypeAliasDeclaration(found)) {
      return { ...this.interface(found.type.getText()), description: descriptionOf(found) };
    }
    return {
      description: descriptionOf(found),
      members: found.members.filter(ts.isPropertySignature).map((member) => this.member(member)),
    };
  }

  /** A property of the class `name`. */
  property(name: string, property: string): Member {
    const members = this.find(name, ts.isClassDeclaration).members.filter(ts.isPropertyDeclaration);
    const found = members.find((member) => member.name.getText() === property);
    if (found === undefined) throw new Error(`${this.path}: ${name} has no ${property}.`);
    return this.member(found);
  }

  /** The docstring of a class or a function, without its tags. */
  description(name: string): string {
    return descriptionOf(this.find(name, isClassOrFunction));
  }

  private find<Found extends ts.DeclarationStatement>(name: string, is: (node: ts.Node) => node is Found): Found {
    const found = this.file.statements.filter(is).find((statement) => statement.name?.getText() === name);
    if (found === undefined) throw new Error(`${this.path} declares no ${name}.`);
    return found;
  }

  private member(member: ts.PropertySignature | ts.PropertyDeclaration): Member {
    const name = member.name.getText();
    if (member.type === undefined) throw new Error(`${this.path}: ${name} has no type.`);
    const isOptional = member.questionToken !== undefined;
    return { name, description: descriptionOf(member), isOptional, type: member.type };
  }
}

const isClassOrFunction = (node: ts.Node): node is ts.ClassDeclaration | ts.FunctionDeclaration =>
  ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node);

const isInterfaceOrAlias = (node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

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
