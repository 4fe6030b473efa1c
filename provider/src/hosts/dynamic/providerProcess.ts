import { Cancellation } from "../../client/gate.js";
import type { JobKind } from "../../jobs/index.js";
import { Engine, engineAddress } from "../engine.js";
import { removeOwnNotes } from "../keptJobs.js";
import { exportWithCli } from "../stackExport.js";
import { ProviderHost, type JobProvider } from "./host.js";
import type { Members } from "./identity.js";
import { endAfterCalls, printNoRefusals } from "./sdkHost.js";

const cancellation = new Cancellation();
const engine = new Engine();
const address = engineAddress();
if (address !== undefined) {
  printNoRefusals();
  const endBy = (isByEngine: boolean) => () => {
    removeOwnNotes(isByEngine);
    process.exit();
  };
  engine.connect(address, endBy(false));
  // This is how the engine ends its run.
  process.on("SIGINT", endBy(true));
}
const host = new ProviderHost({
  engine: address,
  isEngineAlive: engine.isAlive,
  report: engine.report,
  cancellation,
  exportStack: address && exportWithCli,
});
const untilEnd = endAfterCalls(cancellation);

/** The provider of a kind in the process that the engine started. */
export function jobProvider(kind: JobKind): JobProvider {
  const provider = host.provider(kind);
  const answer = <Result>(members: Members, call: () => Promise<Result>) =>
    engine.answer(host.urnOf(kind, members), call);
  return {
    ...provider,
    check: (olds, news) => answer(news, () => provider.check(olds, news)),
    diff: (id, olds, news) => answer(news, () => provider.diff(id, olds, news)),
    create: (inputs) => untilEnd(answer(inputs, () => provider.create(inputs))),
    read: (id, outputs = {}) => untilEnd(answer(outputs, () => provider.read(id, outputs))),
    update: (id, olds, news) => untilEnd(answer(news, () => provider.update(id, olds, news))),
    delete: (id, outputs) => untilEnd(answer(outputs, () => provider.delete(id, outputs))),
  };
}
