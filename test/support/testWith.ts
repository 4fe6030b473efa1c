import { spawnSync } from "node:child_process";

/** Whether a tool is on PATH and succeeds with these arguments. */
export const isTool = (tool: string, ...args: string[]): boolean =>
  spawnSync(tool, args, { stdio: "ignore" }).status === 0;

/** A test that runs if a tool is on PATH, and otherwise counts as skipped. */
export const testWith = (tool: string, ...args: string[]): typeof test.skip =>
  isTool(tool, ...args) ? test : test.skip;
