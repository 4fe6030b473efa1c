/** The pages whose commands test/engine/pageCommands.test.ts pastes one after another into one stack. */
export const pasted: readonly (readonly [path: string, leaves: string, jobs: number])[] = [
  ["README.md", "the first job", 1],
  ["docs/configuration.md", "the one job, changed by no command", 1],
  ["docs/lifecycle.md", "a second job, which --replace made", 2],
  ["docs/all-operations.md", "the one job, changed by no command", 1],
  ["docs/adopt.md", "the one job, changed by no command", 1],
];

/**
 * Whether a test pastes the line: not npm's own commands (the gate runs them), those that make a project of a template
 * (test/engine/templates.test.ts) or the emulator (it runs until Ctrl-C).
 */
export const runsHere = (line: string) =>
  !/^(npm|pulumi new|cd) /.test(line) && line !== "npx pulumi-data-connectivity emulator";
