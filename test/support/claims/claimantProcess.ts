import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Holder } from "../../../provider/src/client/service.js";
import { isObject } from "../../../provider/src/json.js";

interface Run {
  readonly engine: string | undefined;
  readonly temporary: string;
  readonly logEndpoint?: string;
  /** The process's network namespace; default: the namespace of the test's process. */
  readonly network?: string;
}

/** One provider process of a run, which takes, notes, looks up and releases claims. */
export interface ClaimantProcess {
  take(what: string, by: string): Promise<unknown>;
  note(what: string, by: string): Promise<unknown>;
  elsewhere(what: string): Promise<unknown>;
  giveBack(what: string): Promise<unknown>;
  /** The problems that the process reported to its user. */
  problems(): Promise<unknown>;
  kill(): Promise<void>;
}

/** The resource with this name, as a claim describes it. */
export const resource = (name: string): Holder => ({
  label: `CachingJob "${name}"`,
  declaration: name,
  record: `job of ${name}`,
  since: "created",
});

const running = new Set<ClaimantProcess>();

export async function startClaimant({
  engine,
  temporary,
  logEndpoint = "",
  network = "",
}: Run): Promise<ClaimantProcess> {
  const child = fork(join(__dirname, "claimant.cjs"), engine === undefined ? [] : [engine], {
    env: {
      ...process.env,
      TMPDIR: temporary,
      TEMP: temporary,
      PULUMI_LOG_OTLP_ENDPOINT: logEndpoint,
      TEST_NETWORK: network,
    },
    execArgv: [],
  });
  const waiting = new Map<number, (answer: unknown) => void>();
  child.on("message", (message) => {
    if (isObject(message) && typeof message["id"] === "number") waiting.get(message["id"])?.(message["answer"]);
  });
  let asked = 0;
  const expectAnswer = (id: number) => new Promise<unknown>((resolve) => waiting.set(id, resolve));
  const ask = (name: string, what = "", by = "") => {
    const id = (asked += 1);
    const answer = expectAnswer(id);
    child.send({ id, ask: name, what, holder: resource(by) });
    return answer;
  };
  await expectAnswer(0);
  const claimant: ClaimantProcess = {
    take: (what, by) => ask("take", what, by),
    note: (what, by) => ask("note", what, by),
    elsewhere: (what) => ask("elsewhere", what),
    giveBack: (what) => ask("giveBack", what),
    problems: () => ask("problems"),
    kill: async () => {
      running.delete(claimant);
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
  running.add(claimant);
  return claimant;
}

export const killClaimants = (): Promise<unknown> => Promise.all([...running].map((claimant) => claimant.kill()));
