import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningCommand } from "../command.js";
import { descendantsOf, end } from "../processes.js";

export const victims = ["cli", "provider", "program"] as const;
export type Victim = (typeof victims)[number];

/** How the processes of a run are told apart. A YAML program runs in its language host. */
const commands = {
  provider: /dynamic-provider\/index|hosts\/plugin\/main/,
  program: /cmd\/run\/|pulumi-language-yaml/,
  /** Pulumi's own processes: a language host takes minutes to notice that its engine is gone. */
  pulumi: /pulumi-language-|pulumi-resource-pulumi-nodejs/,
};

interface Process {
  readonly pid: number;
  readonly command: string;
}

/** The processes that are still running, without ended ones that nobody has waited for. */
function running(all: readonly Process[]): readonly Process[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,stat="], { encoding: "utf8" });
  const alive = new Set([...text.matchAll(/^\s*(\d+)\s+[^Z\s]/gm)].map(([, pid]) => Number(pid)));
  return all.filter(({ pid }) => alive.has(pid));
}

/** The processes of a run at this moment. */
export function processesOf(run: RunningCommand) {
  const all = descendantsOf(run.pid);
  const of = (kind: keyof typeof commands) => all.filter(({ command }) => commands[kind].test(command));
  const provider = of("provider");
  const ours = all.filter((one) => !of("pulumi").includes(one));
  return {
    kill: (victim: Victim) => {
      const found = victim === "cli" ? [{ pid: run.pid ?? 0 }] : of(victim);
      if (found.length === 0) throw new Error(`The run has no process of its ${victim}: ${JSON.stringify(all)}`);
      end(found);
    },
    /** Stops the provider's process, which then notices nothing until `resume`. */
    suspend: () => {
      end(provider, "SIGSTOP");
    },
    resume: () => {
      end(provider, "SIGCONT");
    },
    /** Resolves to those still running after this time. There is no event for the end of a process that is not our child. */
    leftAfter: async (ms: number): Promise<readonly string[]> => {
      const last = Date.now() + ms;
      for (;;) {
        const left = running(ours);
        if (left.length === 0 || Date.now() > last) return left.map(({ command }) => command);
        await sleep(100);
      }
    },
    /** Ends what is left, including Pulumi's own processes. */
    endAll: () => {
      end(all);
    },
  };
}
