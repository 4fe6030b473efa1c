import { runTasks } from "../support/world/processes.js";
import "../support/testedHost.js";

/** The same in each gate. `npm run test:world` plays as many as it is told, with any seed. */
const [seed, cases] = [1, 300];

test.each(["all", "create"] as const)(
  "Whatever happens between any two awaits, no job is doubled, lost or a stranger's, and what is said is true (mode %s)",
  async (mode) => {
    const [report] = await runTasks([{ host: globalThis.testedHost, mode, what: "play", seed, cases }]);
    // The story says how to play it again.
    if (report?.hasFailed !== false) throw new Error(report?.lines.join("\n") ?? "no report");
  },
);
