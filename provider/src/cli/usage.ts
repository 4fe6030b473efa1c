import type { Command, CommandOption } from "./command.js";
import { allCommands } from "./commands.js";
import { isList, type JsonMembers } from "./document.js";
import { wrapped } from "./text.js";

const width = 100;
const program = "pulumi-data-connectivity";

/** Lines at an indent, with a title in front of the first. */
function hanging(title: string, text: string, indent: number): string[] {
  const lines = wrapped(text, width - indent);
  const [first = "", ...rest] = title.length < indent ? lines : ["", ...lines];
  return [title.padEnd(indent) + first, ...rest.map((line) => " ".repeat(indent) + line)].map((line) => line.trimEnd());
}

/** The list of commands. */
export async function generalUsage(): Promise<string> {
  const commands = await allCommands();
  const indent = Math.max(...commands.map(([name]) => name.length)) + 4;
  return text(
    `Usage: ${program} <command> [options]`,
    "",
    ...commands.flatMap(([name, { summary }]) => hanging(`  ${name}`, summary, indent)),
    "",
    `  ${program} <command> --help explains one command, --version prints the version.`,
    "",
    ...wrapped("Exit codes: 0 success; 1 something failed or is missing; 2 the command was mistyped.", width),
    "",
    `Example: ${program} doctor --stack dev`,
  );
}

/** The help of one command. */
export function usageOf(name: string, command: Command): string {
  const { about, operand, options, example, more } = command;
  const own = Object.entries(options).map(
    ([option, { value }]) => `  --${option}${value === undefined ? "" : ` ${value}`} `,
  );
  const indent = Math.min(Math.max(...own.map((title) => title.length)), 19) + 1;
  return text(
    ...hanging("Usage:", synopsis(name, command), 7),
    "",
    ...about.flatMap((paragraph) => [...wrapped(paragraph, width), ""]),
    ...wrapped(exitCodesOf(command), width),
    "",
    ...(operand === undefined ? [] : hanging(`  ${operand.name}`, operand.help, indent)),
    ...Object.entries(options).flatMap(([option, { help }], index) =>
      hanging(own[index] ?? "", option === "json" ? jsonHelp(command) : help, indent),
    ),
    "",
    ...(example.length === 1 ? [`Example: ${example.join("")}`] : ["Example:", ...example.map((line) => `  ${line}`)]),
    ...(more === undefined ? [] : ["", more.trimEnd()]),
  );
}

const text = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;

function synopsis(name: string, { options, operand }: Command): string {
  const shown = (option: string, { value, isRequired, multiple }: CommandOption): string => {
    const call = `--${option}${value === undefined ? "" : ` ${value}`}`;
    return isRequired ? call : `[${call}]${multiple ? "..." : ""}`;
  };
  const words = Object.entries(options).map(([option, one]) => shown(option, one));
  const all = [
    `${program} ${name}`,
    ...(operand === undefined ? [] : [`[${operand.name}]${operand.many ? "..." : ""}`]),
    ...words,
  ];
  return all.map((word) => word.replaceAll(" ", "\u00a0")).join(" ");
}

const exitCodesOf = ({ passes, fails }: Pick<Command, "passes" | "fails">): string =>
  `Exit code 0${passes === undefined ? "" : ` ${passes}`}; 1 ${fails}; 2 if the command was mistyped.`;

const jsonHelp = ({ forms }: Command): string => {
  const shapes = Object.entries(forms).flatMap(([form, { json }]) =>
    json === undefined ? [] : `${form === "" ? "" : `with ${form}, `}${shapeOf(json)}`,
  );
  return `prints one document instead: ${shapes.join("; ")}. null means unknown; after an error that ends the command, the document is { "error" }`;
};

const shapeOf = (members: JsonMembers): string => {
  const shown = Object.entries(members).map(([member, inner]) => {
    if (typeof inner === "string") return JSON.stringify(member);
    return `${JSON.stringify(member)}: ${isList(inner) ? `[${shapeOf(inner[0])}]` : shapeOf(inner)}`;
  });
  return `{ ${shown.join(", ")} }`;
};
