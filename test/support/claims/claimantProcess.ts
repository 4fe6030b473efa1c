import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Holder } from "../../../provider/src/client/service.js";
import { isObject } from "../../../provider/src/json.js";
import { stopLater } from "../emulated.js";

interface Run {
  readonly engine: string | undefined;
  readonly temporary: string;
  readonly logEndpoint?: string;
  /** The process's network namespace; default: the namespace of the test's process. */
  readonly network?: string;
}

/** The resource with this name, as a claim describes it. */
export const resource = (name: string): Holder => ({
  label: `CachingJob "${name}"`,
  declaration: name,
  record: `job of ${name}`,
  since: "created",
});

/** Starts one provider process of a run, which takes, notes, looks up and releases claims. `stopAll` kills it. */
export async function startClaimant({ engine, temporary, logEndpoint = "", network = "" }: Run) {
  const folders = { TMPDIR: temporary, TEMP: temporary };
  const child = fork(join(__dirname, "claimant.cjs"), engine === undefined ? [] : [engine], {
    env: { ...process.env, ...folders, PULUMI_LOG_OTLP_ENDPOINT: logEndpoint, TEST_NETWORK: network },
    execArgv: [],
  });
  const exited = once(child, "exit");
  /** The process answers in the order in which it is asked. */
  const waiting: ((answer: unknown) => void)[] = [];
  child.on("message", (message) => waiting.shift()?.(isObject(message) ? message["answer"] : undefined));
  const answer = () => new Promise<unknown>((resolve) => waiting.push(resolve));
  const ask = (name: string, what = "", by = "") => {
    child.send({ ask: name, what, holder: resource(by) });
    return answer();
  };
  await answer();
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return stopLater({
    take: (what: string, by: string) => ask("take", what, by),
    note: (what: string, by: string) => ask("note", what, by),
    elsewhere: (what: string) => ask("elsewhere", what),
    giveBack: (what: string) => ask("giveBack", what),
    /** The problems that the process reported to its user. */
    problems: () => ask("problems"),
    stop,
  });
}
