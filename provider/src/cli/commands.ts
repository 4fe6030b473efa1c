import type { Command } from "./command.js";

/** Only the command that is called is loaded: loading the others' libraries takes longer than the command's own work. */
export const commands: ReadonlyMap<string, () => Promise<Command>> = new Map<string, () => Promise<Command>>([
  ["doctor", async () => (await import("./doctor.js")).doctor],
  ["jobs", async () => (await import("./jobs.js")).jobs],
  ["connections", async () => (await import("./connections.js")).connections],
  ["run", async () => (await import("./run.js")).run],
  ["token", async () => (await import("./token.js")).token],
  ["emulator", async () => (await import("./emulator.js")).emulator],
]);

/** All commands by name, for the list of commands. */
export const allCommands = (): Promise<readonly (readonly [string, Command])[]> =>
  Promise.all([...commands].map(async ([name, load]) => [name, await load()] as const));
