import { objectsOf } from "../../provider/src/hosts/ownState.js";
import { membersOf, parseJson } from "../../provider/src/json.js";
import { queryBody, queryInputs } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";

// Two queries without a name have no source, which does not make them one.

afterEach(stopAll);

const query = (text: string) => queryInputs("report", { query: text });

/** A stack whose unnamed query's job somebody has deleted, and whose next run was killed in a create that made its job. */
async function killed(text: string, mark: object = {}) {
  const place = await fastStack();
  const { stack, emulator, clock, use } = place;
  await stack.up({ report: query("select 1") });
  clock.pass(7_200_000);
  for (const { id } of emulator.jobs) emulator.removeJob(id);
  stack.savedAt = clock.now();
  stack.pending.set("report", query(text));
  const exported = membersOf(parseJson(stack.export()));
  const deployment = membersOf(exported["deployment"]);
  const resources = objectsOf(deployment["resources"]).map((one) => ({ ...one, ...mark }));
  emulator.addJob(queryBody({ query: text }));
  clock.pass(30_000);
  const marked = JSON.stringify({ ...exported, deployment: { ...deployment, resources } });
  use({}, emulator, { exportStack: () => Promise.resolve(marked), command: upCommand });
  return place;
}

test.each(["select 1", "select 2"])(
  "A refresh that finds the tainted query's job gone ends no killed create: %s",
  async (text) => {
    const { stack, emulator } = await killed(text, { taint: true });
    await stack.up({ report: query(text) }, { refresh: true });
    expect(emulator.jobs).toHaveLength(1);
  },
);
