import { spawnSync } from "node:child_process";

/** Whether a tool is on PATH: it is called with these arguments. */
export const isTool = (tool: string, ...args: string[]): boolean =>
  spawnSync(tool, args, { stdio: "ignore" }).status === 0;

/** A test if a tool is on PATH; otherwise it counts as skipped. */
export const testWith = (tool: string, ...args: string[]): typeof test.skip =>
  isTool(tool, ...args) ? test : test.skip;
