import { execFileSync } from "node:child_process";

const variable = "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED";

/** The variable as a shell sets it if the user pastes the command of a message, with the id of the job. */
export function pasted(text: string, id = "<its id>"): Readonly<Record<string, string>> {
  const [, assignment] = new RegExp(`(${variable}='.*') pulumi up`).exec(text) ?? [];
  if (assignment === undefined) throw new Error(`No command in: ${text}`);
  const script = `${assignment.replace("<its id>", id)} printenv ${variable}`;
  return { [variable]: execFileSync("sh", ["-c", script], { encoding: "utf8" }).trimEnd() };
}
