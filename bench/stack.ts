import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../provider/src/testing/emulator/types.js";
import { startEmulator } from "../provider/src/testing/startEmulator.js";
import { createStack, type EngineStack } from "../test/support/engine.js";
import { declarations, type Variant } from "./variants.js";

const stateAtEnd = { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_EXPERIMENTAL: "true" };

/** The measured commands, in this order. Only the first saves the state for each job, which shows what saving costs. */
const argumentsOf = {
  up: ["up", "--yes", "--skip-preview"],
  "up, state saved at the end": ["up", "--yes", "--skip-preview"],
  preview: ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
} as const;
export type Command = keyof typeof argumentsOf;

/** Each group is measured in a new stack. */
export const groups: readonly (readonly Command[])[] = [["up"], ["up, state saved at the end", "preview", "refresh"]];
export const commands = groups.flat();

export interface StackSettings {
  /** Milliseconds before each reply of the service. */
  readonly latencyMs: number;
  /** The value of `data-connectivity:jobOperations`. */
  readonly jobOperations: string;
}

/** One stack of one variant, with a service of its own. */
export class BenchStack {
  private constructor(
    readonly variant: Variant,
    private readonly stack: EngineStack,
    private readonly emulator: Emulator,
  ) {}

  static async start(variant: Variant, jobs: number, { latencyMs, jobOperations }: StackSettings): Promise<BenchStack> {
    const emulator = await startEmulator({ delayMs: latencyMs });
    const stack = await createStack({
      program: "",
      checkout: variant.checkout,
      config: { "data-connectivity:protect": "false", "data-connectivity:jobOperations": jobOperations },
      env: {
        DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
        DATA_CONNECTIVITY_TOKEN: emulator.token,
        ...variant.env,
      },
    });
    for (const [name, text] of Object.entries(variant.files(declarations(jobs))))
      writeFileSync(join(stack.folder, name), text);
    return new BenchStack(variant, stack, emulator);
  }

  /** Runs a command and returns its seconds. */
  async run(command: Command): Promise<number> {
    const start = performance.now();
    const result = await this.stack.run([...argumentsOf[command], "--suppress-outputs"], {
      env: command === "up" ? {} : stateAtEnd,
    });
    const ms = performance.now() - start;
    if (result.exitCode !== 0)
      throw new Error(`${this.variant.name}: ${command} failed:\n${result.output.slice(0, 2000)}`);
    return Number((ms / 1000).toFixed(3));
  }

  /** The size of the stack's state, without the stack trace that the language's SDK records for each resource. */
  get stateBytes(): number {
    const file = join(this.stack.folder, "state/.pulumi/stacks/acceptance/test.json");
    const state: unknown = JSON.parse(readFileSync(file, "utf8"), (key, value: unknown) =>
      key === "stackTrace" || key === "sourcePosition" ? undefined : value,
    );
    return JSON.stringify(state).length;
  }

  async stop(): Promise<void> {
    await Promise.all([this.stack.dispose(), this.emulator.stop()]);
  }
}
